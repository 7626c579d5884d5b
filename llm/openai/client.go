package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"time"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/internal/plain"
	"github.com/assay-rag/assay/llm/internal/wire"
)

// Options say where a server is and how it is asked. The zero value asks OpenAI.
type Options struct {
	// BaseURL is where the API is, such as https://api.mistral.ai/v1 or
	// localhost:11434; "" is OpenAI's. It may be written with or without /v1, and
	// copied with the path of a call, in which case nothing is added to it. Keys in
	// its query aren't sent.
	BaseURL string
	// Key is sent as a bearer token, or as Azure wants it. "" sends none.
	Key string
	// AzureVersion, such as 2024-10-21, asks an Azure resource by its dated API:
	// BaseURL is then that of the resource, and the model is a deployment of it. An
	// address copied from there, deployment and all, needs no AzureVersion, and
	// neither does Azure's API without dates.
	AzureVersion string
	// Header is sent with each request.
	Header http.Header
	// Extra are fields that each request has besides ours, such as
	// "reasoning_effort" or "chat_template_kwargs".
	Extra map[string]any
	// HTTP makes the requests; nil is a client of its own. Redirects are followed
	// only within the same host, whatever it says of them.
	HTTP *http.Client
	// Timeout is how long the server may be silent, at first or in the middle of a
	// reply; 0 is 2 minutes.
	Timeout time.Duration
}

// Client is a model behind OpenAI's protocol. It may be used concurrently.
type Client struct {
	server
	terms *wire.Terms[dialect]
}

// server is what a client and an embedder know of the server.
type server struct {
	wire  *wire.Client
	at    address
	model string
	extra map[string]any
}

var _ llm.Model = (*Client)(nil)

// New returns a client for a model, which may be "" where the server has but one.
// Nothing is asked yet. The error says which option can't be.
func New(model string, o *Options) (*Client, error) {
	s, err := newServer(model, o)
	if err != nil {
		return nil, fmt.Errorf("openai new: %w", err)
	}
	// All servers take max_tokens but OpenAI, where newer models refuse it.
	return &Client{s, wire.NewTerms(dialect{completionTokens: s.at.base.Host == "api.openai.com"})}, nil
}

func newServer(model string, o *Options) (server, error) {
	if o == nil {
		o = &Options{}
	}
	at, err := newAddress(o.BaseURL, o.AzureVersion, model)
	if err != nil {
		return server{}, err
	}
	key, err := wire.ParseKey(o.Key)
	if err != nil {
		return server{}, err
	}
	header := http.Header{}
	switch {
	case key == "":
	case at.azure:
		header.Set("Api-Key", key)
	default:
		header.Set("Authorization", "Bearer "+key)
	}
	for name, values := range o.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	secrets := []string{key}
	if password, ok := at.base.User.Password(); ok {
		secrets = append(secrets, password, at.base.User.String())
	}
	return server{
		wire:  wire.New(wire.Options{HTTP: o.HTTP, Header: header, Timeout: o.Timeout, Model: model, Secrets: secrets}),
		at:    at,
		model: model,
		extra: o.Extra,
	}, nil
}

// Endpoint is the address of the API, without what may not be shown.
func (s *server) Endpoint() string { return wire.Shown(&s.at.base) }

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

// send makes the request in a form that the server takes.
func (c *Client) send(ctx context.Context, r llm.Request) (*wire.Response, error) {
	to := c.at.to("/chat/completions")
	if r.Prompt != "" {
		to = c.at.to("/completions")
	}
	if wrong := wire.Unasked(r); wrong != "" {
		return nil, c.wire.Error(to, llm.BadRequest, wrong)
	}
	return c.terms.Agree(ctx,
		func(d dialect) (*wire.Response, error) { return c.post(ctx, to, d.body(c.model, r)) },
		func(d dialect, err error) (dialect, bool, bool) { return d.without(err, r) },
	)
}

// post sends a body with the extra fields.
func (s *server) post(ctx context.Context, to *url.URL, body any) (*wire.Response, error) {
	if len(s.extra) > 0 {
		fields := map[string]any{}
		content, err := json.Marshal(body)
		if err == nil {
			err = json.Unmarshal(content, &fields)
		}
		if err != nil {
			return nil, s.wire.Error(to, llm.BadRequest, "the request can't be put as JSON: "+plain.Words(err))
		}
		for name, v := range s.extra {
			fields[name] = v
		}
		body = fields
	}
	return s.wire.Send(ctx, http.MethodPost, to, body)
}

// Models lists the names of the models that the server has, in order.
func (s *server) Models(ctx context.Context) ([]string, error) {
	resp, err := s.wire.Send(ctx, http.MethodGet, s.at.models(), nil)
	if err != nil {
		return nil, err
	}
	defer resp.Close()
	return wire.Models(resp)
}
