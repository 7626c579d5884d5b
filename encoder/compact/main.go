// Command compact makes the model folder that a package of embedded weights holds:
//
//	go run ./encoder/compact -model FOLDER -out encoder/minilm -source "where it is from" -license Apache-2.0
//
// It writes the weights with one byte a number (see encoder.Compact) and copies the
// small files that say how a text becomes a vector. A model without a vocabulary
// borrows MiniLM's, see encoder.Options.Beside.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/assay-rag/assay/encoder"
	"github.com/assay-rag/assay/encoder/minilm"
)

func main() {
	model := flag.String("model", "", "the folder of the model, with config.json, vocab.txt and model.safetensors")
	out := flag.String("out", "", "the folder to write to")
	source := flag.String("source", "", "where the weights are from, kept in the file")
	license := flag.String("license", "", "their licence, kept in the file")
	flag.Parse()
	if *model == "" || *out == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := compact(*model, *out, map[string]string{"format": "pt", "source": *source, "license": *license}); err != nil {
		fmt.Fprintln(os.Stderr, "compact:", err)
		os.Exit(1)
	}
}

func compact(model, out string, note map[string]string) error {
	for _, name := range encoder.SmallFiles {
		if name == "tokenizer.json" && has(model, "vocab.txt") {
			continue // vocab.txt alone reads faster, and says the same of a BERT
		}
		data, err := os.ReadFile(filepath.Join(model, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		to := filepath.Join(out, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(to, data, 0o666); err != nil {
			return err
		}
	}
	f, err := os.Create(filepath.Join(out, "model.safetensors"))
	if err != nil {
		return err
	}
	if err := encoder.Compact(f, encoder.Dir(model), note); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	var o encoder.Options
	if !has(out, "vocab.txt") && !has(out, "tokenizer.json") { // it borrows MiniLM's
		if o.Beside, err = encoder.Load(minilm.Source(), nil); err != nil {
			return err
		}
	}
	_, err = encoder.Load(encoder.Dir(out), &o)
	return err
}

func has(folder, name string) bool {
	_, err := os.Stat(filepath.Join(folder, name))
	return err == nil
}
