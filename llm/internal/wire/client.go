package wire

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/internal/plain"
)

// DefaultTimeout is how long a server may be silent where nobody says otherwise.
const DefaultTimeout = 2 * time.Minute

// Options are how a server is asked.
type Options struct {
	HTTP    *http.Client  // nil is one of its own
	Header  http.Header   // sent with each request
	Timeout time.Duration // the longest silence; 0 is DefaultTimeout
	Model   string        // for error messages
	Secrets []string      // never shown, besides what Header holds
}

// Client asks a server. It may be used concurrently.
type Client struct {
	http    *http.Client
	header  http.Header
	timeout time.Duration
	model   string
	secrets secrets
	unsaid  secrets
}

// New returns a client.
func New(o Options) *Client {
	c := &Client{http: &http.Client{Transport: transport()}, timeout: cmp.Or(o.Timeout, DefaultTimeout), model: o.Model}
	if o.HTTP != nil {
		own := *o.HTTP // whose redirects are ours to decide
		c.http = &own
	}
	c.http.CheckRedirect = sameServer
	c.header = http.Header{"User-Agent": {"assay"}}
	for name, values := range o.Header {
		c.header[http.CanonicalHeaderKey(name)] = values
	}
	c.secrets = newSecrets(o.Secrets, c.header)
	c.unsaid = c.secrets.unsaid()
	return c
}

// transport is the standard one with room for many calls in flight to one host.
func transport() http.RoundTripper {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	t = t.Clone()
	t.MaxIdleConnsPerHost = 64
	t.WriteBufferSize = 16 << 10 // most prompts go in one write
	return t
}

// sameServer follows a redirect only to the same scheme and host, by the same
// method. The prompt and the key go nowhere else.
func sameServer(req *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > 5 || req.URL.Scheme != first.URL.Scheme || req.URL.Host != first.URL.Host || req.Method != first.Method {
		return http.ErrUseLastResponse
	}
	return nil
}

// Send makes a request with body as JSON, or with none where body is nil. It
// returns the response as soon as one begins well, to be closed by the caller; the
// error is an *llm.Error, or the cause of ctx where that has ended.
func (c *Client) Send(ctx context.Context, method string, to *url.URL, body any) (*Response, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	r := &Response{client: c, caller: ctx, to: to, left: MaxReply}
	content, err := encode(body)
	if err != nil {
		return nil, r.Error(llm.BadRequest, "the request can't be put as JSON: "+plain.Words(err), "")
	}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	r.clock = time.AfterFunc(c.timeout, func() { r.cancel(errSilent) })
	req, err := http.NewRequestWithContext(r.ctx, method, to.String(), bytes.NewReader(content))
	if err != nil {
		return nil, r.closed(r.Error(llm.BadRequest, "the address can't be asked", ""))
	}
	req.Header = c.header.Clone()
	req.Header.Set("Accept", "application/json, text/event-stream")
	// A connection that was kept may be closed just when it is used again. net/http
	// then takes another where it knows that a request may be made twice, which this
	// says without being sent.
	req.Header["Idempotency-Key"] = []string{}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	r.clock.Stop()
	if err != nil {
		return nil, r.closed(r.Failed(err, ""))
	}
	r.status, r.header, r.body = resp.StatusCode, resp.Header, resp.Body
	if r.status/100 != 2 {
		return nil, r.closed(r.refusal())
	}
	return r, nil
}

// Error makes an error of a request to an address. Its message is scrubbed.
func (c *Client) Error(to *url.URL, kind llm.Kind, message string) *llm.Error {
	return &llm.Error{Kind: kind, Endpoint: Shown(to), Model: c.model, Message: c.secrets.scrub(message)}
}

// encode puts the body as JSON. Signs such as < stay as they are, for those who read
// a server's log.
func encode(body any) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(body)
	return b.Bytes(), err
}

// Shown is an address as it may be shown: scheme, host and path. Keys live in the
// rest.
func Shown(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// errSilent ends a call whose server was silent for too long.
var errSilent = errors.New("silent for too long")
