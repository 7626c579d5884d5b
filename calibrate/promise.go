package calibrate

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Promise says of the gate: with this confidence, at most this share of the
// questions that it passes as Correct rest on insufficient evidence. It holds while
// new questions resemble the labelled ones and a higher grade is no worse a sign.
type Promise struct {
	// Risk is that share, in (0, 1).
	Risk float64 `json:"risk"`
	// Confidence is the probability, over the choice of the labels, that the promise
	// holds, in (0, 1).
	Confidence float64 `json:"confidence"`
	// Reached tells whether these labels bear it out. The fields below it say what
	// happened at Grade: the least that may be passed, or where none may, the first
	// that was looked at.
	Reached bool    `json:"reached"`
	Grade   float64 `json:"grade"`
	Passed  int     `json:"passed"`
	Wrong   int     `json:"wrong"`
	// Independent is how many questions it rests on: one a group.
	Independent int `json:"independent"`
	// Needed is how many questions must pass if none of them is wrong:
	// ln(1−Confidence)/ln(1−Risk), rounded up.
	Needed int `json:"needed"`
}

// The thresholds that are tried, by the log-odds of the grade, strictest first. They
// are fixed before any label is seen.
const (
	gridFrom, gridTo = 7, -5
	gridStep         = 0.05
)

// promise finds the lowest threshold on the grades that keeps the risk, by Learn
// then Test (Angelopoulos, Bates, Candès, Jordan and Lei 2021, §2 and its
// fixed-sequence testing; published in the Annals of Applied Statistics 19(2),
// 2025). Each threshold of the grid stands for the hypothesis that more than the
// risk of what it passes is wrong. The p-value is exact: the binomial probability of
// as few wrong ones among those passed. From the strictest threshold down,
// hypotheses are rejected until the first that can't be, so that no correction for
// their number is needed. Thresholds that pass too few for any rejection are not
// tested. That choice sees the grades and no label; where a higher grade is no worse
// a sign, it takes nothing from the confidence.
//
// The thresholds are on grades as the grader gives them, not on probabilities: the
// map keeps their order, so that the labels it was fitted to can be used again.
func promise(labels []Label, risk, confidence float64, seed uint64) Promise {
	tested := independent(labels, seed)
	p := Promise{Risk: risk, Confidence: confidence, Independent: len(tested), Needed: faultless(risk, confidence)}
	for step := range int((gridFrom-gridTo)/gridStep) + 1 {
		grade := logistic(gridFrom - float64(step)*gridStep)
		passed, wrong := passedAt(tested, grade)
		if passed < p.Needed {
			continue
		}
		rejected := binomialTail(wrong, passed, risk) <= 1-confidence
		if rejected || !p.Reached {
			p.Grade, p.Passed, p.Wrong = grade, passed, wrong
		}
		if !rejected {
			break
		}
		p.Reached = true
	}
	return p
}

// passedAt counts what a threshold passes, and what is wrong of it.
func passedAt(labels []Label, grade float64) (passed, wrong int) {
	for _, l := range labels {
		if l.Score >= grade {
			passed++
			if !l.Positive {
				wrong++
			}
		}
	}
	return passed, wrong
}

// faultless is how many must pass without a wrong one.
func faultless(risk, confidence float64) int {
	return int(math.Ceil(math.Log(1-confidence) / math.Log1p(-risk)))
}

// independent takes one question a group, drawn by the seed: groups of any make are
// then a sample of independent questions (single subsampling: Dunn, Wasserman and
// Ramdas 2018; Lee, Barber and Willett 2023 on hierarchical data), where every group
// counts the same. Of a question whose passages are labelled one by one it takes the
// one graded best, because the verdict rests on that.
func independent(labels []Label, seed uint64) []Label {
	questions := bestOfEach(labels)
	of, groups := groupNumbers(questions)
	random := rand.New(rand.NewPCG(seed, promiseStream))
	out, seen := make([]Label, groups), make([]int, groups)
	for i, l := range questions {
		g := of[i]
		seen[g]++
		if random.IntN(seen[g]) == 0 { // each of a group is kept with the same probability
			out[g] = l
		}
	}
	return out
}

// bestOfEach keeps, of the labels of one question in one group, the one graded best;
// a wrong one where two are graded alike.
func bestOfEach(labels []Label) []Label {
	type key struct{ question, group string }
	at := map[key]int{}
	var out []Label
	for _, l := range labels {
		k := key{l.Question, l.Group}
		i, known := at[k]
		switch {
		case l.Question == "":
			out = append(out, l)
		case !known:
			at[k] = len(out)
			out = append(out, l)
		case l.Score > out[i].Score, l.Score == out[i].Score && !l.Positive:
			out[i] = l
		}
	}
	return out
}

// String is the promise in one sentence, or why there is none and what would help.
func (p Promise) String() string {
	claim := fmt.Sprintf("with confidence %g %%, at most %g %% of the answers passed as Correct rest on insufficient evidence", percent(p.Confidence), percent(p.Risk))
	switch {
	case p.Reached:
		return fmt.Sprintf("%s, as long as new questions resemble the labelled ones. It holds from grade %.2f on, where %d of %d pass and %d of them are wrong", claim, p.Grade, p.Passed, p.Independent, p.Wrong)
	case p.Passed == 0:
		return fmt.Sprintf("not reachable with these labels: that %s. At least %d independent questions, one a group, must pass without a wrong one, and there are %d: label more", claim, p.Needed, p.Independent)
	}
	return fmt.Sprintf("not reachable with these labels: that %s. Of the %d graded best (from %.2f), %d are wrong: the grades don't tell them apart well enough, or there are too few labels; %d without a wrong one would do, or a higher risk",
		claim, p.Passed, p.Grade, p.Wrong, p.Needed)
}

// percent is a share in percent without the noise of its last digits.
func percent(share float64) float64 { return math.Round(share*1e4) / 100 }
