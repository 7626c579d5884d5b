package llm

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
)

// Price is what a model costs, in US dollars for a million tokens.
type Price struct {
	In float64 `json:"in" yaml:"in"`
	// Cached is for tokens of the prompt that the provider had in its cache; nil
	// where it makes no difference.
	Cached *float64 `json:"cached" yaml:"cached"`
	Out    float64  `json:"out" yaml:"out"`
}

// Of is what the tokens cost, in US dollars.
func (p Price) Of(t Tokens) float64 {
	cached := p.In
	if p.Cached != nil {
		cached = *p.Cached
	}
	return (float64(t.In-t.Cached)*p.In + float64(t.Cached)*cached + float64(t.Out)*p.Out) / 1e6
}

// Prices are the prices of models by name.
type Prices map[string]Price

//go:embed prices.json
var listed []byte

// ListPrices are the list prices of well-known models; prices.json says of which
// day. They change without notice: whoever pays sets their own.
func ListPrices() Prices {
	var file struct{ Prices Prices }
	if err := json.Unmarshal(listed, &file); err != nil {
		panic(fmt.Sprintf("llm: prices.json: %v", err)) // it is built in, and tested
	}
	return file.Prices
}

// With returns the prices with those of another list before them.
func (p Prices) With(own Prices) Prices {
	all := maps.Clone(p)
	if all == nil {
		all = Prices{}
	}
	maps.Copy(all, own)
	return all
}

// dated is what makes a name that of a version of a day.
var dated = regexp.MustCompile(`^-20\d\d-?\d\d-?\d\d$`)

// For is the price of a model, or nil where it isn't known. A listed name stands
// for its dated versions too: "gpt-4.1-mini" for "gpt-4.1-mini-2025-04-14".
func (p Prices) For(model string) *Price {
	if price, ok := p[model]; ok {
		return &price
	}
	for at := len(model); ; {
		at = strings.LastIndexByte(model[:at], '-')
		if at < 0 {
			return nil
		}
		price, ok := p[model[:at]]
		if ok && dated.MatchString(model[at:]) {
			return &price
		}
	}
}
