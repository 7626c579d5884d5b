package encoder

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"runtime"
	"sync"

	"github.com/assay-rag/assay/internal/simd"
)

// Options tune an encoder. The zero value is the default.
type Options struct {
	// Compute is how the layers are computed; see Compute.
	Compute Compute
	// Threads bounds how many cores a call may use; 0 means GOMAXPROCS. Loading uses
	// all.
	Threads int
	// MaxTokens is the length of a window, in tokens, from 8 to the number of the
	// model's positions; 0 leaves it to the model, which may have been trained on
	// shorter ones. It changes the vectors of longer texts, and so Model.
	MaxTokens int
	// Beside is an encoder of which this one takes the tokenizer and, where its own
	// weights have none, the table of words: half of a small model. nil means that the
	// source has both.
	Beside *Encoder
	// Kernels names a set of kernels to be used instead of the fastest that runs
	// on this processor: see Kernels. For tests and measurements.
	Kernels string
}

// Compute is the kind of numbers that the layers are computed in. Both give nearly
// the same vectors (the cosine between them is 0.998 on average,
// TestAgainstONNXRuntime), but scores made of them are calibrated separately.
type Compute string

// The kinds of numbers.
const (
	ComputeAuto    Compute = ""        // int8 where the processor has instructions for it, else float32
	ComputeFloat32 Compute = "float32" // everything
	ComputeInt8    Compute = "int8"    // weights by output, activations by token; attention stays in float32
)

// Encoder is a model that is ready for use. It is safe for concurrent use.
type Encoder struct {
	name      string
	mark      uint32 // tells models of the same name apart
	network   *network
	tokenizer *tokenizer
	maxTokens int
	threads   int
	compute   Compute

	scratch sync.Pool // of *scratch
	batches sync.Pool // of *batch
}

// Load reads a model of the BERT family. The error says which file, what is wrong
// there, and what is supported.
func Load(source Source, opts *Options) (_ *Encoder, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("encoder load: %s: %w", source.Name, err)
		}
	}()
	var o Options
	if opts != nil {
		o = *opts
	}
	c, err := readConfig(source.Files)
	if err != nil {
		return nil, err
	}
	e := &Encoder{name: source.Name, threads: o.Threads, maxTokens: c.maxTokens}
	if o.Threads < 0 {
		return nil, fmt.Errorf("%d threads", o.Threads)
	}
	if o.Threads == 0 {
		e.threads = runtime.GOMAXPROCS(0)
	}
	if o.MaxTokens != 0 {
		if o.MaxTokens < minTokens || o.MaxTokens > c.Positions {
			return nil, fmt.Errorf("windows of %d tokens; the model allows %d to %d", o.MaxTokens, minTokens, c.Positions)
		}
		e.maxTokens = o.MaxTokens
	}
	kernels, err := e.choose(o)
	if err != nil {
		return nil, err
	}
	var words matrix
	if o.Beside != nil {
		e.tokenizer, words = o.Beside.tokenizer, o.Beside.network.words
	} else if e.tokenizer, err = readTokenizer(source.Files); err != nil {
		return nil, err
	}
	if e.tokenizer.size() > c.Words {
		return nil, fmt.Errorf("the tokenizer has %d words and config.json speaks of %d; they are of different models", e.tokenizer.size(), c.Words)
	}
	file, err := source.weights()
	if err != nil {
		return nil, err
	}
	tensors, err := readTensors(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", weightsFile, err)
	}
	if e.network, err = newNetwork(c, weights{tensors: tensors}, words, kernels, e.compute == ComputeInt8); err != nil {
		return nil, fmt.Errorf("%s: %w", weightsFile, err)
	}
	e.mark = fingerprint(source.Files, file, e.maxTokens)
	e.scratch.New = func() any { return new(scratch) }
	e.batches.New = func() any { return new(batch) }
	return e, nil
}

// choose finds the kernels and settles what is computed in.
func (e *Encoder) choose(o Options) (*simd.Kernels, error) {
	kernels := simd.Best()
	if o.Kernels != "" {
		kernels = nil
		for _, k := range simd.All() {
			if k.Name == o.Kernels {
				kernels = k
			}
		}
		if kernels == nil {
			return nil, fmt.Errorf("there are no kernels %q for this processor; there are %v", o.Kernels, Kernels())
		}
	}
	e.compute = o.Compute
	switch {
	case o.Compute == ComputeAuto && kernels.MatMulInt8 != nil:
		e.compute = ComputeInt8
	case o.Compute == ComputeAuto:
		e.compute = ComputeFloat32
	case o.Compute == ComputeInt8 && kernels.MatMulInt8 == nil:
		return nil, errors.New("this processor has no instructions for int8; use float32")
	case o.Compute != ComputeInt8 && o.Compute != ComputeFloat32:
		return nil, fmt.Errorf("there is no compute %q; there are float32 and int8", o.Compute)
	}
	return kernels, nil
}

// Kernels names the sets of kernels that run on this processor, the slowest, "go",
// first.
func Kernels() []string {
	var names []string
	for _, k := range simd.All() {
		names = append(names, k.Name)
	}
	return names
}

// Fast tells whether this processor has instructions that the kernels can use.
// Without them a passage of 256 tokens takes a second or so (encoder/peer).
func Fast() bool { return simd.Best().Fast() }

// fingerprint tells models apart, fine-tunings of the same one included: it is made
// of the length of a window, the small files and samples of the weights, since to
// read all of them would take longer than the rest of loading.
func fingerprint(files fs.FS, weights string, maxTokens int) uint32 {
	const samples, size = 256, 1 << 10
	table := crc32.MakeTable(crc32.Castagnoli)
	mark := crc32.Checksum(fmt.Appendf(nil, "%d %d", len(weights), maxTokens), table)
	for _, name := range SmallFiles {
		if data, err := readFile(files, name); err == nil {
			mark = crc32.Update(mark, table, data)
		}
	}
	for i := range samples {
		at := i * (len(weights) / samples)
		mark = crc32.Update(mark, table, []byte(weights[at:min(at+size, len(weights))]))
	}
	return mark
}

// Model names the model and tells it from others of its name: "name@1a2b3c4d".
// Vectors of the same Model can be compared.
func (e *Encoder) Model() string { return fmt.Sprintf("%s@%08x", e.name, e.mark) }

// Dim is how many numbers a vector has.
func (e *Encoder) Dim() int { return e.network.Hidden }

// Logits is how many numbers Read gives for what it has read, 0 where the model has
// no classifier.
func (e *Encoder) Logits() int { return len(e.network.classifier.bias) }

// TokenLogits is how many numbers Read gives for each token, 0 where the model says
// nothing of tokens.
func (e *Encoder) TokenLogits() int { return len(e.network.tokenClassifier.bias) }

// Fast tells whether the kernels in use are faster than plain Go, in which a passage
// takes a second or so.
func (e *Encoder) Fast() bool { return e.network.kernels.Fast() }

// MaxTokens is the length of a window, special tokens included.
func (e *Encoder) MaxTokens() int { return e.maxTokens }

// Compute is what the layers are computed in, never ComputeAuto.
func (e *Encoder) Compute() Compute { return e.compute }

// Kernels names the set of kernels in use.
func (e *Encoder) Kernels() string { return e.network.kernels.Name }

// Tokens counts the tokens of a text, without the special ones around it.
func (e *Encoder) Tokens(text string) int {
	b := e.batches.Get().(*batch)
	defer e.batches.Put(b)
	b.text = e.tokenizer.tokens(b.text[:0], text)
	return len(b.text)
}
