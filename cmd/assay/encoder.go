package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/encoder"
	"github.com/assay-rag/assay/encoder/minilm"
	"github.com/assay-rag/assay/index"
	"github.com/assay-rag/assay/llm"
)

// kernelsVariable names the environment variable that chooses the encoder's kernels,
// for tests.
const kernelsVariable = "ASSAY_KERNELS"

// The encoders that have a name. Any other is a folder.
const (
	encoderBuiltin = "builtin"
	encoderOff     = "off"
)

// encoding are the flags that say what looks for meanings.
type encoding struct {
	Encoder    string `type:"given" placeholder:"MODEL" complete:"encoder" help:"What finds meanings besides words: builtin, off (words alone), or a folder with a BERT model (else $$ASSAY_ENCODER, else builtin)."`
	EmbedModel string `type:"given" placeholder:"NAME" help:"Find meanings with this model of an API instead (else $$ASSAY_EMBED_MODEL)."`
	BaseURL    string `name:"base-url" type:"given" placeholder:"URL" help:"Address of the API of language models, e.g. http://localhost:8080/v1 (else $$ASSAY_BASE_URL)."`
}

// given are the settings that the flags give.
func (m encoding) given() map[string]string {
	return map[string]string{"encoder": m.Encoder, "embed_model": m.EmbedModel, "base_url": m.BaseURL}
}

// sense is how an index is searched: by words, and with an encoder by meaning too.
type sense struct {
	embedder index.Embedder // nil: by words alone
	flags    string         // how it was named on the command line
	slow     bool           // the processor has no instructions for it
	short    string         // why it is by words alone, where nobody asked for that
}

// noInstructions is why meanings can't be looked for.
const noInstructions = "this processor has no vector instructions that the encoder can use"

// sense loads the encoder that the settings mean for an index: a model of an API, a
// folder, or the built-in one.
func (e env) sense(ctx context.Context, c *config, s source) (sense, error) {
	if c.get("embed_model") != "" {
		return e.remoteSense(ctx, c, s)
	}
	name, flags := c.get("encoder"), c.flag("encoder")
	kernels := e.getenv(kernelsVariable)
	slow := !encoder.Fast() || kernels == "go"
	if kernels != "" && !slices.Contains(encoder.Kernels(), kernels) {
		return sense{}, misusef("choose one of: "+strings.Join(encoder.Kernels(), ", "), "%s: this processor has no kernels %q", kernelsVariable, kernels)
	}
	options := &encoder.Options{Kernels: kernels}
	switch {
	case name == encoderOff:
		return sense{}, nil
	case name == "" && slow:
		e.errScreen().line(plain("Words are compared, meanings aren't: " + noInstructions + ". It works slowly with --encoder " + encoderBuiltin))
		return sense{short: noInstructions + ", so all were looked for by their words alone"}, nil
	case name == "", name == encoderBuiltin:
		model, err := encoder.Load(minilm.Source(), options)
		return sense{embedder: model, flags: flags, slow: slow}, err
	}
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return sense{}, failf("name a folder with a model, or one of: "+encoderBuiltin+", "+encoderOff, "--encoder: there is no folder %s", name)
	}
	model, err := encoder.Load(encoder.Dir(name), options)
	if err != nil {
		return sense{}, failf("name a folder with config.json, tokenizer.json and model.safetensors of a BERT model, or one of: "+encoderBuiltin+", "+encoderOff, "--encoder: %w", err)
	}
	return sense{embedder: model, flags: flags, slow: slow}, nil
}

// senseFor is the one with which an index is asked. Where a model of an API would be it
// and can't be asked, words are compared, and whoever waits for an answer is told.
func (e env) senseFor(ctx context.Context, c *config, s source) (sense, error) {
	how, err := e.sense(ctx, c, s)
	down, ok := errors.AsType[*llm.Error](err)
	if !ok || ctx.Err() != nil {
		return how, err
	}
	why := message(down)
	e.errScreen().line(plain("Words are compared, meanings aren't: " + cleanLine(why)))
	return sense{short: "the model that finds meanings could not be asked (" + why + "), so all were looked for by their words alone"}, nil
}

// senseOf is the one that the flags of a command mean.
func (e env) senseOf(ctx context.Context, m encoding, s source) (sense, error) {
	c, err := e.configure(m.given())
	if err != nil {
		return sense{}, err
	}
	return e.sense(ctx, c, s)
}

// over is the index as the engine asks it: where it is searched by words alone
// and nobody asked for that, each search says so.
func (s sense) over(x *index.Index) assay.Retriever {
	if s.short == "" {
		return x
	}
	return wordsAlone{x, s.short}
}

// wordsAlone is an index whose searches fall short.
type wordsAlone struct {
	*index.Index
	short string
}

// Retrieve searches, and says what it lacks.
func (w wordsAlone) Retrieve(ctx context.Context, s assay.Search) (assay.Found, error) {
	found, err := w.Index.Retrieve(ctx, s)
	found.Short = w.short
	return found, err
}
