package adversary

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/assay-rag/assay"
)

// DefaultPerKind is how many cases of a kind are made.
const DefaultPerKind = 5

// Options of Make. The zero value is the default.
type Options struct {
	// PerKind is how many cases of each kind are made at the most; 0 means
	// DefaultPerKind.
	PerKind int
	// Seed chooses among the cases that could be made.
	Seed uint64
}

// Make makes cases from documents whose text has the form that package ingest
// gives it. The same documents and options give the same cases. A kind that the
// documents give nothing for has none; there is no error in that. The words of all
// documents are held in memory meanwhile.
func Make(docs []assay.Document, opts *Options) ([]Case, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.PerKind < 0 {
		return nil, fmt.Errorf("adversary make: %d cases of a kind can't be made", o.PerKind)
	}
	if o.PerKind == 0 {
		o.PerKind = DefaultPerKind
	}
	m := &maker{corpus: newCorpus(docs), rnd: rand.New(rand.NewPCG(o.Seed, 1))}
	m.facts = m.corpus.facts()
	m.asking, m.unclear = map[string][]int{}, map[int]bool{}
	for i, f := range m.facts {
		m.asking[f.question()] = append(m.asking[f.question()], i)
	}
	for i, f := range m.facts {
		if f.table && len(m.namesakes(i)) > 0 {
			m.unclear[f.section] = true
		}
	}
	m.rivals = m.corpus.rivals(m.facts)
	m.past = m.corpus.past(m.facts, m.rivals)
	for i := range m.facts {
		m.plain = append(m.plain, m.plainly(i))
	}
	makers := map[Kind]func() []Case{
		Ambiguous: m.ambiguous, Deprecated: m.deprecated, NotCovered: m.notCovered, Stale: m.stale,
		Contradictory: m.contradictory, NearMiss: m.nearMisses, FalsePremise: m.premises, Control: m.control,
	}
	var out []Case
	for _, kind := range Kinds() {
		for i, c := range m.choose(makers[kind](), o.PerKind) {
			c.ID, c.Kind = fmt.Sprintf("%s-%d", kind, i+1), kind
			c.complete()
			out = append(out, c)
		}
	}
	return out, nil
}

// maker makes cases of a corpus.
type maker struct {
	*corpus
	facts  []fact
	rivals []rivalry
	// asking has the facts by their question; unclear are the sections with a table
	// whose questions mean something else elsewhere.
	asking  map[string][]int
	unclear map[int]bool
	rnd     *rand.Rand
	past    map[int]bool // documents that are marked so, or have a newer version
	plain   []bool       // of each fact, whether the documents say it without a doubt
}

// choose draws cases, from as many documents and about as much as possible, no
// place twice.
func (m *maker) choose(cases []Case, n int) []Case {
	m.rnd.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
	var out []Case
	taken, used := map[string]int{}, map[string]bool{}
	for limit := 1; limit <= n && len(out) < n; limit++ {
		for _, c := range cases {
			if len(out) == n {
				break
			}
			document, place := "", c.Question
			if len(c.Places) > 0 {
				document = c.Places[0].Document
				place = fmt.Sprint(document, " ", c.Places[0].Start)
			}
			if used[place] || used[c.Question] || taken[document] >= limit || taken["about "+c.about] >= limit {
				continue
			}
			used[place], used[c.Question] = true, true
			taken[document]++
			if c.about != "" {
				taken["about "+c.about]++
			}
			out = append(out, c)
		}
	}
	return out
}

// complete fills in what follows from the rest.
func (c *Case) complete() {
	if c.MustContain == nil {
		c.MustContain = []string{}
	}
	if c.MustNotContain == nil {
		c.MustNotContain = []string{}
	}
	c.Documents = []string{}
	for i := range c.Places {
		if c.Places[i].Text = strings.TrimRight(c.Places[i].Text, "\n "); !slices.Contains(c.Documents, c.Places[i].Document) {
			c.Documents = append(c.Documents, c.Places[i].Document)
		}
		c.Places[i].End = c.Places[i].Start + len(c.Places[i].Text)
	}
	if c.Places == nil {
		c.Places = []Place{}
	}
}
