package index

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-rag/assay"
)

// -data names a folder of labelled sets: SQuAD files (*.json) and rows of JSON
// (*.jsonl, *.jsonl.gz) with a question and passages under the names that the
// public sets use.
var dataFlag = flag.String("data", "", "folder of labelled sets for TestAgreement and TestRecall")

// labelled is a question with the passages that answer it.
type labelled struct {
	set, question string
	gold          []string // document IDs
}

// pool is the passages of all sets, each a document of its own.
type pool struct {
	docs      []assay.Document
	questions []labelled
	seen      map[string]string // ID by title and text
}

func (p *pool) add(title, text string) string {
	key := title + "\x00" + text
	if id, ok := p.seen[key]; ok || text == "" {
		return id
	}
	h := fnv.New64a()
	io.WriteString(h, key)
	id := fmt.Sprintf("pool/%016x", h.Sum64())
	p.seen[key] = id
	p.docs = append(p.docs, assay.Document{ID: id, Title: title, Text: strings.ToValidUTF8(text, ""), Language: "en"})
	return id
}

// row is a line of any of the sets.
type row struct {
	Q, P       string
	Question   string
	Input      string
	Label      any
	Paragraphs []struct{ Title, Text string }
	Passages   []struct{ Title, Text string }
	Supporting []bool `json:"is_supporting"`
}

func (p *pool) line(set string, data []byte) error {
	var r row
	if err := json.Unmarshal(data, &r); err != nil {
		return nil // a set with other fields
	}
	l := labelled{set: set}
	switch {
	case r.Q != "" && r.P != "":
		l.question = r.Q
		id := p.add("", r.P)
		if r.Label == float64(1) {
			l.gold = []string{id}
		}
	case r.Question != "" && len(r.Paragraphs) > 0:
		l.question = r.Question
		for _, a := range r.Paragraphs {
			id := p.add(a.Title, a.Text)
			l.gold = append(l.gold, id)
		}
	case r.Input != "" && len(r.Passages) > 0:
		l.question = r.Input
		for _, a := range r.Passages {
			l.gold = append(l.gold, p.add(a.Title, a.Text))
		}
	default:
		return nil
	}
	p.questions = append(p.questions, l)
	return nil
}

func (p *pool) squad(data []byte) error {
	var set struct {
		Data []struct {
			Title      string
			Paragraphs []struct {
				Context string
				Qas     []struct{ Question string }
			}
		}
	}
	if err := json.Unmarshal(data, &set); err != nil {
		return err
	}
	for _, a := range set.Data {
		for _, para := range a.Paragraphs {
			id := p.add(strings.ReplaceAll(a.Title, "_", " "), para.Context)
			for _, q := range para.Qas {
				p.questions = append(p.questions, labelled{"squad", q.Question, []string{id}})
			}
		}
	}
	return nil
}

