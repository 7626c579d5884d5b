package index

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/eval"
)

// tuningPool is the passages of all labelled sets, each a document of its own, and
// the questions that some of them answer.
type tuningPool struct {
	docs      []assay.Document
	at        map[string]int // position in docs by text
	questions map[string]*tuningQuestion
}

// tuningQuestion is a question with the IDs of the documents that answer it.
type tuningQuestion struct {
	set, group, text string
	gold             []string
}

// held tells whether the question is kept to report on. Whole documents are, so
// that what is reported on was not seen, nor anything beside it.
func (q *tuningQuestion) held() bool { return spread(q.set+"\x00"+q.group)%2 == 1 }

// spread makes a number of a string, evenly.
func spread(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	x := h.Sum64()
	x ^= x >> 33 // FNV's low bits hardly depend on the last letters
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}

// named tells whether the question names something by a code: a word with a digit,
// or with two capitals in a row.
func (q *tuningQuestion) named() bool {
	last := ' '
	for _, r := range q.text {
		if unicode.IsDigit(r) || unicode.IsUpper(r) && unicode.IsUpper(last) {
			return true
		}
		last = r
	}
	return false
}

// askedSets are the sets of train/answer whose questions can be understood without
// their passage. Passages of the others are there to be told from what is sought.
var askedSets = []string{
	"bioasq", "boolq", "covidqa", "multispanqa", "nq_oracle", "pubmedqa", "quotesum", "squad1_train_part", "timeqa_human",
}

// titleOf makes a document's title of a row's group, in the sets where that is one.
var titleOf = map[string]func(group string) string{
	"boolq":        func(g string) string { return g },
	"nq_oracle":    func(g string) string { return g },
	"timeqa_human": func(g string) string { return strings.ReplaceAll(strings.TrimPrefix(g, "/wiki/"), "_", " ") },
	"fairytaleqa":  func(g string) string { return strings.ReplaceAll(g, "-", " ") },
}

func (p *tuningPool) add(title, text string) (id string) {
	text = strings.ToValidUTF8(text, "")
	i, ok := p.at[text]
	if !ok {
		i = len(p.docs)
		p.at[text] = i
		p.docs = append(p.docs, assay.Document{ID: fmt.Sprintf("pool/%06d", i), Text: text, Language: "en"})
	}
	if p.docs[i].Title == "" {
		p.docs[i].Title = title
	}
	return p.docs[i].ID
}

func (p *tuningPool) ask(set, group, text, gold string) {
	key := set + "\x00" + text
	q := p.questions[key]
	if q == nil {
		q = &tuningQuestion{set: set, group: group, text: text}
		p.questions[key] = q
	}
	if !slices.Contains(q.gold, gold) {
		q.gold = append(q.gold, gold)
	}
}

// loadTuning reads the sets below the -data folder.
func loadTuning(t *testing.T) *tuningPool {
	if *dataFlag == "" || *vectorsFlag == "" {
		t.Skip("no -data folder or no -vectors file given")
	}
	p := &tuningPool{at: map[string]int{}, questions: map[string]*tuningQuestion{}}
	for _, set := range []string{"squad2/dev.json", "clapnq", "popqa/popqa.jsonl"} {
		s, err := eval.Load(filepath.Join(*dataFlag, set), 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, passages := range s.Retrieval.Passages {
			for _, a := range passages {
				p.add(a.Title, a.Text)
			}
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
		title := ""
		if of := titleOf[r.Set]; of != nil && (r.Label == 1 || strings.HasPrefix(r.Neg, "doc")) {
			title = of(r.Grp)
		}
		id := p.add(title, r.P)
		if r.Label == 1 && r.Multi == 0 && slices.Contains(askedSets, r.Set) {
			p.ask(r.Set, r.Grp, r.Q, id)
		}
	}
}

// sample is at most perSet questions of each set and half, the same ones in every
// run.
func (p *tuningPool) sample(held bool, perSet int) []*tuningQuestion {
	taken := map[string]int{}
	var out []*tuningQuestion
	for _, key := range slices.SortedFunc(maps.Keys(p.questions), func(a, b string) int {
		return cmp.Compare(spread(a), spread(b))
	}) {
		if q := p.questions[key]; q.held() == held && taken[q.set] < perSet {
			taken[q.set]++
			out = append(out, q)
		}
	}
	slices.SortStableFunc(out, func(a, b *tuningQuestion) int { return strings.Compare(a.set, b.set) })
	return out
}
