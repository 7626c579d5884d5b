package openai

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/internal/wire"
)

// given is the log-probabilities of a choice, in either of two forms: a list of
// tokens, or, where a prompt was continued, lists side by side.
type given struct {
	Content []token `json:"content"`
	Refusal []token `json:"refusal"`

	Tokens  []string              `json:"tokens"`
	OfToken []*float64            `json:"token_logprobs"`
	Top     []map[string]*float64 `json:"top_logprobs"`
}

type token struct {
	Token   string   `json:"token"`
	Bytes   []byte   `json:"bytes"`
	LogProb *float64 `json:"logprob"`
	Top     []token  `json:"top_logprobs"`
}

// logProbs reads them. What can't be read is left out: a reply isn't lost for it.
func logProbs(raw json.RawMessage) (out []llm.TokenLogProb) {
	if len(raw) == 0 {
		return nil
	}
	var g given
	if whole, err := wire.Decode(raw, &g); err != nil || !whole {
		return nil
	}
	for _, t := range append(g.Content, g.Refusal...) {
		if p, ok := t.of(); ok {
			for _, other := range t.Top {
				if alt, ok := other.of(); ok {
					p.Top = append(p.Top, alt)
				}
			}
			out = append(out, p)
		}
	}
	for i, text := range g.Tokens {
		if i >= len(g.OfToken) || g.OfToken[i] == nil {
			continue // it belongs to the prompt
		}
		p := llm.TokenLogProb{Token: text, LogProb: *g.OfToken[i]}
		if i < len(g.Top) {
			p.Top = likeliest(g.Top[i])
		}
		out = append(out, p)
	}
	return out
}

// of is the token by its bytes, where these are given: a token may be a part of a
// letter only, which its text can't show.
func (t token) of() (llm.TokenLogProb, bool) {
	if t.LogProb == nil {
		return llm.TokenLogProb{}, false
	}
	if len(t.Bytes) > 0 {
		t.Token = string(t.Bytes)
	}
	return llm.TokenLogProb{Token: t.Token, LogProb: *t.LogProb}, true
}

// likeliest puts alternatives in order.
func likeliest(by map[string]*float64) (out []llm.TokenLogProb) {
	for text, p := range by {
		if p != nil {
			out = append(out, llm.TokenLogProb{Token: text, LogProb: *p})
		}
	}
	slices.SortFunc(out, func(a, b llm.TokenLogProb) int {
		return cmp.Or(cmp.Compare(b.LogProb, a.LogProb), strings.Compare(a.Token, b.Token))
	})
	return out
}
