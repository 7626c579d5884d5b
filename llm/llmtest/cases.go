package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/assay-rag/assay/llm"
)

// mustBe are the recordings that each provider has, and what comes of them.
var mustBe = map[string]func(Outcome) error{
	"plain":    all(finish(llm.FinishStop), says, counted),
	"streamed": all(streams, finish(llm.FinishStop), says, counted),
	"schema":   all(asks(func(r llm.Request) bool { return r.Schema != nil }), isJSON),
	"stop":     all(asks(func(r llm.Request) bool { return len(r.Stop) > 0 }), finish(llm.FinishStop), says, stops),
	"length":   all(asks(func(r llm.Request) bool { return r.MaxTokens > 0 }), finish(llm.FinishLength)),
	"refused":  finish(llm.FinishRefused),
	"parts":    says,
	"no-usage": all(says, func(o Outcome) error {
		return when(!o.Reply.Tokens.Estimated, "the tokens aren't marked as an estimate")
	}),

	"key-said":             all(says, hides),
	"key-said-streamed":    all(streams, hides),
	"wrong-key":            fails(llm.Unauthorised, ""),
	"wrong-url":            fails(llm.Malformed, "the address seems wrong"),
	"html":                 fails(llm.Malformed, "Welcome to nginx"),
	"redirected":           all(fails(llm.Malformed, "redirects to https://elsewhere.example/"), once),
	"nothing":              fails(llm.Malformed, ""),
	"cut":                  all(streams, fails(llm.Unreachable, "broke off"), whatCame),
	"cut-body":             fails(llm.Unreachable, "broke off"),
	"hang":                 fails(llm.TimedOut, "not a byte"),
	"hang-stream":          all(streams, fails(llm.TimedOut, "not a byte"), whatCame),
	"rate-limited":         all(fails(llm.RateLimited, "asks to wait"), once),
	"rate-limited-no-wait": all(fails(llm.RateLimited, ""), noWait, once),
	"overloaded":           all(fails(llm.Overloaded, ""), once),
	"stream-error":         all(streams, fails(llm.Overloaded, "")),
	"no-model":             fails(llm.NoModel, ""),
	"no-credit":            fails(llm.OutOfCredit, ""),
	"too-long":             fails(llm.TooLong, ""),
	"bad-request":          fails(llm.BadRequest, ""),
}

func all(checks ...func(Outcome) error) func(Outcome) error {
	return func(o Outcome) error {
		for _, c := range checks {
			if err := c(o); err != nil {
				return err
			}
		}
		return nil
	}
}

func when(bad bool, format string, args ...any) error {
	if bad {
		return fmt.Errorf(format, args...)
	}
	return nil
}

func fails(kind llm.Kind, words string) func(Outcome) error {
	return func(o Outcome) error {
		if llm.KindOf(o.Err) != kind || !strings.Contains(o.Err.Error(), words) {
			return fmt.Errorf("it must fail as %q with the words %q", kind, words)
		}
		return nil
	}
}

func finish(f llm.Finish) func(Outcome) error {
	return func(o Outcome) error {
		return when(o.Reply == nil || o.Reply.Finish != f, "it must end as %q", f)
	}
}

func asks(it func(llm.Request) bool) func(Outcome) error {
	return func(o Outcome) error { return when(!it(o.Ask), "the recording asks for something else") }
}

func streams(o Outcome) error {
	return when(!o.Ask.Stream || len(o.Pieces) < 2, "it must come in pieces")
}

func says(o Outcome) error {
	return when(o.Reply == nil || o.Reply.Text == "", "it must say something")
}

func counted(o Outcome) error {
	t := o.Reply.Tokens
	return when(t.Estimated || t.In == 0 || t.Out == 0, "the server's count of tokens is lost")
}

func isJSON(o Outcome) error {
	return when(o.Reply == nil || !json.Valid([]byte(o.Reply.Text)), "the reply must be JSON")
}

func stops(o Outcome) error {
	for _, s := range o.Ask.Stop {
		if strings.Contains(o.Reply.Text, s) {
			return fmt.Errorf("it goes past %q", s)
		}
	}
	return nil
}

// hides wants a key to be hidden; that it isn't shown, Sound sees to.
func hides(o Outcome) error {
	return when(o.Reply == nil || !strings.Contains(o.Reply.Text, "[key]"), "nothing is in the key's place")
}

func whatCame(o Outcome) error {
	var e *llm.Error
	return when(!errors.As(o.Err, &e) || e.Raw == "" || e.Raw != o.Text(), "what came must be in Raw")
}

func noWait(o Outcome) error {
	var e *llm.Error
	return when(!errors.As(o.Err, &e) || e.Wait != 0, "nobody said how long to wait")
}

func once(o Outcome) error {
	return when(o.Asked != 1, "the server is asked %d times, not once", o.Asked)
}
