package evaluator

import (
	"strings"
	"sync"

	"github.com/assay-rag/assay/text"
)

// families are words, verbs for the most part, with a noun made from each that a
// stemmer takes for another word. What it takes for the same needs no help.
const families = `
	absent absence, absorb absorption, act action, admit admission, advise advice, analyse analysis, apply application, assume assumption,
	believe belief, break breakage, choose choice, clear clearance, close closure, collide collision, compare comparison, compliant compliance,
	conclude conclusion, consume consumption, convert conversion, cover coverage, create creation, decide decision,
	deliver delivery, describe description, destroy destruction, detain detention, diagnose diagnosis,
	discover discovery, divide division, enter entry, exclude exclusion, expand expansion, explain explanation,
	expose exposure, extend extension, fail failure, grow growth, guide guidance, imply implication, include inclusion,
	intervene intervention, issue issuance, lose loss, maintain maintenance, omit omission,
	patient patience, pay payment, permit permission, prescribe prescription, present presence, proceed procedure, produce production, prove proof,
	provide provision, publish publication, quote quotation, react reaction, receive receipt, recover recovery,
	redeem redemption, reduce reduction, resolve resolution, respond response, resume resumption, retain retention,
	revert reversion, sell sale, sign signature, silent silence, solve solution, store storage, submit submission, subscribe subscription,
	succeed success, suspend suspension, transcribe transcription, transmit transmission, value valuation, weigh weight`

// relative is a word of a family and the other.
type relative struct{ word, other string }

// familyTerms finds families by the term of either word.
var familyTerms = sync.OnceValue(func() map[string][]relative {
	out := map[string][]relative{}
	for pair := range strings.SplitSeq(families, ",") {
		verb, noun, _ := strings.Cut(strings.TrimSpace(pair), " ")
		for _, way := range [2][2]string{{verb, noun}, {noun, verb}} {
			for _, t := range text.Analyze(way[0], "en") {
				out[t.Term] = append(out[t.Term], relative{way[0], way[1]})
			}
		}
	}
	return out
})

// endings pair those of a word and of another that is made from it by rule.
var endings = []struct {
	of, made string
	root     int // letters that must stand before either
}{
	{"", "ment", 4}, {"ue", "ument", 3}, {"ify", "ification", 2}, {"ate", "ation", 5}, {"e", "ation", 6},
}

// derivations returns words of the same root as one of an English text: surely
// words, or, by rule, perhaps.
func derivations(word, term string) []string {
	var out []string
	for _, r := range familyTerms()[term] {
		if strings.HasPrefix(word, strings.TrimRight(r.word, "ey")) { // "public" has the term of "publication"
			out = append(out, r.other)
		}
	}
	base := singular(word)
	for _, e := range endings {
		if root, ok := strings.CutSuffix(base, e.made); ok && len(root) >= e.root && (e.of != "" || takesMore(root)) {
			out = append(out, root+e.of)
		}
		root, ok := strings.CutSuffix(base, e.of)
		if ok && len(root) >= e.root && (e.of != "" || takesMore(base)) && !strings.HasSuffix(base, "ment") {
			out = append(out, root+e.made)
		}
	}
	return out
}

// takesMore tells whether a consonant can follow the word as it is: "ship" and
// "employ", not "registry" or "employee".
func takesMore(word string) bool {
	before, last := word[len(word)-2], word[len(word)-1]
	switch last {
	case 'e':
		return before != 'e' || strings.HasSuffix(word, "gree")
	case 'y':
		return strings.IndexByte("aeou", before) >= 0
	}
	return strings.IndexByte("aiou", last) < 0
}
