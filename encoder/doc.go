// Package encoder runs small transformer encoders of the BERT family on the CPU, in
// Go and generated assembly: no C, no shared library, no service. An [Encoder] is
// both a bi-encoder, whose vectors retrieval compares, and, with a model that has
// a classifier, a cross-encoder, which reads a pair of texts together.
//
//	e, err := encoder.Load(minilm.Source(), nil)
//	vectors, err := e.EmbedPassages(ctx, passages)
//
// The weights of all-MiniLM-L6-v2 are in package minilm; [Dir] names a folder with
// another model.
//
// # From text to vector
//
//	wordpiece.go   text → tokens, as the model was trained on
//	embed.go       tokens → windows; at the end, hidden states → a vector
//	pair.go        the same for pairs: windows; at the end, [CLS] → logits
//	batch.go       windows → groups of about 256 tokens, shared out over the cores
//	forward.go     a group through the network
//
// Sequences are computed one after the other in one matrix, without padding, so a
// batch costs what its tokens cost. A group runs on one core from the first layer to
// the last; several groups run on several cores. Nothing a text is given depends on
// the texts beside it.
//
// # From file to memory
//
//	source.go       where the files are
//	config.go       what they say of the model, and whether it is supported
//	safetensors.go  the format of the weights
//	matrix.go       weights as they stand in the file, of 1, 2 or 4 bytes
//	network.go      the layers by their names
//	linear.go       weights packed for the kernels
//	compact.go      writes weights with one byte a number
//
// # Kernels
//
// The arithmetic is that of internal/simd, chosen when a model is loaded: on
// processors with AVX-512 VNNI the layers are computed in int8 (weights by output,
// activations by token; attention and norms in float32), else in float32 with
// AVX-512, AVX2 or NEON. In plain Go it works too, some fifty times slower: [Fast] tells.
//
// Papers: Devlin et al. 2019 (BERT), Vaswani et al. 2017 (attention), Wang et al. 2020
// (MiniLM), Reimers and Gurevych 2019 (sentence embeddings), Nogueira and Cho 2019
// (cross-encoders).
package encoder
