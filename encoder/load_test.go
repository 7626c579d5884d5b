package encoder_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-rag/assay/encoder"
	"github.com/assay-rag/assay/encoder/minilm"
)

// TestLoadErrors: whatever is wrong with a folder is said in words that help.
func TestLoadErrors(t *testing.T) {
	const config = "config.json"
	for _, tt := range []struct {
		name   string
		change func(t *testing.T, dir string)
		want   string
	}{
		{"no config", remove(config), "there is no config.json; name the folder of a model"},
		{"no weights", remove("model.safetensors"), "there is no model.safetensors; name the folder of a model"},
		{"weights of PyTorch", func(t *testing.T, dir string) {
			remove("model.safetensors")(t, dir)
			write(t, dir, "pytorch_model.bin", "x")
		}, "PyTorch's own format; save the model again as safetensors"},
		{"no tokenizer", remove("vocab.txt"), "tokenizer.json"},
		{"another family", replace(config, `"bert"`, `"xlm-roberta"`), `of the type "xlm-roberta"; only BERT models are supported`},
		{"another activation", replace(config, `"gelu"`, `"relu"`), `the activation is "relu"`},
		{"relative positions", replace(config, `"absolute"`, `"relative_key"`), `position embeddings are "relative_key"`},
		{"odd sizes", replace(config, `"num_attention_heads": 2`, `"num_attention_heads": 4`), "multiples of 32"},
		{"config that isn't JSON", func(t *testing.T, dir string) { write(t, dir, config, "{") }, "config.json: unexpected end"},
		{"more layers than weights", replace(config, `"num_hidden_layers": 2`, `"num_hidden_layers": 3`), "tensor bert.encoder.layer.2.attention.self.query.weight is missing"},
		{"a size of another model", replace(config, `"intermediate_size": 128`, `"intermediate_size": 256`), "has the shape [128 64], and by config.json it should be [256 64]"},
		{"a vocabulary of another model", func(t *testing.T, dir string) {
			data, _ := os.ReadFile(filepath.Join(dir, "vocab.txt"))
			write(t, dir, "vocab.txt", string(data)+"more\n")
		}, "they are of different models"},
		{"weights cut short", func(t *testing.T, dir string) {
			data, _ := os.ReadFile(filepath.Join(dir, "model.safetensors"))
			write(t, dir, "model.safetensors", string(data[:len(data)-1]))
		}, "the file may be cut short"},
		{"weights of something else", func(t *testing.T, dir string) { write(t, dir, "model.safetensors", "PK\x03\x04 a zip file") }, "no safetensors file"},
		{"a further module", func(t *testing.T, dir string) {
			write(t, dir, "modules.json", `[{"type": "sentence_transformers.models.Transformer"}, {"type": "sentence_transformers.models.Dense"}]`)
		}, `modules.json: the model has a module "Dense"`},
		{"a classifier and one segment", func(t *testing.T, dir string) {
			replace(config, `"type_vocab_size": 2`, `"type_vocab_size": 1`)(t, dir)
			reshape(t, dir, "bert.embeddings.token_type_embeddings.weight", 64)
		}, "a pair needs two"},
		{"weights that aren't numbers", func(t *testing.T, dir string) {
			data, _ := os.ReadFile(filepath.Join(dir, "model.safetensors"))
			head := 8 + binary.LittleEndian.Uint64(data)
			for i := head; i < uint64(len(data)); i += 2 {
				data[i], data[i+1] = 0, 0x7e // NaN
			}
			write(t, dir, "model.safetensors", string(data))
		}, "the file is damaged"},
		{"a kind of pooling", func(t *testing.T, dir string) {
			write(t, dir, "1_Pooling/config.json", `{"pooling_mode_max_tokens": true}`)
		}, "the pooling mode max_tokens is not supported"},
		{"two kinds of pooling", func(t *testing.T, dir string) {
			write(t, dir, "1_Pooling/config.json", `{"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": true, "include_prompt": true}`)
		}, "the pooling mode cls_token and mean_tokens is not supported"},
		{"windows too short", func(t *testing.T, dir string) {
			write(t, dir, "sentence_bert_config.json", `{"max_seq_length": 4}`)
		}, "max_seq_length is 4, and a window needs 8 tokens"},
		{"fewer layers than weights", replace(config, `"num_hidden_layers": 2`, `"num_hidden_layers": 1`), "more layers than the 1 that config.json speaks of"},
		{"a folder for a file", func(t *testing.T, dir string) {
			remove("model.safetensors")(t, dir)
			write(t, dir, "model.safetensors/x", "")
		}, "model.safetensors is not a file"},
		{"weights of zeros", func(t *testing.T, dir string) {
			data, _ := os.ReadFile(filepath.Join(dir, "model.safetensors"))
			clear(data[8+binary.LittleEndian.Uint64(data):])
			write(t, dir, "model.safetensors", string(data))
		}, "is all zeros; the file is damaged"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "mine")
			if err := os.CopyFS(dir, os.DirFS("testdata/tiny")); err != nil {
				t.Fatal(err)
			}
			tt.change(t, dir)
			_, err := encoder.Load(encoder.Dir(dir), nil)
			if err == nil || !strings.HasPrefix(err.Error(), "encoder load: mine: ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// reshape leaves only the first row of a tensor of float16.
func reshape(t *testing.T, dir, name string, cols int) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	n := binary.LittleEndian.Uint64(data)
	var header map[string]map[string]any
	if err := json.Unmarshal(data[8:8+n], &header); err != nil {
		t.Fatal(err)
	}
	start := header[name]["data_offsets"].([]any)[0].(float64)
	header[name]["shape"], header[name]["data_offsets"] = []int{1, cols}, []int{int(start), int(start) + 2*cols}
	changed, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "model.safetensors", string(binary.LittleEndian.AppendUint64(nil, uint64(len(changed))))+string(changed)+string(data[8+n:]))
}

func remove(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func replace(name, old, new string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(data), old) {
			t.Fatalf("%s has no %s", name, old)
		}
		write(t, dir, name, strings.Replace(string(data), old, new, 1))
	}
}

