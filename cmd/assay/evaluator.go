package main

import (
	"os"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/encoder"
	"github.com/assay-rag/assay/encoder/minilm"
	"github.com/assay-rag/assay/evaluator"
)

// evaluatorWords judges by words alone. Any other name is a folder with a network.
const evaluatorWords = "words"

// judging is the flag that says what judges without a language model.
type judging struct {
	Evaluator string `type:"given" placeholder:"NAME" complete:"evaluator" help:"What grades and checks without a language model: words, or a folder with a network that reads along (else $$ASSAY_EVALUATOR, else words)."`
}

// given adds the setting that the flag gives to others.
func (f judging) given(others map[string]string) map[string]string {
	others["evaluator"] = f.Evaluator
	return others
}

// evaluator makes what grades and checks without a language model. A network borrows
// the words of the encoder where that is MiniLM.
func (e env) evaluator(c *config, v assay.Vocabulary, embedder any) (*evaluator.Evaluator, error) {
	name := c.get("evaluator")
	if name == evaluatorWords || name == "" {
		return evaluator.New(v, nil)
	}
	const hint = "name a folder with a network and the weights fitted to it (train/README.md), or: " + evaluatorWords
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return nil, failf(hint, "--evaluator: there is no folder %s", name)
	}
	options := encoder.Options{Kernels: e.getenv(kernelsVariable)}
	base, ok := embedder.(*encoder.Encoder)
	if !ok || !strings.HasPrefix(base.Model(), minilm.Name+"@") {
		var err error
		if base, err = encoder.Load(minilm.Source(), &options); err != nil {
			return nil, err
		}
	}
	options.Beside = base
	network, err := encoder.Load(encoder.Dir(name), &options)
	if err != nil {
		return nil, failf(hint, "--evaluator: %w", err)
	}
	judge, err := evaluator.New(v, &evaluator.Options{Reader: network, Weights: os.DirFS(name)})
	if err != nil {
		return nil, failf(hint, "--evaluator: %s: %w", name, err)
	}
	return judge, nil
}
