package evaluator

import (
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/assay-rag/assay/text"
)

// unneeded is the nearness reported where a kind of question asks for no
// particular kind of answer: the middle.
const unneeded = 0.5

// meets tells whether sentence i of the text holds the kind of answer that the
// question asks for: 1 in it, 0.5 in a sentence beside it, 0 not. near is how
// close that stands to the terms matched, in [0, 1]. It judges the form alone.
func (m *measurer) meets(a *analysis, i int, hits []hit) (met, near float64) {
	s := a.sentences[i]
	switch m.q.kind {
	case kindNumber, kindDate, kindWho, kindWhere:
		if near, ok := m.nearest(a, s.Span, hits); ok {
			return 1, near
		}
		for _, beside := range [2]int{i + 1, i - 1} {
			if beside >= 0 && beside < len(a.sentences) {
				if _, ok := m.nearest(a, a.sentences[beside].Span, nil); ok {
					return 0.5, 0
				}
			}
		}
		return 0, 0
	case kindDefinition:
		return m.defines(a, s, hits)
	case kindWhy:
		return holdsCue(s.Of(a.text), whyCues)
	case kindHowTo:
		if s.listed || i+1 < len(a.sentences) && a.sentences[i+1].listed {
			return 1, unneeded
		}
		return holdsCue(s.Of(a.text), howToCues)
	case kindList:
		body := s.Of(a.text)
		if s.listed || i+1 < len(a.sentences) && a.sentences[i+1].listed || strings.Count(body, ",")+strings.Count(body, ";")+strings.Count(body, "、") >= 2 {
			return 1, unneeded
		}
		if strings.Contains(body, " and ") || strings.Contains(body, ",") {
			return 0.5, unneeded
		}
		return 0, unneeded
	}
	return 1, unneeded
}

// nearest finds the candidate answer inside the span that is closest to a hit,
// and how near that is.
func (m *measurer) nearest(a *analysis, within text.Span, hits []hit) (near float64, ok bool) {
	values, names := a.figures()
	consider := func(s text.Span) {
		ok = true
		for _, h := range hits {
			t := a.tokens[h.token]
			gap := max(0, max(s.Start-t.End, t.Start-s.End))
			near = max(near, math.Exp(-float64(gap)/50))
		}
	}
	if m.q.kind == kindNumber || m.q.kind == kindDate {
		for _, v := range valuesIn(values, within) {
			if (v.Kind == valueDate || v.Kind == valueYear) == (m.q.kind == kindDate) && v.Kind != valueVersion && !holdsValue(m.q.values, v) {
				consider(v.Span)
			}
		}
		return near, ok
	}
	lo := sort.Search(len(names), func(i int) bool { return names[i].Start >= within.Start })
	for _, n := range names[lo:] {
		if n.Start >= within.End {
			break
		}
		if !touches(a, hits, n) && !insideValue(values, n) && (m.q.kind != kindWhere || placed(a.text, n)) {
			consider(n)
		}
	}
	return near, ok
}

// insideValue tells whether a name is a part of a value: the month of a date.
func insideValue(values []value, name text.Span) bool {
	i := sort.Search(len(values), func(i int) bool { return values[i].End > name.Start })
	return i < len(values) && values[i].Start < name.End
}

// placed tells whether a name stands where a place does: after a preposition of
// place, or as a path.
func placed(s string, name text.Span) bool {
	if strings.ContainsAny(name.Of(s), "/\\") {
		return true
	}
	before := strings.TrimRight(s[:name.Start], " \t\n")
	for _, article := range []string{" the", " der", " die", " den", " la", " le", " el"} {
		before = strings.TrimRight(strings.TrimSuffix(before, article), " \t\n")
	}
	word := before[strings.LastIndexAny(before, " \t\n(,;")+1:]
	return slices.Contains(placeWords, strings.ToLower(word)) || strings.HasSuffix(before, ",") // "Bonn, Germany"
}

// placeWords stand before places: English, then German, French and Spanish.
var placeWords = strings.Fields("in at near from to into of on outside inside under within towards around via " +
	"im am bei aus nach zu unter à au en dans de a desde hacia")

// touches tells whether a term of the question stands inside the span.
func touches(a *analysis, hits []hit, s text.Span) bool {
	for _, h := range hits {
		if t := a.tokens[h.token]; t.Start < s.End && s.Start < t.End {
			return true
		}
	}
	return false
}

var copulas = []string{"is ", "are ", "was ", "were ", "means ", "refers to ", "denotes ", "stands for ", "describes ", "ist ", "sind ", "est ", "es ", "是", "とは"}

// defines tells whether a matched term is followed by what it is.
func (m *measurer) defines(a *analysis, s sentence, hits []hit) (met, near float64) {
	const reach = 28 // bytes between the term and the verb
	for _, h := range hits {
		if m.q.terms[h.term].frame {
			continue
		}
		rest := a.text[a.tokens[h.token].End:s.End]
		if strings.HasPrefix(rest, " (") { // "Ada Lovelace (1815–1852) was"
			if end := strings.IndexByte(rest, ')'); end >= 0 {
				rest = rest[end+1:]
			}
			met = 0.5
		}
		rest = rest[:min(len(rest), reach+12)]
		for _, c := range copulas {
			if at := strings.Index(rest, c); at >= 0 && at <= reach && (at == 0 || rest[at-1] == ' ' || c[0] >= 0x80) {
				return 1, math.Exp(-float64(at) / 20)
			}
		}
		if strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, ", a") || strings.HasPrefix(rest, " – ") {
			met = 0.5
		}
	}
	return met, 0
}

var whyCues = []string{" because ", "because ", " due to ", " since ", " reason", " therefore", " so that ", " in order to ", " cause", " result of ", " owing to ", " as a result", " to avoid ", " to prevent ", " thanks to ", " led to ", "weil ", " parce que ", " porque ", "因为", "ため"}

var howToCues = []string{" you can ", " you must ", " you should ", " you need ", " by using ", " click ", " select ", " choose ", " open ", " run ", " press ", " enter ", " install ", " submit ", " go to ", " ask ", " contact ", " fill ", " send ", " by ", "to ", " use ", " using ", " then ", " first", " step"}

// holdsCue tells whether the sentence holds one of the cues.
func holdsCue(sentence string, cues []string) (met, near float64) {
	folded := " " + strings.ToLower(sentence)
	for _, c := range cues {
		if strings.Contains(folded, c) {
			return 1, unneeded
		}
	}
	return 0, unneeded
}
