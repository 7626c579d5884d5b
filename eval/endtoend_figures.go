package eval

import (
	"math"
	"slices"

	"github.com/assay-rag/assay"
)

// AnswerState is how good it is, to whoever asked, what a system made of a question.
type AnswerState string

// The states, the worst first.
const (
	StateWrong  AnswerState = "wrong"  // a wrong answer is shown
	StateSilent AnswerState = "silent" // no answer, though the documents hold one
	StateRight  AnswerState = "right"  // a right answer; or none where the documents hold none
)

// marking has the replies of all systems beside the right answers.
type marking struct {
	asking
	systems []contestant
	all     [][]reply[answered] // by system and question
	item    []int               // the questions that no system failed on
	boot    *Bootstrap
	set     *Set
}

func newMarking(a asking, m measurement, all [][]reply[answered], o Options) *marking {
	k := &marking{asking: a, systems: m.systems, all: all, set: m.set}
	var groups []string
	for i, q := range a.questions {
		if !slices.ContainsFunc(all, func(of []reply[answered]) bool { return of[i].err != nil }) {
			k.item, groups = append(k.item, i), append(groups, q.Group)
		}
	}
	k.boot = NewBootstrap(groups, o.Resamples, o.Seed)
	return k
}

func (k *marking) report(o Options) *EndToEndReport {
	r := &EndToEndReport{
		Task: TaskEndToEnd, Set: k.set.Name, Part: k.set.part(), Seed: o.Seed,
		Questions: len(k.questions), Uncovered: k.uncovered(), Measured: len(k.item), Groups: k.boot.Groups(),
		Documents: len(k.documents), LeftOut: k.leftOut, Changes: []AnswerChanges{},
	}
	for s := range k.systems {
		r.Systems = append(r.Systems, k.figures(s))
		if s > 0 {
			r.Changes = append(r.Changes, k.changes(s, o.Worst))
		}
	}
	return r
}

// A test is what holds of a question with a system, or not.
type test func(system, i int) bool

func (k *marking) reply(system, i int) answered { return k.all[system][i].value }

func (k *marking) isCovered(_, i int) bool { return k.covered(i) }

func (k *marking) isUncovered(_, i int) bool { return !k.covered(i) }

func (k *marking) isShown(system, i int) bool { return k.reply(system, i).Outcome != assay.Abstained }

func (k *marking) isSilent(system, i int) bool { return !k.isShown(system, i) }

func (k *marking) isWrong(system, i int) bool { return k.state(system, i) == StateWrong }

// saysRight tells whether a right answer is shown, by whatever luck.
func (k *marking) saysRight(system, i int) bool {
	return HoldsAnswer(k.reply(system, i).Text, k.questions[i].Right)
}

func (k *marking) isCited(system, i int) bool {
	return slices.ContainsFunc(k.reply(system, i).Quotes, func(quote string) bool { return HoldsAnswer(quote, k.questions[i].Right) })
}

func (k *marking) state(system, i int) AnswerState {
	switch covered, shown := k.covered(i), k.isShown(system, i); {
	case shown && !(covered && k.saysRight(system, i)):
		return StateWrong
	case !shown && covered:
		return StateSilent
	}
	return StateRight
}

// all of several tests.
func all(tests ...test) test {
	return func(system, i int) bool {
		return !slices.ContainsFunc(tests, func(t test) bool { return !t(system, i) })
	}
}

// share is the metric of how many of the questions that pass one test pass another
// too; NaN where none passes the first.
func (k *marking) share(among, of test) func(system int) metric {
	return k.mean(among, func(system, i int) float64 { return indicator(of(system, i)) })
}

// mean is the metric of the mean of a value over the questions that pass a test.
func (k *marking) mean(among test, of func(system, i int) float64) func(system int) metric {
	return func(system int) metric {
		counted, values := make([]float64, len(k.item)), make([]float64, len(k.item))
		for n, i := range k.item {
			if among(system, i) {
				counted[n], values[n] = 1, of(system, i)
			}
		}
		return func(weights []int) float64 {
			var sum, total float64
			for n := range k.item {
				sum += weight(weights, n) * values[n]
				total += weight(weights, n) * counted[n]
			}
			return sum / total
		}
	}
}

// compared estimates a metric of a system beside that of the first.
func (k *marking) compared(system int, of func(system int) metric) Compared {
	out := Compared{Estimate: k.boot.Estimate(of(system))}
	if system > 0 {
		d := k.boot.Compare(of(system), of(0))
		out.Difference = &d
	}
	return out
}

func everything(int, int) bool { return true }

