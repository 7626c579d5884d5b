package main

import (
	"os"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/encoder"
	"github.com/assay-rag/assay/encoder/crossminilm"
	"github.com/assay-rag/assay/encoder/minilm"
	"github.com/assay-rag/assay/evaluator"
)

// What judges without a language model. Any other name is a folder with a network.
const (
	evaluatorBuiltin = "builtin" // the words, and the network in the program
	evaluatorWords   = "words"
)

// judging is the flag that says what judges without a language model.
type judging struct {
	Evaluator string `type:"given" placeholder:"NAME" complete:"evaluator" help:"What grades and checks without a language model: builtin (a network and the words), words (faster, and blind for other words), or a folder with a network of your own (else $$ASSAY_EVALUATOR, else builtin; on a processor without vector instructions words)."`
}

// given adds the setting that the flag gives to others.
func (f judging) given(others map[string]string) map[string]string {
	others["evaluator"] = f.Evaluator
	return others
}

// evaluator makes what grades and checks without a language model. Its network borrows
// the words of the encoder where that is MiniLM. On a processor without instructions
// for it, words alone are judged by unless the network is asked for by name.
func (e env) evaluator(c *config, v assay.Vocabulary, embedder any) (*evaluator.Evaluator, error) {
	name, kernels := c.get("evaluator"), e.getenv(kernelsVariable)
	if name == evaluatorWords || name == "" && (!encoder.Fast() || kernels == "go") {
		return evaluator.New(v, nil)
	}
	options := encoder.Options{Kernels: kernels}
	base, ok := embedder.(*encoder.Encoder)
	if !ok || !strings.HasPrefix(base.Model(), minilm.Name+"@") {
		var err error
		if base, err = encoder.Load(minilm.Source(), &options); err != nil {
			return nil, err
		}
	}
	if name == "" || name == evaluatorBuiltin {
		network, err := crossminilm.Load(base, options)
		if err != nil {
			return nil, err
		}
		return evaluator.New(v, &evaluator.Options{Reader: network, Embedder: base})
	}
	return evaluatorIn(name, v, base, options)
}

// evaluatorIn is the evaluator of a folder that holds a network and the weights fitted
// to it.
func evaluatorIn(folder string, v assay.Vocabulary, base *encoder.Encoder, o encoder.Options) (*evaluator.Evaluator, error) {
	const hint = "name a folder with a network and the weights fitted to it (train/README.md), or one of: " + evaluatorBuiltin + ", " + evaluatorWords
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return nil, failf(hint, "--evaluator: there is no folder %s", folder)
	}
	o.Beside = base
	network, err := encoder.Load(encoder.Dir(folder), &o)
	if err != nil {
		return nil, failf(hint, "--evaluator: %w", err)
	}
	judge, err := evaluator.New(v, &evaluator.Options{Reader: network, Embedder: base, Weights: os.DirFS(folder)})
	if err != nil {
		return nil, failf(hint, "--evaluator: %s: %w", folder, err)
	}
	return judge, nil
}
