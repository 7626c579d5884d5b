package openai

import (
	"cmp"
	"errors"
	"net/http"
	"regexp"

	"github.com/assay-rag/assay/llm"
)

// dialect is what a server has turned out not to take of what the protocol has.
type dialect struct {
	schema           schemaForm
	completionTokens bool // max_completion_tokens instead of max_tokens
	otherTokens      bool // the other of the two than at first
	noTemperature    bool
	noUsage          bool // no stream_options, without which few servers count
	noLogProbs       bool
	noStop           bool
	noSystem         bool // no system messages
}

// schemaForm is how a schema is sent: each form tells a server less than the one
// before.
type schemaForm int

const (
	wholeSchema schemaForm = iota
	anyJSON
	noSchema
)

func (f schemaForm) format(s *llm.Schema) *format {
	switch {
	case s == nil || f == noSchema:
		return nil
	case f == anyJSON:
		return &format{Type: "json_object"}
	}
	return &format{Type: "json_schema", Schema: &jsonSchema{Name: cmp.Or(s.Name, "reply"), Strict: true, Schema: s.JSON}}
}

// refusable is something in a request that servers are known to refuse: the words
// by which they name it, whether it was sent, and what is done about it.
type refusable struct {
	named   *regexp.Regexp
	sent    func(dialect, llm.Request) bool
	without func(*dialect)
}

var refusables = []refusable{
	{
		regexp.MustCompile(`max_tokens|max_completion_tokens`),
		func(d dialect, r llm.Request) bool { return r.Prompt == "" && !d.otherTokens },
		func(d *dialect) { d.completionTokens, d.otherTokens = !d.completionTokens, true },
	}, {
		regexp.MustCompile(`stream_options|include_usage`),
		func(d dialect, r llm.Request) bool { return r.Stream && !d.noUsage },
		func(d *dialect) { d.noUsage = true },
	}, {
		regexp.MustCompile(`(?i)log_?probs|log.prob`),
		func(d dialect, r llm.Request) bool { return r.LogProbs > 0 && !d.noLogProbs },
		func(d *dialect) { d.noLogProbs = true },
	},
	schemas,
	{
		regexp.MustCompile(`(?i)temperature`),
		func(d dialect, r llm.Request) bool { return !d.noTemperature },
		func(d *dialect) { d.noTemperature = true },
	}, {
		regexp.MustCompile(`(?i)system (?:role|message|prompt)|role.{0,20}system|roles must alternate`),
		func(d dialect, r llm.Request) bool { return hasSystem(r) && !d.noSystem },
		func(d *dialect) { d.noSystem = true },
	}, {
		regexp.MustCompile(`\bstop\b`),
		func(d dialect, r llm.Request) bool { return len(r.Stop) > 0 && !d.noStop },
		func(d *dialect) { d.noStop = true },
	},
}

// schemas are refused in two steps.
var schemas = refusable{
	regexp.MustCompile(`(?i)response_?format|json_?object|schema|grammar|guided|structured.output`),
	func(d dialect, r llm.Request) bool { return r.Schema != nil && d.schema < noSchema },
	func(d *dialect) { d.schema++ },
}

func hasSystem(r llm.Request) bool { return len(r.Messages) > 0 && r.Messages[0].Role == llm.System }

// without is the dialect that avoids what the error names. Each step is taken but
// once in the life of a dialect, so that they come to an end. sure is false for a
// server that breaks down over a request with a schema: that may be why or not, and
// isn't to be remembered.
func (d dialect) without(err error, r llm.Request) (next dialect, sure, ok bool) {
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.BadRequest && e.Status != http.StatusInternalServerError {
		return d, false, false
	}
	for _, f := range refusables {
		if f.named.MatchString(e.Message) && f.sent(d, r) {
			f.without(&d)
			return d, true, true
		}
	}
	if e.Status == http.StatusInternalServerError && schemas.sent(d, r) {
		d.schema = noSchema
		return d, false, true
	}
	return d, false, false
}

// And is what either has learnt.
func (d dialect) And(o dialect) dialect {
	if o.otherTokens {
		d.completionTokens, d.otherTokens = o.completionTokens, true
	}
	d.schema = max(d.schema, o.schema)
	d.noTemperature = d.noTemperature || o.noTemperature
	d.noUsage = d.noUsage || o.noUsage
	d.noLogProbs = d.noLogProbs || o.noLogProbs
	d.noStop = d.noStop || o.noStop
	d.noSystem = d.noSystem || o.noSystem
	return d
}
