package anthropic

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/internal/wire"
)

// Options say where the API is and how it is asked.
type Options struct {
	// BaseURL is where the API is; "" is https://api.anthropic.com. It may be written
	// with or without /v1, and with the path of a call.
	BaseURL string
	// Key is sent as x-api-key. "" sends none.
	Key string
	// Header is sent with each request, and may overrule what would be sent.
	Header http.Header
	// HTTP makes the requests; nil is a client of its own. Redirects are followed
	// only within the same host, whatever it says of them.
	HTTP *http.Client
	// Timeout is how long the server may be silent, at first or in the middle of a
	// reply; 0 is 2 minutes.
	Timeout time.Duration
}

// Client is a model behind Anthropic's API. It may be used concurrently.
type Client struct {
	wire  *wire.Client
	base  *url.URL
	model string
	terms *wire.Terms[dialect]
}

var _ llm.Model = (*Client)(nil)

const (
	standard = "https://api.anthropic.com"
	// version is that of the API, which is told in a header.
	version = "2023-06-01"
)

// New returns a client for a model. Nothing is asked yet. The error says which
// option can't be.
func New(model string, o *Options) (*Client, error) {
	if o == nil {
		o = &Options{}
	}
	base, err := wire.ParseAddress(cmp.Or(strings.TrimSpace(o.BaseURL), standard))
	if err != nil {
		return nil, fmt.Errorf("anthropic new: %w", err)
	}
	key, err := wire.ParseKey(o.Key)
	if err != nil {
		return nil, fmt.Errorf("anthropic new: %w", err)
	}
	for _, call := range []string{"/messages", "/models", "/v1"} {
		base.Path = strings.TrimSuffix(base.Path, call)
	}
	base.RawQuery, base.Fragment = "", ""
	header := http.Header{"Anthropic-Version": {version}}
	if key != "" {
		header.Set("X-Api-Key", key)
	}
	for name, values := range o.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	secrets := []string{key}
	if password, ok := base.User.Password(); ok {
		secrets = append(secrets, password, base.User.String())
	}
	return &Client{
		wire:  wire.New(wire.Options{HTTP: o.HTTP, Header: header, Timeout: o.Timeout, Model: model, Secrets: secrets}),
		base:  base,
		model: model,
		terms: wire.NewTerms(dialect{}),
	}, nil
}

// Endpoint is the address of the API, without what may not be shown.
func (c *Client) Endpoint() string { return wire.Shown(c.base) }

// Generate asks the model. See llm.Model.
func (c *Client) Generate(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		c.wire.Generate(r, yield, func(t *wire.Talk) (llm.Reply, error) {
			resp, err := c.send(ctx, r)
			if err != nil {
				return llm.Reply{}, err
			}
			defer resp.Close()
			return read(resp, t)
		})
	}
}

// send makes the request in a form that the model takes.
func (c *Client) send(ctx context.Context, r llm.Request) (*wire.Response, error) {
	to := c.base.JoinPath("v1/messages")
	switch wrong := wire.Unasked(r); {
	case wrong != "":
		return nil, c.wire.Error(to, llm.BadRequest, wrong)
	case r.Prompt != "":
		return nil, c.wire.Error(to, llm.BadRequest, "this API continues no plain prompt: ask by messages")
	case r.LogProbs > 0:
		return nil, c.wire.Error(to, llm.BadRequest, "this API gives no log-probabilities")
	}
	return c.terms.Agree(ctx,
		func(d dialect) (*wire.Response, error) {
			return c.wire.Send(ctx, http.MethodPost, to, d.body(c.model, r))
		},
		func(d dialect, err error) (dialect, bool, bool) { return d.without(err, r) },
	)
}

// Models lists the names of the models that the key may use, in order.
func (c *Client) Models(ctx context.Context) ([]string, error) {
	to := c.base.JoinPath("v1/models")
	to.RawQuery = "limit=1000"
	resp, err := c.wire.Send(ctx, http.MethodGet, to, nil)
	if err != nil {
		return nil, err
	}
	defer resp.Close()
	return wire.Models(resp)
}
