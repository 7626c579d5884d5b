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

// bestSentence scores every sentence by the terms it holds, those around it
// counted in part, and returns the best. m.before holds those of the sentence
// before the first.
func (m *measurer) bestSentence(a *analysis, hits []hit) best {
	q := m.q
	b := best{sentence: -1}
	plainOf := make([]float64, 0, 64)
	at, first := 0, 0
	for i, s := range a.sentences {
		clear(m.own)
		start := at
		for at < len(hits) && int(hits[at].token) < s.hi {
			h := hits[at]
			m.own[h.term] = max(m.own[h.term], float64(h.strength))
			at++
		}
		if i == 0 {
			first = at
		}
		plain, contextual, unnamed, unnamedTotal := 0.0, 0.0, 0.0, 0.0
		for j, t := range q.terms {
			own := m.own[j]
			plain += t.share * own
			credit := max(own, creditBefore*m.before[j], creditTitle*m.title[j], creditText*m.body[j], creditText*m.around[j])
			if i > 0 && credit < creditTitle && inFirst(hits[:first], j) {
				credit = creditTitle
			}
			contextual += t.share * credit
			if !t.named {
				unnamed += t.share * own
				unnamedTotal += t.share
			}
		}
		m.own, m.before = m.before, m.own
		plainOf = append(plainOf, plain)
		b.plain = max(b.plain, plain)
		if contextual <= b.contextual && contextual <= b.typed {
			continue
		}
		met, near := m.meets(a, i, hits[start:at])
		rank := contextual
		if s.asks {
			rank *= 0.5 // a question answers nothing
		}
		if met >= 1 && !s.asks && contextual > b.typed {
			b.typed = contextual
		}
		if b.sentence < 0 || rank+0.15*met > b.contextual+0.15*b.met {
			b.sentence, b.contextual, b.met, b.near = i, rank, met, near
			b.unnamed = 0
			if unnamedTotal > 0 {
				b.unnamed = unnamed / unnamedTotal
			}
			b.repeated = distinctTokens(hits[start:at])
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
