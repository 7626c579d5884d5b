package eval

import "testing"

func TestAnswerMetrics(t *testing.T) {
	long := "It was one of the largest fires in the city and it burned for three days"
	for _, c := range []struct {
		answer string
		right  []string
		exact  float64
		f1     float64
		holds  bool
	}{
		{"The Eiffel Tower!", []string{"eiffel tower"}, 1, 1, true},
		{"U.S.", []string{"nothing", "the US"}, 1, 1, true},
		{"a politician", []string{"pol"}, 0, 0, false},                                    // half a word is none
		{"She was a politician.", []string{"politician"}, 0, 0.5, true},                   // 1 of 3, 1 of 1
		{"tower Eiffel", []string{"Eiffel Tower"}, 0, 1, false},                           // the order counts
		{"born 1990–1995 there", []string{"1990"}, 0, 0.4, true},                          // 1 of 4, 1 of 1
		{"cat cat", []string{"cat"}, 0, 2. / 3, true},                                     // each as often as it occurs
		{"The fires burned for three days in the city.", []string{long}, 0, 2. / 3, true}, // 7 of 7, 7 of 14
		{"The city fires.", []string{long}, 0, 0.25, false},
		{"Größe", []string{"größe"}, 1, 1, true},
		{"", []string{"cat"}, 0, 0, false},
		{"cat", nil, 0, 0, false},
		{"cat", []string{"the"}, 0, 0, false}, // nothing of it counts
	} {
		if got := ExactMatch(c.answer, c.right); got != c.exact {
			t.Errorf("%q, %q: exact match %v, want %v", c.answer, c.right, got, c.exact)
		}
		if got := TokenF1(c.answer, c.right); !near(got, c.f1) {
			t.Errorf("%q, %q: F1 %v, want %v", c.answer, c.right, got, c.f1)
		}
		if got := HoldsAnswer(c.answer, c.right); got != c.holds {
			t.Errorf("%q, %q: holds %v, want %v", c.answer, c.right, got, c.holds)
		}
	}
}

func FuzzAnswerMetrics(f *testing.F) {
	f.Add("The Eiffel Tower", "eiffel tower")
	f.Add("–", "")
	f.Fuzz(func(t *testing.T, answer, other string) {
		right := []string{other}
		f1 := TokenF1(answer, right)
		if !(0 <= f1 && f1 <= 1) {
			t.Errorf("F1 is %v", f1)
		}
		if f1 != TokenF1(other, []string{answer}) {
			t.Error("F1 is not symmetric")
		}
		if len(answerWords(other)) > 0 && ExactMatch(answer, right) == 1 && (!near(f1, 1) || !HoldsAnswer(answer, right)) {
			t.Error("the same answer is not held")
		}
	})
}
