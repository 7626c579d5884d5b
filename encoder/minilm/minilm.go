// Package minilm holds the weights of all-MiniLM-L6-v2, an encoder of 22 million
// parameters that was trained on a billion pairs of English sentences (Wang et al.
// 2020 for the network, Reimers and Gurevych 2019 for the training). A program that
// imports it is 23 MB larger, and needs neither a network nor a file to embed text.
//
// The weights are those of sentence-transformers/all-MiniLM-L6-v2, under the
// Apache License 2.0 (LICENSE here; NOTICE says what was changed), with one byte a
// number; see encoder.Compact.
package minilm

import (
	"embed"

	"github.com/assay-rag/assay/encoder"
)

// Name is what the model is called.
const Name = "all-MiniLM-L6-v2"

//go:embed config.json vocab.txt tokenizer_config.json sentence_bert_config.json config_sentence_transformers.json 1_Pooling/config.json
var files embed.FS

//go:embed model.safetensors
var weights string

// Source is the model, for encoder.Load.
func Source() encoder.Source {
	return encoder.Source{Name: Name, Files: files, Weights: weights}
}
