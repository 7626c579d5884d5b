package evaluator

import (
	"context"
	"strings"

	"github.com/assay-rag/assay"
)

// usefulSteps are the grades from which an answer is worth 2, 3, 4 and 5: the
// thresholds of the gate, and the middles between them and the ends.
var usefulSteps = [4]float64{0.15, 0.35, 0.55, 0.75}

// Rate rates an answer by the question alone: the grade of its own text on five
// steps, and one step less where the question asks for a number, a date or a
// name and the answer has none. An empty answer and the abstention are 1. It
// never returns an error.
func (e *Evaluator) Rate(ctx context.Context, asked assay.Query, answer string) (int, error) {
	answer = strings.TrimSpace(answer)
	if answer == "" || strings.EqualFold(answer, assay.Abstention) {
		return 1, nil
	}
	score := e.gradeText(ctx, asked, answer)
	rating := 1
	for _, step := range usefulSteps {
		if score >= step {
			rating++
		}
	}
	if q := e.question(ctx, asked.Question, asked.Collection, ""); !q.satisfied(answer) {
		rating--
	}
	return max(rating, 1), nil
}

// satisfied tells whether the answer holds the kind of thing asked for, as far
// as its form shows that.
func (q *question) satisfied(answer string) bool {
	switch q.kind {
	case kindNumber:
		w := wantedBy(q)
		if w.often && frequency().MatchString(answer) {
			return true
		}
		for _, v := range values(answer) {
			if !holdsValue(q.values, v) && v.Kind != valueDate && v.Kind != valueVersion {
				return true
			}
		}
		return false
	case kindDate:
		for _, v := range values(answer) {
			if !holdsValue(q.values, v) && (v.Kind == valueDate || v.Kind == valueYear || v.Kind == valueDuration) {
				return true
			}
		}
		return false
	case kindWho, kindWhere:
		a := newAnalysis(answer, q.language)
		figures, names := a.figures()
		for _, n := range names {
			if !q.holdsWordOf(n.Of(answer)) && !insideValue(figures, n) && (q.kind == kindWho || placed(answer, n)) {
				return true
			}
		}
		return false
	}
	return true
}
