package index

import (
	"context"
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/encoder"
	"github.com/assay-rag/assay/encoder/minilm"
	"github.com/assay-rag/assay/eval"
)

// -vectors names the file that keeps the vectors of the tuning pool.
var vectorsFlag = flag.String("vectors", "", "file that keeps vectors, for TestFusion")
var computeFlag = flag.String("compute", "", "int8 or float32, for TestFusion")

func TestEmbedPool(t *testing.T) {
	p := loadTuning(t)
	e, err := encoder.Load(minilm.Source(), &encoder.Options{Threads: 1, Compute: encoder.Compute(*computeFlag)})
	if err != nil {
		t.Fatal(err)
	}
	k, err := eval.KeepVectors(*vectorsFlag, e)
	if err != nil {
		t.Fatal(err)
	}
	titled, chars := 0, 0
	for _, d := range p.docs {
		if d.Title != "" {
			titled++
		}
		chars += len(d.Text)
	}
	t.Log(len(p.docs), "docs", titled, "titled", chars/len(p.docs), "bytes mean", len(p.questions), "questions")
	n := map[string][2]int{}
	for _, q := range p.questions {
		c := n[q.set]
		if q.held() {
			c[1]++
		} else {
			c[0]++
		}
		n[q.set] = c
	}
	t.Log(n)
	start := time.Now()
	for pass := range 2 {
		for i := 0; i < len(p.docs); i += 64 {
			var texts []string
			for _, d := range p.docs[i:min(i+64, len(p.docs))] {
				switch {
				case pass == 0:
					texts = append(texts, d.Text)
				case d.Title != "":
					texts = append(texts, embeddedText(d.Title, nil, d.Text))
				}
			}
			if _, err := k.EmbedPassages(context.Background(), texts); err != nil {
				t.Fatal(err)
			}
			if i/64%20 == 0 {
				t.Log(pass, i, time.Since(start))
			}
		}
	}
}

var _ = assay.Document{}
var _ = strings.Join
