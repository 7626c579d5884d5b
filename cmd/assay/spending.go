package main

import (
	"strconv"
	"time"

	"github.com/assay-rag/assay"
)

// spending are the flags that bound what models may cost.
type spending struct {
	MaxCalls  string `type:"given" placeholder:"N" help:"Call models at the most so often (default 20)."`
	MaxTokens string `type:"given" placeholder:"N" help:"Send and receive at the most so many tokens (default 200,000)."`
	MaxCost   string `type:"given" placeholder:"USD" help:"Spend at the most so much, as far as prices are known (default 1)."`
}

// given adds the settings that the flags give to others.
func (s spending) given(others map[string]string) map[string]string {
	others["max_calls"], others["max_tokens"], others["max_cost"] = s.MaxCalls, s.MaxTokens, s.MaxCost
	return others
}

// budget adds the bounds of the settings to those of the command line.
func (c *config) budget(b assay.Budget, withModel bool) (assay.Budget, error) {
	calls, err := c.whole("max_calls")
	if err != nil {
		return b, err
	}
	tokens, err := c.whole("max_tokens")
	if err != nil {
		return b, err
	}
	b.Calls, b.Tokens = calls, tokens
	if text := c.get("max_cost"); text != "" {
		if b.Money, err = strconv.ParseFloat(text, 64); err != nil || !(b.Money > 0) {
			return b, misusef("give an amount in US dollars such as 0.05", "%s: max_cost %q", c.values["max_cost"].from, text)
		}
	}
	limit := time.Duration(0) // the engine's own
	if v := c.values["timeout"]; withModel || v.from != "default" {
		if limit, err = c.duration("timeout"); err != nil {
			return b, err
		}
	}
	b.Time = limit
	return b, nil
}
