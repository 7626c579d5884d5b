package evaluator

import "strings"

// bound is how a figure limits: "at least 40 kg", "at most 40 kg", or neither.
type bound int

const (
	noBound bound = iota
	atLeast
	atMost
)

// limitWords stand before a figure that limits. A word that ends another comes
// after it: "no more than" is no "more than".
var limitWords = []struct {
	words string
	is    bound
}{
	{"no more than", atMost}, {"not more than", atMost}, {"no less than", atLeast}, {"not less than", atLeast}, {"no fewer than", atLeast},
	{"at least", atLeast}, {"at most", atMost}, {"more than", atLeast}, {"less than", atMost}, {"fewer than", atMost}, {"up to", atMost},
	{"minimum of", atLeast}, {"maximum of", atMost}, {"minimum", atLeast}, {"maximum", atMost}, {"a limit of", atMost},
	{"over", atLeast}, {"above", atLeast}, {"exceeding", atLeast}, {"under", atMost}, {"below", atMost}, {"within", atMost},
	{"mindestens", atLeast}, {"höchstens", atMost}, {"maximal", atMost}, {"bis zu", atMost},
	{"au moins", atLeast}, {"au plus", atMost}, {"al menos", atLeast}, {"como máximo", atMost},
}

// boundOf reads the words directly before a figure.
func boundOf(s string, v value) bound {
	before := strings.ToLower(strings.TrimRight(s[:v.Start], " \t\n\u00a0$€£~"))
	for _, b := range limitWords {
		if rest, ok := strings.CutSuffix(before, b.words); ok && (rest == "" || strings.HasSuffix(rest, " ") || strings.HasSuffix(rest, "(")) {
			return b.is
		}
	}
	return noBound
}

// boundsClash tells whether a claim puts a figure of the evidence under the
// opposite bound.
func boundsClash(claim, evidence string) bool {
	stated := values(evidence)
	for _, v := range values(claim) {
		mine := boundOf(claim, v)
		for _, o := range stated {
			if theirs := boundOf(evidence, o); o.Norm == v.Norm && mine != noBound && theirs != noBound && mine != theirs {
				return true
			}
		}
	}
	return false
}

// obligationClash tells whether a claim says "must" where the evidence says
// "may".
func obligationClash(claim, evidence string) bool {
	return obliges().MatchString(claim) && permits().MatchString(evidence) && !obliges().MatchString(evidence)
}
