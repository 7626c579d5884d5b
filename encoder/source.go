package encoder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Source is where a model comes from: a folder as Hugging Face lays it out.
type Source struct {
	// Name is what the model is called, in messages and in an index.
	Name string
	// Files holds config.json, tokenizer.json or vocab.txt, and, where the model
	// has them, the small files of sentence-transformers.
	Files fs.FS
	// Weights is the content of model.safetensors; empty means that Files has it.
	// A package that embeds weights gives them here, and none of them is copied.
	Weights string
}

// weightsFile is the one file of weights that is read.
const weightsFile = "model.safetensors"

// SmallFiles are the files beside the weights that change what comes out: what a
// copy of a model needs. Not every model has all of them.
var SmallFiles = []string{"config.json", "tokenizer.json", "vocab.txt", "tokenizer_config.json",
	"modules.json", "sentence_bert_config.json", "1_Pooling/config.json", "config_sentence_transformers.json"}

// Dir is the model in a folder, named after the folder.
func Dir(path string) Source {
	name := filepath.Base(path)
	if abs, err := filepath.Abs(path); err == nil {
		name = filepath.Base(abs)
	}
	return Source{Name: name, Files: os.DirFS(path)}
}

// weights reads the file of weights.
func (s Source) weights() (string, error) {
	if s.Weights != "" {
		return s.Weights, nil
	}
	info, err := fs.Stat(s.Files, weightsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", s.missing()
	}
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() { // to open a pipe would never end
		return "", fmt.Errorf("%s is not a file", weightsFile)
	}
	f, err := s.Files.Open(weightsFile)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var b strings.Builder // its string is the buffer itself: the file is held once
	if info.Size() < 1<<40 {
		b.Grow(int(info.Size()))
	}
	if _, err := io.Copy(&b, f); err != nil {
		return "", fmt.Errorf("%s: %w", weightsFile, err)
	}
	return b.String(), nil
}

// missing says what the folder has instead of the file of weights.
func (s Source) missing() error {
	for _, other := range []struct{ file, what string }{
		{"model.safetensors.index.json", "weights in several files, which is more than an encoder of this size has"},
		{"pytorch_model.bin", "PyTorch's own format; save the model again as safetensors"},
		{"tf_model.h5", "TensorFlow's own format; save the model again as safetensors"},
		{"onnx/model.onnx", "ONNX; take the model's safetensors file"},
		{"model.onnx", "ONNX; take the model's safetensors file"},
	} {
		if _, err := fs.Stat(s.Files, other.file); err == nil {
			return fmt.Errorf("there is no %s, but %s: %s", weightsFile, other.file, other.what)
		}
	}
	return fmt.Errorf("there is no %s; name the folder of a model, with config.json, tokenizer.json and %s", weightsFile, weightsFile)
}
