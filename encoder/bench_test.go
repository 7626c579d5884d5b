package encoder_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-rag/assay/encoder"
	"github.com/assay-rag/assay/encoder/minilm"
)

// BenchmarkEmbed embeds so many texts of so many tokens, on one thread; a passage of
// 200 tokens on all.
func BenchmarkEmbed(b *testing.B) {
	for _, o := range modes() {
		if o.Kernels == "go" {
			continue // encoder/peer has its figures
		}
		o.Threads = 1
		e := load(b, minilm.Source(), &o)
		for _, shape := range [][2]int{{1, 32}, {1, 256}, {16, 64}, {10, 256}} {
			b.Run(fmt.Sprintf("%s/%s/%dx%d", o.Kernels, o.Compute, shape[0], shape[1]), func(b *testing.B) { embedTexts(b, e, shape[0], shape[1]) })
		}
	}
	b.Run("all/64x200", func(b *testing.B) {
		embedTexts(b, load(b, minilm.Source(), nil), 64, 200)
		b.ReportMetric(64*float64(b.N)/b.Elapsed().Seconds(), "passages/s")
	})
}

func embedTexts(b *testing.B, e *encoder.Encoder, count, tokens int) {
	texts := slices.Repeat([]string{strings.Repeat("the ", tokens-2)}, count)
	out := make([]float32, count*e.Dim())
	for b.Loop() {
		if err := e.EmbedInto(b.Context(), out, texts); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLoad is what the encoder adds to the start of a program.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		load(b, minilm.Source(), nil)
	}
}