func (k *marking) figures(system int) AnswerFigures {
	share := func(among, of test) Compared { return k.compared(system, k.share(among, of)) }
	over := func(among test, of func(answer string, right []string) float64) Compared {
		return k.compared(system, k.mean(among, func(s, i int) float64 { return of(k.reply(s, i).Text, k.questions[i].Right) }))
	}
	checked := func(s, i int) bool { return k.reply(s, i).Grounded != nil }
	labelled := func(s, i int) bool { return k.reply(s, i).Outcome == assay.Answered }
	f := AnswerFigures{
		Name: k.systems[system].Name, Version: k.systems[system].Version, Failed: gatherFailures(errorsOf(k.all[system])),
		Wrong: share(everything, k.isWrong),

		Coverage:     share(k.isCovered, k.isShown),
		Right:        share(k.isCovered, k.saysRight),
		WrongCovered: share(k.isCovered, k.isWrong),
		ExactMatch:   over(k.isCovered, ExactMatch),
		F1:           over(k.isCovered, TokenF1),
		Cited:        share(all(k.isCovered, k.isShown), k.isCited),
		Misled: share(func(_, i int) bool { return len(k.questions[i].Wrong) > 0 }, func(s, i int) bool {
			return HoldsAnswer(k.reply(s, i).Text, k.questions[i].Wrong)
		}),

		Abstained:        share(k.isUncovered, k.isSilent),
		AbstainedLeftOut: share(func(_, i int) bool { return k.gone[i] }, k.isSilent),
		AbstainedOnTopic: share(func(s, i int) bool { return k.isUncovered(s, i) && !k.gone[i] }, k.isSilent),
		Lucky:            share(k.isUncovered, k.saysRight),

		Grounded: share(all(k.isShown, checked), func(s, i int) bool { return *k.reply(s, i).Grounded }),
		Answered: share(labelled, func(s, i int) bool { return k.state(s, i) == StateRight }),
		Labels:   k.labels(system),
		Time:     queryTime(k.all[system], k.item),
	}
	f.Calls, f.Tokens, f.USD = k.spent(system)
	return f
}

// spent are means a question.
func (k *marking) spent(system int) (calls, tokens float64, usd Figure) {
	for _, i := range k.item {
		a := k.reply(system, i)
		calls, tokens = calls+float64(a.Calls), tokens+float64(a.Tokens)
		if a.USD == nil {
			usd = undefined
		} else {
			usd += Figure(*a.USD)
		}
	}
	n := float64(len(k.item))
	return calls / n, tokens / n, usd / Figure(n)
}

func (k *marking) labels(system int) []LabelCount {
	out := []LabelCount{{Outcome: assay.Answered}, {Outcome: assay.Partial}, {Outcome: assay.Abstained}}
	for _, i := range k.item {
		at := slices.IndexFunc(out, func(l LabelCount) bool { return l.Outcome == k.reply(system, i).Outcome })
		switch s := k.state(system, i); {
		case !k.covered(i):
			out[at].Uncovered++
		case s == StateRight:
			out[at].Right++
		case s == StateWrong:
			out[at].Wrong++
		default:
			out[at].Silent++
		}
	}
	return out
}

// AnswerChanges are what a system does better and worse than the first, question by
// question.
type AnswerChanges struct {
	System string `json:"system"`
	// WrongCut is by what share there are fewer wrong answers than with the first
	// system: 1 less the ratio of the two. CoverageLost is how much less of the covered
	// questions it shows an answer to, in [−1, 1].
	WrongCut     Estimate `json:"wrong_cut"`
	CoverageLost Estimate `json:"coverage_lost"`
	// Corrected and Broken count the questions by what they were with the first system
	// and are with this one.
	Corrected []AnswerChange `json:"corrected"`
	Broken    []AnswerChange `json:"broken"`
	// Kept are those that are wrong with both.
	Kept AnswerChange `json:"kept"`
}

// AnswerChange is one way in which answers changed.
type AnswerChange struct {
	From      AnswerState     `json:"from"`
	To        AnswerState     `json:"to"`
	Covered   int             `json:"covered"`   // questions that the documents answer
	Uncovered int             `json:"uncovered"` // and those that they don't
	Examples  []ChangedAnswer `json:"examples"`
}

// ChangedAnswer is an example of a change. An answer is empty where the system
// abstained.
type ChangedAnswer struct {
	Question string   `json:"question"`
	Right    []string `json:"right"` // empty where the documents hold no answer
	First    string   `json:"first"`
	Second   string   `json:"second"`
}

func (k *marking) changes(system, examples int) AnswerChanges {
	wrong, shown := k.share(everything, k.isWrong), k.share(k.isCovered, k.isShown)
	first, second := wrong(0), wrong(system)
	before, after := shown(0), shown(system)
	c := AnswerChanges{
		System: k.systems[system].Name,
		WrongCut: k.boot.Estimate(func(w []int) float64 {
			if first(w) == 0 { // there is nothing to cut
				return math.NaN()
			}
			return 1 - second(w)/first(w)
		}),
		CoverageLost: k.boot.Estimate(func(w []int) float64 { return before(w) - after(w) }),
	}
	change := func(from, to AnswerState) AnswerChange { return k.change(system, from, to, examples) }
	c.Corrected = []AnswerChange{
		change(StateWrong, StateRight), change(StateWrong, StateSilent), change(StateSilent, StateRight),
	}
	c.Broken = []AnswerChange{
		change(StateRight, StateWrong), change(StateRight, StateSilent), change(StateSilent, StateWrong),
	}
	c.Kept = change(StateWrong, StateWrong)
	return c
}

// change finds the questions that were in one state with the first system and are in
// another with this one.
func (k *marking) change(system int, from, to AnswerState, examples int) AnswerChange {
	c := AnswerChange{From: from, To: to, Examples: []ChangedAnswer{}}
	for _, i := range k.item {
		if k.state(0, i) != from || k.state(system, i) != to {
			continue
		}
		e := ChangedAnswer{k.questions[i].Question, []string{}, k.reply(0, i).Text, k.reply(system, i).Text}
		if k.covered(i) {
			c.Covered++
			e.Right = k.questions[i].Right
		} else {
			c.Uncovered++
		}
		if len(c.Examples) < examples {
			c.Examples = append(c.Examples, e)
		}
	}
	return c
}
