package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/internal/plain"
)

// refusal makes the error of a response that isn't a success.
func (r *Response) refusal() error {
	body, err := io.ReadAll(io.LimitReader(r, maxRaw))
	if err != nil && r.caller.Err() != nil {
		return r.Failed(err, "")
	}
	return r.Fault(body)
}

// Fault makes the error of a body that tells of one, whatever the status.
func (r *Response) Fault(body []byte) *llm.Error {
	said := hear(body)
	kind := kindOf(r.status, said)
	e := r.Error(kind, plain.Cut(cmp.Or(said.message, FirstWords(string(body)), http.StatusText(r.status)), maxMessage), string(body))
	if kind == llm.Malformed {
		e.Message = r.client.secrets.scrub(r.wrongAddress(e.Message))
	}
	if kind == llm.RateLimited || kind == llm.Overloaded {
		e.Wait = max(said.wait, Wait(r.header))
	}
	return e
}

// wrongAddress says that there is no API where one was looked for.
func (r *Response) wrongAddress(said string) string {
	if to, err := url.Parse(r.header.Get("Location")); err == nil && r.status/100 == 3 {
		return fmt.Sprintf("the address seems wrong: it redirects to %s, which is not followed; give the address of the API itself", Shown(to))
	}
	return fmt.Sprintf("the address seems wrong, there is no such API: %s", said)
}

// said is what a server says of a failure.
type said struct {
	message string
	codes   string // its types and codes, in small letters, a space between
	status  int    // where the body names one
	wait    time.Duration
}

// hear reads what the body of an error says. Each server has a form of its own,
// nested in its own way: OpenAI's {"error": {"message", "type", "code"}}, a plain
// {"error": "…"}, {"detail": [{"loc", "msg"}]}, an array around it all.
func hear(body []byte) (s said) {
	var v any
	if json.Unmarshal(body, &v) != nil {
		return s
	}
	s.take(v, 0)
	return s
}

// Where the words, the codes and what lies deeper may stand, in this order.
var (
	wordFields = []string{"error", "errors", "choices", "detail", "message", "msg", "error_description", "raw", "metadata", "innererror", "details"}
	codeFields = []string{"type", "code", "status"}
)

func (s *said) take(v any, depth int) {
	if depth > 6 {
		return
	}
	switch v := v.(type) {
	case string:
		s.say(v, depth)
	case []any:
		for _, x := range v[:min(len(v), 4)] {
			s.take(x, depth+1)
		}
	case map[string]any:
		for _, f := range codeFields {
			switch code := v[f].(type) {
			case string:
				s.codes += strings.ToLower(code) + " "
			case float64:
				s.status = int(code)
			}
		}
		if loc, ok := v["loc"].([]any); ok {
			s.say(strings.Trim(fmt.Sprint(loc), "[]"), depth)
		}
		if delay, ok := v["retryDelay"].(string); ok {
			s.wait = span(delay, time.Now())
		}
		for _, f := range wordFields {
			s.take(v[f], depth+1)
		}
		if param, ok := v["param"].(string); ok {
			s.say(param, depth)
		}
	}
}

// say adds words, unless they are JSON again or there already.
func (s *said) say(words string, depth int) {
	if inner := []byte(strings.TrimSpace(words)); bytes.HasPrefix(inner, []byte("{")) && json.Valid(inner) {
		var v any
		if json.Unmarshal(inner, &v) == nil {
			s.take(v, depth+1)
		}
		return
	}
	words = FirstWords(words)
	switch {
	case words == "" || strings.Contains(s.message, words):
	case s.message == "":
		s.message = words
	default:
		s.message += ": " + words
	}
}

// What servers say, in their own words. Codes stand before the words, so that one
// expression finds either.
var (
	sayTooLong = regexp.MustCompile(`(?i)context_length|exceed_context_size|maximum context length|max(?:imum)? context|context (?:length|size|window|limit)|prompt (?:is )?too long|` +
		`input (?:is )?too long|too many (?:input )?tokens|too large to process|reduce the length|request_too_large|request too large|exceeds? the (?:maximum|max) number of tokens|must have less than \d+ tokens|max_new_tokens. must be`)
	sayNoCredit = regexp.MustCompile(`(?i)insufficient_quota|insufficient_balance|billing_|insufficient (?:credit|balance|fund|quota)|credit balance is too low|out of credit`)
	sayRefused  = regexp.MustCompile(`(?i)content_filter|content_policy|responsibleai|content management policy|flagged|moderation`)
	sayNoModel  = regexp.MustCompile(`(?i)model_?not_?found|model_not_exist|deploymentnotfound|invalid_model|invalid model\b|model ["'` + "`" + `]?\S+ (?:was |is )?(?:not found|does not exist|doesn't exist)|not a valid model|no such model|unknown model|no models? (?:is |are )?loaded`)
	sayBadKey   = regexp.MustCompile(`(?i)authentication_error|permission_error|invalid_api_key|api.?key not valid|(?:invalid|incorrect|missing) api.?key`)
	sayNoPath   = regexp.MustCompile(`(?i)unexpected endpoint|invalid url|unknown (?:endpoint|path|request url|url)|no route`)
	sayBusy     = regexp.MustCompile(`(?i)overloaded|server_error|api_error|unavailable|internal`)
	sayLimited  = regexp.MustCompile(`(?i)rate_limit|rate limit|resource_exhausted|too many requests`)
	sayBad      = regexp.MustCompile(`(?i)invalid_request|invalid_argument|badrequest|bad_request`)
	// ofModel finds the word apart from paths such as /v1/models.
	ofModel = regexp.MustCompile(`(?i)(?:^|[^/\w])(?:models?|deployment)\b`)
)

// kindOf says what a failure means. The status decides where it says enough, and
// else the words.
func kindOf(status int, s said) llm.Kind {
	if status/100 == 2 && s.status >= 400 {
		status = s.status // told in the body of a success
	}
	words := s.codes + s.message
	switch status {
	case http.StatusPaymentRequired:
		return llm.OutOfCredit
	case http.StatusUnauthorized, http.StatusForbidden:
		switch {
		case sayNoCredit.MatchString(words):
			return llm.OutOfCredit
		case sayRefused.MatchString(words):
			return llm.Refused
		}
		return llm.Unauthorised
	case http.StatusTooManyRequests:
		if sayNoCredit.MatchString(words) {
			return llm.OutOfCredit
		}
		return llm.RateLimited
	case http.StatusRequestTimeout:
		return llm.TimedOut
	case http.StatusRequestEntityTooLarge:
		return llm.TooLong
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, 529:
		return llm.Overloaded
	}
	return byWords(status, words)
}

func byWords(status int, words string) llm.Kind {
	switch {
	case sayNoPath.MatchString(words):
		return llm.Malformed
	case sayTooLong.MatchString(words):
		return llm.TooLong
	case sayNoCredit.MatchString(words):
		return llm.OutOfCredit
	case sayRefused.MatchString(words):
		return llm.Refused
	case sayNoModel.MatchString(words), status == http.StatusNotFound && ofModel.MatchString(words):
		return llm.NoModel
	case sayBadKey.MatchString(words):
		return llm.Unauthorised
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed, status/100 == 3:
		return llm.Malformed
	case status/100 == 4, status == http.StatusNotImplemented:
		return llm.BadRequest
	case status/100 == 5, sayBusy.MatchString(words):
		return llm.Overloaded
	case sayLimited.MatchString(words):
		return llm.RateLimited
	case sayBad.MatchString(words):
		return llm.BadRequest
	}
	return llm.Overloaded
}
