package calibrate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/assay-rag/assay"
)

// Label is a grade with what a person says.
type Label struct {
	// Score is the grade, in [0, 1]: of one passage, or the best of a set.
	Score float64
	// Positive says that the evidence is sufficient to answer.
	Positive bool
	// Group is shared by labels that are not independent: a document, a customer.
	// Empty, it is the question; without one too, the label stands by itself.
	Group string
	// Question is the question whose passages are labelled one by one. Empty where
	// the label is of all that was found for a question.
	Question string
}

// MinLabels is how many labels a calibration needs: with fewer, the intervals are
// so wide that nothing is learnt.
const MinLabels = 30

// Errors of labels that nothing can be fitted to.
var (
	ErrFewLabels = errors.New("too few labels")
	ErrOneKind   = errors.New("all labels are the same")
	ErrOneGroup  = errors.New("all labels are of one group")
	ErrUnrelated = errors.New("the grades don't rise with the labels")
)

// checkLabels refuses labels that nothing can be fitted to.
func checkLabels(labels []Label) error {
	if len(labels) < MinLabels {
		return fmt.Errorf("%w: %d, and at least %d are needed", ErrFewLabels, len(labels), MinLabels)
	}
	for i, l := range labels {
		if !(0 <= l.Score && l.Score <= 1) { // written so that NaN fails
			return fmt.Errorf("label %d: score %v is not in [0, 1]", i+1, l.Score)
		}
	}
	if p := countPositives(labels); p == 0 || p == len(labels) {
		return fmt.Errorf("%w: %d of %d say that the evidence is sufficient", ErrOneKind, p, len(labels))
	}
	if _, groups := groupNumbers(labels); groups < 2 {
		return ErrOneGroup
	}
	return nil
}

func countPositives(labels []Label) int {
	n := 0
	for _, l := range labels {
		if l.Positive {
			n++
		}
	}
	return n
}

// sorted is a copy by rising score.
func sorted(labels []Label) []Label {
	out := slices.Clone(labels)
	slices.SortStableFunc(out, func(a, b Label) int { return cmp.Compare(a.Score, b.Score) })
	return out
}

// groupNumbers numbers the groups, and says how many there are.
func groupNumbers(labels []Label) (of []int, groups int) {
	known := map[string]int{}
	of = make([]int, len(labels))
	for i, l := range labels {
		name := cmp.Or(l.Group, l.Question)
		n, ok := known[name]
		if !ok || name == "" {
			n = groups
			groups++
			known[name] = n
		}
		of[i] = n
	}
	return of, groups
}

// groupNames are the numbers of the groups as names.
func groupNames(labels []Label) []string {
	numbers, _ := groupNumbers(labels)
	names := make([]string, len(numbers))
	for i, n := range numbers {
		names[i] = strconv.Itoa(n)
	}
	return names
}

// weightOf is how often a label counts: weights are those of a resample, nil means
// once each.
func weightOf(weights []int, i int) float64 {
	if weights == nil {
		return 1
	}
	return float64(weights[i])
}

// indicator is 1 for what is sufficient, else 0.
func (l Label) indicator() float64 {
	if l.Positive {
		return 1
	}
	return 0
}

// Counts says what a calibration was fitted to.
type Counts struct {
	Labels    int `json:"labels"`
	Positives int `json:"positives"`
	Groups    int `json:"groups"`
}

// Identity says which grader gave the grades. Another version of a grader is
// another grader.
type Identity struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

func (id Identity) String() string {
	if id.Version == "" {
		return id.Name
	}
	return id.Name + " " + id.Version
}

// verdictOf is what thresholds make of one grade.
func verdictOf(t assay.Thresholds, score float64) assay.Verdict {
	return t.Verdict([]assay.Grade{{Score: score}})
}
