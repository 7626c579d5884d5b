package llm

import (
	"errors"
	"fmt"
	"time"

	"github.com/assay-rag/assay/llm/internal/plain"
)

// Kind says what went wrong with a call, in terms that a caller can act on.
type Kind string

// The kinds of error, each with what to do about it.
const (
	RateLimited  Kind = "rate limited"           // wait, see Error.Wait
	Overloaded   Kind = "overloaded"             // wait, or ask another model
	OutOfCredit  Kind = "out of credit"          // nothing helps but money
	NoModel      Kind = "no such model"          // name another
	Unauthorised Kind = "not authorised"         // see to the key
	TooLong      Kind = "context too long"       // send less
	Refused      Kind = "refused"                // the model or a filter won't
	Truncated    Kind = "truncated"              // it ended in the middle
	Malformed    Kind = "malformed reply"        // what came is not what was asked for
	BadRequest   Kind = "request not accepted"   // the server doesn't take something in it
	Unreachable  Kind = "unreachable"            // no connection, or it broke off
	TimedOut     Kind = "no reply in time"       // the time limit of the call
	Resting      Kind = "resting after failures" // the breaker is open: not asked at all
)

// Error is a call that failed. Its text says what happened, where, and what to do.
type Error struct {
	Kind     Kind
	Endpoint string // scheme, host and path; never a key
	Model    string // as it was asked for
	Status   int    // of HTTP; 0 where there was none
	// Wait is how long the server wants to be left alone; 0 where it doesn't say.
	Wait time.Duration
	// Message is what the server or we say of it, in plain words and without a key, at
	// most a few hundred bytes.
	Message string
	// Raw is the reply that could not be used, where there was one.
	Raw string
	Err error // the cause, or nil
}

// advice is what to do about an error of each kind.
var advice = map[Kind]string{
	RateLimited:  "ask less often, or raise the account's limit",
	Overloaded:   "try again later, or name a second model",
	OutOfCredit:  "see to the account's credit",
	NoModel:      "name a model that the endpoint has: assay doctor lists them",
	Unauthorised: "see to the key",
	TooLong:      "give the server a longer context, or send fewer or shorter passages",
	Malformed:    "see whether the address is that of an API; assay doctor tests it",
	BadRequest:   "assay doctor tests what the endpoint takes",
	Unreachable:  "see whether the address is right and the server runs; assay doctor tests it",
	TimedOut:     "allow it more time, or name a faster model",
}

// Error says what happened, where, and what to do.
func (e *Error) Error() string {
	s := string(e.Kind)
	if e.Model != "" {
		s = "model " + e.Model + ": " + s
	}
	if e.Endpoint != "" {
		s += " (" + e.Endpoint
		if e.Status != 0 {
			s += fmt.Sprintf(", HTTP %d", e.Status)
		}
		s += ")"
	}
	if e.Message != "" {
		s += ": " + e.Message
	} else if e.Err != nil {
		s += ": " + plain.Words(e.Err)
	}
	if e.Wait > 0 {
		s += fmt.Sprintf("; the server asks to wait %s", e.Wait.Round(time.Millisecond))
	}
	if do := advice[e.Kind]; do != "" && (e.Kind != Malformed || e.Status != 0) { // else the address isn't to blame
		s += "; " + do
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// at is e with the place that the error of a provider tells, which it then wraps.
func (e *Error) at(err error) *Error {
	here := *e
	var told *Error
	if errors.As(err, &told) {
		here.Endpoint, here.Model = told.Endpoint, told.Model
	}
	if err != e {
		here.Err = err
	}
	return &here
}

// KindOf returns the kind of an error of a call, or "" for any other error.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// again tells whether the same request is worth repeating soon. One that took all the
// time that a call may have is not.
func (k Kind) again() bool { return k.passing() && k != TimedOut }

// passing tells whether the same request may succeed later.
func (k Kind) passing() bool {
	return k == RateLimited || k == Overloaded || k == Unreachable || k == TimedOut
}

// elsewhere tells whether another model may do what this one didn't.
func (k Kind) elsewhere() bool {
	switch k {
	case Resting, OutOfCredit, NoModel, Unauthorised, BadRequest, TooLong, Malformed:
		return true
	}
	return k.passing()
}

// waitOf is how long the server wants to be left alone.
func waitOf(err error) time.Duration {
	var e *Error
	if errors.As(err, &e) {
		return e.Wait
	}
	return 0
}
