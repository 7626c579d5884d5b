package index

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/eval"
	"github.com/assay-rag/assay/ingest"
)

// tuningPool is documents of several labelled sets together, and the questions that
// some of their passages answer.
type tuningPool struct {
	docs      []assay.Document
	passages  [][]assay.Passage
	at        map[string]int // position in docs by text, of documents of one passage
	questions map[string]*tuningQuestion
}

// tuningQuestion is a question of a set.
type tuningQuestion struct {
	set string
	eval.RetrievalItem
}

// held tells whether the question is kept to report on. Whole documents are, so
// that what is reported on was not seen, nor anything beside it.
func (q *tuningQuestion) held() bool { return spread(q.set+"\x00"+q.Group)%2 == 1 }

// codes asks for n passages by nothing but a word with letters and digits that stands
// in no other, such as a part number.
func (p *tuningPool) codes(n int) []*tuningQuestion {
	in := map[string][]int{}
	for i, d := range p.docs {
		for w := range strings.FieldsFuncSeq(d.Text, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '.' && r != '_'
		}) {
			w = strings.Trim(w, "-._")
			coded := len(w) >= 4 && strings.ContainsFunc(w, unicode.IsDigit) && strings.ContainsFunc(w, unicode.IsLetter)
			if key := strings.ToLower(w); coded && !slices.Contains(in[key], i) {
				in[key] = append(in[key], i)
			}
		}
	}
	var out []*tuningQuestion
	for _, code := range slices.SortedFunc(maps.Keys(in), func(a, b string) int { return cmp.Compare(spread(a), spread(b)) }) {
		if len(in[code]) == 1 && len(out) < n {
			out = append(out, &tuningQuestion{"codes", eval.RetrievalItem{Question: code, Group: code, Gold: p.passages[in[code][0]]}})
		}
	}
	return out
}

// coded tells whether the question names something by a number or a code: a word
// with a digit, or with two capitals in a row.
func (q *tuningQuestion) coded() bool {
	last := ' '
	for _, r := range q.Question {
		if unicode.IsDigit(r) || unicode.IsUpper(r) && unicode.IsUpper(last) {
			return true
		}
		last = r
	}
	return false
}

// spread makes a number of a string, the same in every run.
func spread(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	x := h.Sum64()
	x = (x ^ x>>33) * 0xff51afd7ed558ccd // FNV's low bits alone aren't spread well
	return x ^ x>>33
}

func newTuningPool() *tuningPool {
	return &tuningPool{at: map[string]int{}, questions: map[string]*tuningQuestion{}}
}

// add puts a text into the pool as a document of one passage, once.
func (p *tuningPool) add(title, text string) assay.Passage {
	text = strings.ToValidUTF8(text, "")
	i, ok := p.at[text]
	if !ok {
		i = len(p.docs)
		p.at[text] = i
		id := fmt.Sprintf("pool/%06d", i)
		p.docs = append(p.docs, assay.Document{ID: id, Text: text, Language: "en"})
		p.passages = append(p.passages, []assay.Passage{{Document: id, Text: text, End: len(text)}})
	}
	if p.docs[i].Title == "" {
		p.docs[i].Title, p.passages[i][0].Title = title, title
	}
	return p.passages[i][0]
}

// ask adds a question, or a passage to those that answer it.
func (p *tuningPool) ask(set, group, text string, gold ...assay.Passage) {
	key := set + "\x00" + text
	q := p.questions[key]
	if q == nil {
		q = &tuningQuestion{set, eval.RetrievalItem{Question: text, Group: set + "/" + group}}
		p.questions[key] = q
	}
	for _, g := range gold {
		if !slices.ContainsFunc(q.Gold, func(o assay.Passage) bool { return o.Document == g.Document && o.Start == g.Start }) {
			q.Gold = append(q.Gold, g)
		}
	}
}

