// Package crossminilm holds the weights of the evaluator's network: MiniLM as a
// cross-encoder, which reads a question and a passage, or a claim and its evidence,
// together, and says of the pair and of each token what package evaluator's Reader
// tells. The folder train trained it; MODEL.md here, the model card, says on what, how
// well it does, and what it fails at. The words are those of package minilm, so that a
// program that imports both is 11 MB larger than with that one alone.
//
// The weights derive from all-MiniLM-L6-v2, under the Apache License 2.0 (LICENSE and
// NOTICE here).
package crossminilm

import (
	"embed"

	"github.com/assay-rag/assay/encoder"
)

// Name is what the model is called.
const Name = "cross-MiniLM-L6"

//go:embed config.json
var files embed.FS

//go:embed model.safetensors
var weights string

// Load loads the network beside the encoder whose words it borrows: one of package
// minilm's source. The options are those of encoder.Load.
func Load(base *encoder.Encoder, o encoder.Options) (*encoder.Encoder, error) {
	o.Beside = base
	return encoder.Load(encoder.Source{Name: Name, Files: files, Weights: weights}, &o)
}
