package main

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/encoder"
	"github.com/assay-rag/assay/encoder/minilm"
	"github.com/assay-rag/assay/index"
)

const (
	// encoderVariable names the environment variable for the encoder.
	encoderVariable = "ASSAY_ENCODER"
	// kernelsVariable names the one that chooses the encoder's kernels, for tests.
	kernelsVariable = "ASSAY_KERNELS"
)

// The encoders that have a name. Any other is a folder.
const (
	encoderBuiltin = "builtin"
	encoderOff     = "off"
)

// encoding is the flag that says what looks for meanings.
type encoding struct {
	Encoder string `type:"given" placeholder:"MODEL" complete:"encoder" help:"What finds meanings besides words: builtin, off (words alone), or a folder with a BERT model (else $$ASSAY_ENCODER, else builtin)."`
}

// sense is how an index is searched: by words, and with an encoder by meaning too.
type sense struct {
	embedder index.Embedder // nil: by words alone
	flag     string         // how the encoder was named on the command line
	slow     bool           // the processor has no instructions for it
	short    string         // why it is by words alone, where nobody asked for that
}

// noInstructions is why meanings can't be looked for.
const noInstructions = "this processor has no vector instructions that the encoder can use"

// sense loads the encoder that is meant: by the flag, the environment, or the
// built-in one.
func (e env) sense(flag string) (sense, error) {
	name := flag
	if name == "" {
		name = e.getenv(encoderVariable)
	}
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
		return sense{embedder: model, flag: flag, slow: slow}, err
	}
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return sense{}, failf("name a folder with a model, or one of: "+encoderBuiltin+", "+encoderOff, "--encoder: there is no folder %s", name)
	}
	model, err := encoder.Load(encoder.Dir(name), options)
	if err != nil {
		return sense{}, failf("name a folder with config.json, tokenizer.json and model.safetensors of a BERT model, or one of: "+encoderBuiltin+", "+encoderOff, "--encoder: %w", err)
	}
	return sense{embedder: model, flag: flag, slow: slow}, nil
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
