package encoder

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestAgainstONNXRuntime compares the vectors of 1,200 passages of all lengths, cut
// from the sample documents, with those of ONNX Runtime on the same weights.
func TestAgainstONNXRuntime(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	python, err := exec.LookPath("python3")
	if err != nil || exec.Command(python, "-c", "import onnxruntime, onnx, numpy, safetensors").Run() != nil {
		t.Skip("it needs python3 with onnxruntime, onnx, numpy and safetensors on the PATH")
	}
	passages := samplePassages(t, 1200)
	source := Source{Name: "minilm", Files: os.DirFS("minilm")}
	var want []float32
	for _, tt := range []struct {
		compute     Compute
		least, mean float64
	}{{ComputeFloat32, 0.99999, 0.99999}, {ComputeInt8, 0.97, 0.995}} {
		e, err := Load(source, &Options{Compute: tt.compute})
		if err != nil {
			t.Logf("not here: %v", err)
			continue
		}
		if want == nil {
			want = peerVectors(t, python, e, passages)
		}
		got, err := e.EmbedPassages(t.Context(), passages)
		if err != nil {
			t.Fatal(err)
		}
		var sum float64
		least := 1.0
		for i, v := range got {
			var dot float64
			for j, x := range v {
				dot += float64(x) * float64(want[i*len(v)+j])
			}
			sum, least = sum+dot, min(least, dot)
		}
		mean := sum / float64(len(got))
		t.Logf("%s, %s: cosine %.7f on average, %.7f at least, over %d passages", e.Kernels(), tt.compute, mean, least, len(got))
		if !(least >= tt.least && mean >= tt.mean) {
			t.Errorf("%s: at least %v and %v on average are wanted", tt.compute, tt.least, tt.mean)
		}
	}
}

// peerVectors are what ONNX Runtime makes of the same tokens.
func peerVectors(t *testing.T, python string, e *Encoder, passages []string) []float32 {
	t.Helper()
	var b batch
	windows := make([][][]int32, len(passages))
	for i, p := range passages {
		e.addText(&b, i, p)
	}
	for _, q := range b.sequences {
		windows[q.item] = append(windows[q.item], b.tokens[q.start:q.end])
	}
	in, err := json.Marshal(windows)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "peer/ort.py", "embed", "minilm")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	vectors := make([]float32, len(out)/4)
	for i := range vectors {
		vectors[i] = math.Float32frombits(binary.LittleEndian.Uint32(out[4*i:]))
	}
	return vectors
}

// samplePassages cuts n passages of one to 400 words from the sample documents.
func samplePassages(t *testing.T, n int) []string {
	t.Helper()
	var words []string
	err := filepath.WalkDir("../examples/brackwater", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		words = append(words, strings.Fields(string(data))...)
		return err
	})
	if err != nil || len(words) < 2000 {
		t.Fatalf("%d words of the sample documents: %v", len(words), err)
	}
	words = slices.Concat(words, words[:400])
	passages := make([]string, n)
	for i := range passages {
		at := i * 37 % (len(words) - 400)
		passages[i] = strings.Join(words[at:at+1+i*i%400], " ")
	}
	return passages
}