// sets names the sets that are asked.
func (p *tuningPool) sets() []string {
	names := map[string]bool{}
	for _, q := range p.questions {
		names[q.set] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// sample is at most perSet questions of each set, of those that are held or of the
// others, by set; the same ones in every run.
func (p *tuningPool) sample(held bool, perSet int) []*tuningQuestion {
	taken := map[string]int{}
	var out []*tuningQuestion
	for _, key := range slices.SortedFunc(maps.Keys(p.questions), func(a, b string) int { return cmp.Compare(spread(a), spread(b)) }) {
		if q := p.questions[key]; q.held() == held && taken[q.set] < perSet {
			taken[q.set]++
			out = append(out, q)
		}
	}
	slices.SortStableFunc(out, func(a, b *tuningQuestion) int { return cmp.Compare(a.set, b.set) })
	return out
}

// askedSets are the sets of train/answer whose questions can be understood without
// their passage. Passages of the others are there to be told from what is sought.
var askedSets = []string{
	"bioasq", "boolq", "covidqa", "multispanqa", "nq_oracle", "pubmedqa", "quotesum", "squad1_train_part", "timeqa_human",
}

// labelledPool pools the sets below the -data folder.
func labelledPool(t *testing.T) *tuningPool {
	if *dataFlag == "" || *vectorsFlag == "" {
		t.Skip("no -data folder or no -vectors file given")
	}
	p := newTuningPool()
	for _, set := range []string{"squad2/dev.json", "clapnq", "popqa/popqa.jsonl"} {
		s, err := eval.Load(filepath.Join(*dataFlag, set), 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range slices.Concat(s.Retrieval.Passages...) {
			p.add(a.Title, a.Text)
		}
		for _, q := range s.Retrieval.Questions {
			for _, g := range q.Gold {
				p.ask(s.Name, q.Group, q.Question, p.add(g.Title, g.Text))
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(*dataFlag, "train", "answer", "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no train/answer/*.jsonl.gz in %s (%v)", *dataFlag, err)
	}
	for _, f := range append(files, filepath.Join(*dataFlag, "ramdocs", "ramdocs.jsonl")) {
		p.rows(t, f)
	}
	return p
}

// tuningRow is a passage of train/answer with a question that it answers or
// doesn't, or a question of RAMDocs with documents.
type tuningRow struct {
	Q, P, Set, Grp, Neg string
	Label, Sent, Multi  int
	Documents           []struct{ Text string }
}

// title is what the row's group says of the passage's document, where it does.
func (r tuningRow) title() string {
	if r.Label != 1 && !strings.HasPrefix(r.Neg, "doc") {
		return "" // a passage of another document
	}
	switch r.Set {
	case "boolq", "nq_oracle":
		return r.Grp
	case "timeqa_human":
		return strings.ReplaceAll(strings.TrimPrefix(r.Grp, "/wiki/"), "_", " ")
	case "fairytaleqa":
		return strings.ReplaceAll(r.Grp, "-", " ")
	}
	return ""
}

func (p *tuningPool) rows(t *testing.T, path string) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := json.NewDecoder(bufio.NewReader(f))
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		d = json.NewDecoder(z)
	}
	for d.More() {
		var r tuningRow
		if err := d.Decode(&r); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, other := range r.Documents {
			p.add("", other.Text)
		}
		if r.P == "" || r.Sent == 1 {
			continue
		}
		a := p.add(r.title(), r.P)
		if r.Label == 1 && r.Multi == 0 && slices.Contains(askedSets, r.Set) {
			p.ask(r.Set, r.Grp, r.Q, a)
		}
	}
}

// samplePool is the sample documents, which have titles and headings, with the
// questions that go with them. They are asked in other words than the documents'.
func samplePool(t *testing.T) *tuningPool {
	p := newTuningPool()
	examples := filepath.Join("..", "examples")
	err := filepath.WalkDir(filepath.Join(examples, "brackwater"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		doc, blocks, err := ingest.Parse(path, data)
		if err != nil {
			return err
		}
		if doc.ID, err = filepath.Rel(examples, path); err != nil {
			return err
		}
		passages := ingest.Chunk(doc, blocks)
		for i := range passages {
			passages[i].Document = doc.ID
		}
		p.docs, p.passages = append(p.docs, doc), append(p.passages, passages)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(examples, "questions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for d := json.NewDecoder(f); d.More(); {
		var q struct {
			Question    string
			MustContain []string `json:"must_contain"`
			Documents   []string
		}
		if err := d.Decode(&q); err != nil {
			t.Fatal(err)
		}
		for _, a := range slices.Concat(p.passages...) {
			if len(q.MustContain) > 0 && slices.Contains(q.Documents, a.Document) && strings.Contains(a.Text, q.MustContain[0]) {
				p.ask("samples", q.Question, q.Question, a)
			}
		}
	}
	return p
}
