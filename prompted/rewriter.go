package prompted

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/text"
)

// Rewriter finds other words for a search that failed by asking a model. Make one
// with NewRewriter; it may be used concurrently.
type Rewriter struct {
	model llm.Model
	opts  RewriterOptions
}

// RewriterOptions tune a Rewriter. The zero value is the default.
type RewriterOptions struct {
	// First is asked before the model, which is then asked only where First knows no
	// more words. nil: the model alone.
	First assay.Rewriter
	// Else is asked where the model fails. nil: that is an error.
	Else assay.Rewriter
}

// NewRewriter makes a Rewriter that asks the model. nil options are the default.
func NewRewriter(m llm.Model, o *RewriterOptions) *Rewriter {
	r := &Rewriter{model: m}
	if o != nil {
		r.opts = *o
	}
	return r
}

// rewritten is the form of a reply with words to search for.
var rewritten = schemaOf("search", `{"type":"object","additionalProperties":false,
"required":["query"],"properties":{"query":{"type":"string"}}}`)

// longestQuery bounds the words of a search, in runes.
const longestQuery = 200

type rewriteReply struct {
	Query words `json:"query"`
}

// Rewrite implements [assay.Rewriter]. Words that were tried already, in whatever
// order, are no words.
func (r *Rewriter) Rewrite(ctx context.Context, q assay.Query, tried []assay.SearchRound) (string, error) {
	if r.opts.First != nil {
		if found, err := r.opts.First.Rewrite(ctx, q, tried); err == nil && found != "" {
			return found, nil
		}
	}
	found := ""
	err := ask(ctx, r.model, rewritePrompt(q.Question, tried), func(reply rewriteReply) error {
		found = strings.Join(strings.Fields(string(reply.Query)), " ")
		if utf8.RuneCountInString(found) > longestQuery {
			return fmt.Errorf("query has more than %d letters: give a few words", longestQuery)
		}
		return nil
	})
	switch {
	case err != nil && r.opts.Else != nil:
		return r.opts.Else.Rewrite(ctx, q, tried)
	case err != nil:
		return "", wrapped("rewrite", err)
	}
	for _, t := range append([]assay.SearchRound{{Words: q.Question}}, tried...) {
		if sameWords(t.Words, found) {
			return "", nil
		}
	}
	return found, nil
}

// WorstCase implements [assay.Estimator].
func (r *Rewriter) WorstCase(_ string, of assay.Load) assay.Cost {
	return repairedCost(rewritePrompt("", nil), of.Question+triedTokens)
}

// triedTokens is about what the searches before take in a prompt.
const triedTokens = 200

func rewritePrompt(question string, tried []assay.SearchRound) prompt {
	data := struct {
		Mark     fence
		Searches []string
		Question string
	}{Question: indented(question)}
	for i, t := range tried {
		data.Searches = append(data.Searches, searchLine(i+1, t))
	}
	data.Mark = newFence(append(data.Searches, data.Question)...)
	return prompt{system: render("rewrite.system", nil), user: render("rewrite.user", data), schema: rewritten, maxTokens: 100}
}

// searchLine is a search and what came of it, on one line.
func searchLine(n int, s assay.SearchRound) string {
	line := fmt.Sprintf("%d | %s", n, onALine(s.Words))
	if s.Origin != assay.OriginIndex && s.Origin != "" {
		line += " | in " + string(s.Origin)
	}
	switch {
	case s.Failed != "":
		return line + " | could not be made"
	case s.Found == 0:
		return line + " | found nothing"
	}
	line += fmt.Sprintf(" | found %d passages", s.Found)
	if s.Verdict != "" {
		line += fmt.Sprintf(", the best graded %.2f of 1: %s", s.Best, s.Verdict)
	}
	if s.Missing != "" {
		line += " | missing: " + onALine(s.Missing)
	}
	return line
}

// sameWords tells whether two texts have the same words, in whatever order.
func sameWords(a, b string) bool {
	return slices.Equal(sortedWords(a), sortedWords(b))
}

func sortedWords(s string) []string {
	s = text.Fold(s)
	var out []string
	for _, w := range text.Words(s) {
		out = append(out, w.Of(s))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
