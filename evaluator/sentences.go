package evaluator

// best is the sentence that answers best, as measured so far.
type best struct {
	sentence          int
	plain, contextual float64
	typed, near       float64
	met               float64 // 1: the kind of answer stands in it; 0.5: beside it
	unnamed           float64
	novel, repeated   int
	supporting        int
}

// How the kind of answer and the form weigh in the choice of the best sentence,
// beside the share of the question that it covers: judgements.
const (
	metCredit  = 0.15 // for the kind of answer asked for
	asksCredit = 0.5  // times the cover of a sentence that asks: it answers nothing
)

// bestSentence scores every sentence by the terms it holds, those around it
// counted in part, and returns the best. m.before holds those of the sentence
// before the first.
func (m *measurer) bestSentence(a *analysis, hits []hit) best {
	b := best{sentence: -1}
	plainOf := make([]float64, 0, 64)
	var first []hit // those in the first sentence
	for i, s := range a.sentences {
		n := m.holds(s, hits)
		in := hits[:n]
		hits = hits[n:]
		if i == 0 {
			first = in
		}
		c := m.covers(i, first)
		m.own, m.before = m.before, m.own
		plainOf = append(plainOf, c.plain)
		b.plain = max(b.plain, c.plain)
		if c.contextual <= b.contextual && c.contextual <= b.typed {
			continue
		}
		met, near := m.meets(a, i, in)
		rank := c.contextual
		if s.asks {
			rank *= asksCredit
		}
		if met >= 1 && !s.asks && c.contextual > b.typed {
			b.typed = c.contextual
		}
		if b.sentence < 0 || rank+metCredit*met > b.contextual+metCredit*b.met {
			b.sentence, b.contextual, b.met, b.near, b.unnamed = i, rank, met, near, c.unnamed
			b.repeated = distinctTokens(in)
			b.novel = s.hi - s.lo - b.repeated
		}
	}
	for _, p := range plainOf {
		if p > 0 && p >= b.plain/2 {
			b.supporting++
		}
	}
	return b
}

// holds fills m.own with the matches in a sentence, of the hits that begin with
// its own, and returns how many those are.
func (m *measurer) holds(s sentence, hits []hit) int {
	clear(m.own)
	n := 0
	for n < len(hits) && int(hits[n].token) < s.hi {
		h := hits[n]
		m.own[h.term] = max(m.own[h.term], float64(h.strength))
		n++
	}
	return n
}

// covering is how much of the question a sentence covers: by itself, with what
// stands around it, and of the terms that are no names.
type covering struct{ plain, contextual, unnamed float64 }

// covers measures sentence i, whose matches are in m.own. first are the hits in
// the first sentence, which carries the subject of those after it.
func (m *measurer) covers(i int, first []hit) covering {
	var c covering
	unnamed := 0.0
	for j, t := range m.q.terms {
		own := m.own[j]
		c.plain += t.share * own
		credit := max(own, creditBefore*m.before[j], creditTitle*m.title[j], creditText*m.body[j], creditText*m.around[j])
		if i > 0 && credit < creditTitle && inFirst(first, j) {
			credit = creditTitle
		}
		c.contextual += t.share * credit
		if !t.named {
			c.unnamed += t.share * own
			unnamed += t.share
		}
	}
	if unnamed > 0 {
		c.unnamed /= unnamed
	}
	return c
}

func inFirst(hits []hit, term int) bool {
	for _, h := range hits {
		if int(h.term) == term && h.strength == 1 {
			return true
		}
	}
	return false
}

func distinctTokens(hits []hit) int {
	n, last := 0, int32(-1)
	for _, h := range hits {
		if h.token != last {
			n++
			last = h.token
		}
	}
	return n
}
