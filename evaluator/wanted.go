package evaluator

import (
	"strings"

	"github.com/assay-rag/assay/text"
)

// wanted says which values answer a question for a number or a date.
type wanted struct {
	kinds map[valueKind]bool
	// nouns are the terms of what is counted ("how many free seats").
	nouns map[string]bool
	// measures are the units that a bare number must have ("how heavy"); empty
	// where any will do.
	measures map[string]bool
	// clock wants a time of day, noClock anything but.
	clock, noClock bool
	// year wants a year or a date.
	year bool
	// often wants a frequency, which is no value.
	often    bool
	language string
}

var (
	lengths = set("km metre cm mm mile foot inch yard")
	masses  = set("kg gram tonne pound")
)

// wantedBy reads from the question which values answer it.
func wantedBy(q *question) wanted {
	w := wanted{kinds: map[valueKind]bool{}, nouns: map[string]bool{}, language: q.language}
	words := questionWords(questionSentence(q.text))
	if q.kind == kindDate {
		w.want(valueDate, valueYear)
		w.year = adjacent(words, "what|which|welchem|welches|quelle", "year|jahr|annee")
		w.clock = adjacent(words, "what", "time")
		w.noClock = adjacent(words, "what|which", "day|date|month") || w.year
		return w
	}
	at := firstOf(words, "how|wie|combien|cuanto|cuantos|cuanta|cuantas|wieviel|wieviele")
	second := ""
	if at >= 0 && at+1 < len(words) {
		second = words[at+1]
	}
	switch {
	case oneOf(second, []string{"often", "frequently", "oft"}):
		w.often = true
	case oneOf(second, []string{"long", "lange"}):
		w.want(valueDuration, valueNumber)
		w.measures = lengths
	case oneOf(second, []string{"soon", "quickly"}):
		w.want(valueDuration)
	case oneOf(second, []string{"far", "wide", "deep", "tall", "high", "weit", "hoch"}):
		w.want(valueNumber)
		w.measures = lengths
	case oneOf(second, []string{"heavy", "schwer"}):
		w.want(valueNumber)
		w.measures = masses
	case oneOf(second, []string{"old", "alt"}):
		w.want(valueDuration, valueNumber)
	case oneOf(second, []string{"many", "viele"}):
		w.count(words[at+2:])
	case firstOf(words, "cost|costs|price|priced|fee|fees|pay|paid|charge|charged|charges|budget|salary|kostet|kosten|coute|cuesta|reimbursed|spend") >= 0:
		w.want(valueMoney)
		if firstOf(words, "reimbursed|paid|pay|salary") >= 0 {
			w.want(valuePercent)
		}
	case firstOf(words, "percentage|percent|proportion|fraction|share") >= 0:
		w.want(valuePercent)
	case oneOf(second, []string{"much", "viel"}):
		w.count(words[at+2:])
		w.want(valueMoney, valuePercent, valueNumber)
	case firstOf(words, "rate") >= 0:
		w.want(valuePercent, valueMoney, valueNumber)
	case firstOf(words, "duration|timeout|interval|period|length") >= 0:
		w.want(valueDuration, valueNumber)
	case firstOf(words, "age") >= 0:
		w.want(valueDuration, valueNumber)
	default:
		w.want(valueNumber, valueMoney, valuePercent, valueDuration)
	}
	return w
}

func (w *wanted) want(kinds ...valueKind) {
	for _, k := range kinds {
		w.kinds[k] = true
	}
}

// count reads what is counted from the words after "how many": the noun ends at
// the verb or the preposition.
func (w *wanted) count(words []string) {
	for i, word := range words {
		if i == 4 || functionWord(word) || oneOf(word, []string{"get", "take", "work", "have", "exist"}) {
			break
		}
		if u := units[word]; secondsIn[u] > 0 || monthsIn[u] > 0 {
			w.kinds[valueDuration] = true
			return
		}
		for _, t := range text.Analyze(word, w.language) {
			w.nouns[t.Term] = true
		}
	}
	w.want(valueNumber)
}

// accepts tells whether the value, which stands in body, is of the kind wanted.
func (w wanted) accepts(v value, body string) bool {
	if !w.kinds[v.Kind] {
		return false
	}
	if v.Kind == valueDate || v.Kind == valueYear {
		isClock := v.Unit == "time"
		switch {
		case w.clock:
			return isClock
		case w.noClock && isClock:
			return false
		case w.year:
			return v.Kind == valueYear || len(v.Norm) >= 4 && v.Norm[0] != '-' && isDigit(rune(v.Norm[0]))
		}
		return true
	}
	if v.Kind == valueNumber && len(w.measures) > 0 {
		return w.measures[v.Unit]
	}
	if v.Kind != valueNumber || len(w.nouns) == 0 {
		return true
	}
	return w.nounAfter(body[v.End:]) > 0 || (v.Unit == "" && w.holdsNoun(body))
}

// nounAfter is how many bytes of rest reach over the noun that is counted, where
// it stands among the first three words; else 0.
func (w wanted) nounAfter(rest string) int {
	for i, word := range text.Words(rest) {
		if i == 3 || strings.ContainsAny(rest[:word.Start], ".,;:()") {
			break
		}
		for _, t := range text.Analyze(word.Of(rest), w.language) {
			if w.nouns[t.Term] {
				return word.End
			}
		}
	}
	return 0
}

func (w wanted) holdsNoun(body string) bool {
	for _, t := range text.Analyze(body, w.language) {
		if w.nouns[t.Term] {
			return true
		}
	}
	return false
}

// firstOf is the position of the first of the words that is one of the
// alternatives, which "|" separates; -1 where none is.
func firstOf(words []string, alternatives string) int {
	options := strings.Split(alternatives, "|")
	for i, w := range words {
		if oneOf(w, options) {
			return i
		}
	}
	return -1
}

// adjacent tells whether one of first stands directly before one of second.
func adjacent(words []string, first, second string) bool {
	a, b := strings.Split(first, "|"), strings.Split(second, "|")
	for i := 0; i+1 < len(words); i++ {
		if oneOf(words[i], a) && oneOf(words[i+1], b) {
			return true
		}
	}
	return false
}