func loadPool(t *testing.T) *pool {
	if *dataFlag == "" {
		t.Skip("no -data folder given")
	}
	p := &pool{seen: map[string]string{}}
	err := filepath.WalkDir(*dataFlag, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		var in io.Reader = f
		if strings.HasSuffix(path, ".gz") {
			if in, err = gzip.NewReader(f); err != nil {
				return err
			}
		}
		switch name := strings.TrimSuffix(e.Name(), ".gz"); filepath.Ext(name) {
		case ".json":
			data, err := io.ReadAll(in)
			if err != nil {
				return err
			}
			return p.squad(data)
		case ".jsonl":
			sc := bufio.NewScanner(in)
			sc.Buffer(nil, 16<<20)
			set := filepath.Base(filepath.Dir(path)) + "/" + strings.TrimSuffix(name, ".jsonl")
			for sc.Scan() {
				if err := p.line(set, sc.Bytes()); err != nil {
					return err
				}
			}
			return sc.Err()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// index puts the pool into an index, or opens the one that -corpus keeps.
func (p *pool) index(t *testing.T) *Index {
	dir := *corpusFlag
	if dir == "" {
		dir = t.TempDir()
	}
	x := open(t, dir)
	ctx := context.Background()
	if names, err := x.Collections(ctx); err != nil || len(names) > 0 {
		return x
	}
	root, err := x.Root(ctx, "", "/pool")
	if err != nil {
		t.Fatal(err)
	}
	for batch := range slices.Chunk(p.docs, 256) {
		passages := make([][]assay.Passage, len(batch))
		for i, d := range batch {
			passages[i] = []assay.Passage{{Text: d.Text, End: len(d.Text)}}
		}
		if err := x.Put(ctx, "", root, batch, passages); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// sample returns n of the pool's questions, spread over its sets.
func (p *pool) sample(n int) []labelled {
	rnd := rand.New(rand.NewPCG(7, 7))
	sets := map[string][]labelled{}
	var names []string
	for _, q := range p.questions {
		if sets[q.set] == nil {
			names = append(names, q.set)
		}
		sets[q.set] = append(sets[q.set], q)
	}
	var out []labelled
	for _, name := range names {
		s := sets[name]
		rnd.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
		out = append(out, s[:min(len(s), n/len(names))]...)
	}
	return out
}

// exhaustive is BM25 over all passages of the collection.
func exhaustive(ctx context.Context, s *session, c collection, q question) ([]hit, error) {
	ids := make([]int64, c.passages)
	for i := range ids {
		ids[i] = int64(i) + 1
	}
	return query{s: s, c: c, question: q}.rank(ctx, ids)
}

// TestAgreement compares the first twenty passages with those of BM25 over all
// passages, on real questions.
func TestAgreement(t *testing.T) {
	p := loadPool(t)
	x := p.index(t)
	ctx := context.Background()
	questions := p.sample(300)
	var sum, n, worst = 0.0, 0, 1.0
	bySet := map[string][]float64{}
	var took time.Duration
	err := x.read(ctx, func(s *session) error {
		c, _, err := lookup(ctx, s, "")
		if err != nil {
			return err
		}
		for _, l := range questions {
			start := time.Now()
			q, err := parse(ctx, s, c, l.question)
			if err != nil {
				return err
			}
			if len(q.terms) == 0 {
				continue
			}
			ids, err := candidates(ctx, s, q, nil)
			if err != nil {
				return err
			}
			hits, err := query{s: s, c: c, question: q}.rank(ctx, ids)
			if err != nil {
				return err
			}
			took += time.Since(start)
			all, err := exhaustive(ctx, s, c, q)
			if err != nil {
				return err
			}
			got, want := best(hits, 20), best(all, 20)
			same := 0
			for _, h := range want {
				if slices.Contains(got, h) {
					same++
				}
			}
			agreement := float64(same) / float64(len(want))
			sum, n, worst = sum+agreement, n+1, min(worst, agreement)
			bySet[l.set] = append(bySet[l.set], agreement)
		}
		t.Logf("%d passages, %d questions: agreement of the first 20 is %.4f, at worst %.2f; candidates and BM25 %.1f ms a question",
			c.passages, n, sum/float64(n), worst, took.Seconds()*1e3/float64(n))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for set, all := range bySet {
		total := 0.0
		for _, a := range all {
			total += a
		}
		t.Logf("%-32s %3d questions %.4f", set, len(all), total/float64(len(all)))
	}
	if sum/float64(n) < 0.95 {
		t.Errorf("agreement is %.4f, below 0.95", sum/float64(n))
	}
}

// TestRecall reports how often a passage that answers is among the first k.
func TestRecall(t *testing.T) {
	p := loadPool(t)
	x := p.index(t)
	type tally struct{ n, at1, at10, at50 int }
	sets := map[string]*tally{}
	for _, l := range p.sample(2000) {
		if len(l.gold) == 0 {
			continue
		}
		found, err := x.Retrieve(context.Background(), assay.Search{Words: l.question, K: 50})
		if err != nil {
			t.Fatal(err)
		}
		got := found.Passages
		c := sets[l.set]
		if c == nil {
			c = &tally{}
			sets[l.set] = c
		}
		c.n++
		if i := slices.IndexFunc(got, func(g assay.Passage) bool {
			return slices.ContainsFunc(append(g.Copies, g.Document), func(d string) bool { return slices.Contains(l.gold, d) })
		}); i >= 0 {
			c.at50++
			if i < 10 {
				c.at10++
			}
			if i < 1 {
				c.at1++
			}
		}
	}
	for set, c := range sets {
		n := float64(c.n)
		t.Logf("%-32s %4d questions: recall@1 %.3f @10 %.3f @50 %.3f", set, c.n, float64(c.at1)/n, float64(c.at10)/n, float64(c.at50)/n)
	}
}
