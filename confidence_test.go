package assay

import (
	"math"
	"testing"
)

// footed makes items of passages with these grades, the first of them cited by
// the one claim of a draft; a negative grade is an undetermined one.
func footed(support float64, useful int, grades ...float64) (*evidence, *checkedDraft) {
	e := &evidence{}
	for i, g := range grades {
		it := &item{passage: Passage{Document: string(rune('a' + i))}, graded: true, grade: Grade{Score: g}}
		if g < 0 {
			it.grade = Grade{Undetermined: true}
		}
		e.items = append(e.items, it)
	}
	d := &checkedDraft{checked: true, useful: useful, strips: []Strip{{Passage: Passage{Document: "a"}}}}
	d.claims = []draftClaim{{Claim: Claim{Score: support}, evidence: []int{0}}}
	return e, d
}

func sure(support float64, useful int, grades ...float64) float64 {
	return confidence(footed(support, useful, grades...))
}

func TestConfidenceRisesWithEverySignal(t *testing.T) {
	steps := []float64{0, 0.2, 0.4, 0.6, 0.8, 1}
	for i, x := range steps {
		for _, y := range steps {
			for useful := 1; useful <= 5; useful++ {
				c := sure(x, useful, y, 0.3)
				if c < 0 || c > 1 {
					t.Errorf("support %v, useful %d, grade %v: %v", x, useful, y, c)
				}
				if useful > 1 && x > 0 && c <= sure(x, useful-1, y, 0.3) {
					t.Errorf("support %v, grade %v: useful %d is no surer than one less", x, y, useful)
				}
				if i == 0 {
					continue
				}
				if c <= sure(steps[i-1], useful, y, 0.3) {
					t.Errorf("useful %d, grade %v: support %v is no surer than %v", useful, y, x, steps[i-1])
				}
				if better, worse := sure(0.9, useful, x, y), sure(0.9, useful, steps[i-1], y); better <= worse {
					t.Errorf("useful %d, rival %v: grade %v is no surer than %v", useful, y, x, steps[i-1])
				}
				if rivalled, alone := sure(0.9, useful, y, x), sure(0.9, useful, y, steps[i-1]); rivalled >= alone {
					t.Errorf("useful %d, grade %v: rival %v is no less sure than %v", useful, y, x, steps[i-1])
				}
			}
		}
	}
}

func TestConfidenceOfWhatWasNotSaid(t *testing.T) {
	const tiny = 1e-12
	same := func(name string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > tiny {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	ungraded, d := footed(0.9, 4, 0.9)
	ungraded.items[0].graded = false
	level := sure(0.9, 4, 0.5, 0.5)
	same("ungraded evidence", confidence(ungraded, d), level)
	same("no evidence", confidence(&evidence{}, d), level)
	same("a failed grader", sure(0.9, 4, -1, -1), level)
	same("no rating", sure(0.9, 0, 0.8, 0.1), sure(0.9, 3, 0.8, 0.1))

	e, unchecked := footed(0.9, 4, 0.8)
	unchecked.checked = false
	same("unchecked claims", confidence(e, unchecked), sure(0.5, 4, 0.8))

	e, d = footed(0.9, 4, 0.8, 0.8)
	d.strips = append(d.strips, Strip{Passage: Passage{Document: "b"}})
	d.claims[0].evidence = []int{0, 1}
	same("a second passage that says the same", confidence(e, d), sure(0.9, 4, 0.8))

	e, d = footed(0.9, 4, 0.8, 0.3)
	e.conflicts = []itemConflict{{a: e.items[0], b: e.items[1], stale: true}}
	same("what is superseded", confidence(e, d), sure(0.9, 4, 0.8, 0.3))
	e.conflicts[0].stale = false
	same("passages that disagree", confidence(e, d), sure(0.9, 4, 0.8, 0.8))

	e, d = footed(0.9, 4, 0.8, 0.3)
	e.items[1].grade.Caveat = "is in another language"
	same("a caveat on what isn't cited", confidence(e, d), sure(0.9, 4, 0.8, 0.3))
	e.items[0].grade.Caveat = "is in another language"
	same("a caveat", confidence(e, d), caveatShare*sure(0.9, 4, 0.8, 0.3))
}

func TestConfidenceGoesByTheWeakestClaim(t *testing.T) {
	e, d := footed(0.9, 4, 0.8)
	d.claims = append(d.claims, draftClaim{Claim: Claim{Score: 0.4}, evidence: []int{0}})
	if got, want := confidence(e, d), sure(0.4, 4, 0.8); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}