// TestOptions: what can't be done here is refused when the model is loaded.
func TestOptions(t *testing.T) {
	for _, o := range []encoder.Options{{Kernels: "abacus"}, {Compute: "int4"}, {Kernels: "go", Compute: encoder.ComputeInt8}, {MaxTokens: 4}, {MaxTokens: 65}, {Threads: -1}} {
		if _, err := encoder.Load(tiny(), &o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
	short := load(t, tiny(), &encoder.Options{MaxTokens: 16})
	if short.Model() == load(t, tiny(), nil).Model() {
		t.Error("shorter windows make other vectors, and have the same name")
	}
	got, err := short.Read(t.Context(), []encoder.Pair{{A: "how long", B: strings.Repeat("the room ", 20)}})
	if err != nil || len(got[0]) < 4 {
		t.Errorf("%d windows, %v", len(got[0]), err)
	}
}

// TestPrompts: where the model's files name a prompt, it stands before the text.
func TestPrompts(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/tiny")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "config_sentence_transformers.json", `{"prompts": {"query": "who ", "document": "item "}}`)
	plain, prompted := load(t, tiny(), nil), load(t, encoder.Dir(dir), nil)
	if plain.Model() == prompted.Model() {
		t.Error("both are", plain.Model())
	}
	want, err := plain.EmbedPassages(t.Context(), []string{"who is in", "item is in"})
	if err != nil {
		t.Fatal(err)
	}
	query, err := prompted.EmbedQuery(t.Context(), "is in")
	if err != nil {
		t.Fatal(err)
	}
	passage, err := prompted.EmbedPassages(t.Context(), []string{"is in"})
	if err != nil {
		t.Fatal(err)
	}
	if query[0] != want[0][0] || passage[0][0] != want[1][0] {
		t.Error("the prompts are not used")
	}
}

// TestCompact: the compact form reads like the full one, and writing it again gives
// the same bytes.
func TestCompact(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/tiny")); err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	if err := encoder.Compact(&first, tiny(), map[string]string{"source": "a test"}); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "model.safetensors", first.String())
	if err := encoder.Compact(&second, encoder.Dir(dir), map[string]string{"source": "a test"}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the second time the bytes differ")
	}
	r := readReference(t)
	got, err := load(t, encoder.Dir(dir), &encoder.Options{Compute: encoder.ComputeFloat32}).EmbedPassages(t.Context(), r.Texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if c := cosine(v, r.Tiny[i]); c < 0.999 {
			t.Errorf("%.40q: cosine %v", r.Texts[i], c)
		}
	}
}

// TestEmbedded: what package minilm holds is what it says.
func TestEmbedded(t *testing.T) {
	e := load(t, minilm.Source(), nil)
	if e.Dim() != 384 || e.MaxTokens() != 256 || e.Logits() != 0 || !strings.HasPrefix(e.Model(), "all-MiniLM-L6-v2@") {
		t.Errorf("%s: %d numbers, %d tokens, %d heads", e.Model(), e.Dim(), e.MaxTokens(), e.Logits())
	}
	if n := len(minilm.Source().Weights); n > 24<<20 {
		t.Errorf("%d bytes of weights", n)
	}
}

// FuzzLoad: no file of weights makes Load panic or allocate without bound.
func FuzzLoad(f *testing.F) {
	whole, err := os.ReadFile("testdata/tiny/model.safetensors")
	if err != nil {
		f.Fatal(err)
	}
	n := 8 + binary.LittleEndian.Uint64(whole)
	f.Add(whole[:n])
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Add([]byte(strings.Replace(string(whole[:n]), "F16", "I8", 1)))
	f.Add([]byte(strings.Replace(string(whole[:n]), "[64", "[-1", 1)))
	files := os.DirFS("testdata/tiny")
	f.Fuzz(func(t *testing.T, header []byte) {
		encoder.Load(encoder.Source{Name: "fuzz", Files: files, Weights: string(header) + string(whole[n:])}, &encoder.Options{Kernels: "go"})
	})
}
