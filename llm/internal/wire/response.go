package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/internal/plain"
)

// MaxReply bounds what is read of a response, in bytes.
const MaxReply = 16 << 20

// maxRaw bounds what an error keeps of a reply, in bytes.
const maxRaw = 64 << 10

// Response is a response that began well. Its body is read from it: at most
// MaxReply bytes, and never waiting for longer than the client's timeout.
type Response struct {
	client *Client
	to     *url.URL
	status int
	header http.Header
	body   io.ReadCloser

	caller context.Context // the caller's
	ctx    context.Context // of the request: it ends with silence too
	cancel context.CancelCauseFunc
	clock  *time.Timer
	left   int64
}

var errTooMuch = fmt.Errorf("more than %d MiB came", MaxReply>>20)

// Read reads from the body. The clock runs only while it waits.
func (r *Response) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, errTooMuch
	}
	if int64(len(p)) > r.left {
		p = p[:r.left]
	}
	r.clock.Reset(r.client.timeout)
	n, err := r.body.Read(p)
	r.clock.Stop()
	r.left -= int64(n)
	return n, err
}

// Close ends the call, whether all was read or not.
func (r *Response) Close() error {
	return r.closed(nil)
}

// closed closes what is open and returns err.
func (r *Response) closed(err error) error {
	r.clock.Stop()
	if r.body != nil {
		r.body.Close()
	}
	r.cancel(nil)
	return err
}

// lastWait is how long Finish waits for what a server still has to say.
const lastWait = 100 * time.Millisecond

// Finish reads what is left after a reply has come to its end, so that the
// connection can be used again. A server that doesn't end it isn't waited for.
func (r *Response) Finish() {
	r.clock.Reset(lastWait)
	_, _ = io.CopyN(io.Discard, r.body, 4<<10)
	r.clock.Stop()
}

// Error makes an error of a call. Its texts are scrubbed and bounded.
func (r *Response) Error(kind llm.Kind, message, raw string) *llm.Error {
	e := r.client.Error(r.to, kind, message)
	e.Status = r.status
	e.Raw = plain.Cut(r.client.secrets.scrub(plain.Cut(raw, 2*maxRaw)), maxRaw) // no secret is cut in two
	return e
}

// Failed makes the error of a connection that failed with err; raw is what came
// before. It is the cause of the caller's context where that has ended.
func (r *Response) Failed(err error, raw string) error {
	var e *llm.Error
	if r.caller.Err() != nil {
		cause := context.Cause(r.caller)
		if errors.As(cause, &e) { // it says what it was, but not where
			here := *e
			here.Endpoint, here.Model = Shown(r.to), r.client.model
			return &here
		}
		return cause
	}
	var slow interface{ Timeout() bool }
	switch {
	case context.Cause(r.ctx) == errSilent:
		e = r.Error(llm.TimedOut, fmt.Sprintf("not a byte for %s", r.client.timeout), raw)
	case errors.Is(err, errTooMuch):
		return r.Error(llm.Malformed, "its reply has no end: "+errTooMuch.Error(), raw)
	case errors.As(err, &slow) && slow.Timeout() && !dialing(err):
		e = r.Error(llm.TimedOut, "it took too long", raw)
	case r.body != nil && errors.Is(err, io.ErrUnexpectedEOF):
		e = r.BrokeOff(raw)
	case r.body != nil:
		e = r.Error(llm.Unreachable, "the reply broke off: "+plain.Words(err), raw)
	default:
		e = r.Error(llm.Unreachable, plain.Words(err), raw)
	}
	e.Err = r.client.secrets.scrubError(bare(err))
	return e
}

// BrokeOff makes the error of a reply that ended before its end; raw is what came.
func (r *Response) BrokeOff(raw string) *llm.Error {
	return r.Error(llm.Unreachable, "the reply broke off before its end", raw)
}

// NoAPI makes the error of a success that holds neither JSON nor events: as a
// rule, there is something else at the address.
func NoAPI(r *Response, body io.Reader) error {
	content, err := io.ReadAll(io.LimitReader(body, maxRaw))
	switch {
	case err != nil:
		return r.Failed(err, string(content))
	case len(content) == 0:
		return r.Error(llm.Malformed, "the address seems wrong, nothing came from it", "")
	case isPage(string(content)):
		return r.Error(llm.Malformed, "the address seems wrong, a page came from it and no JSON: "+FirstWords(string(content)), string(content))
	}
	return r.Error(llm.Malformed, "what came is no JSON: "+FirstWords(string(content)), string(content))
}

// dialing tells whether no connection came about.
func dialing(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// bare is an error without the address in front, which may hold a key.
func bare(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
