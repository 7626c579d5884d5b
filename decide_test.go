package assay

import (
	"slices"
	"strings"
	"testing"
)

// allFacts yields every combination of what decide may depend on.
func allFacts(yield func(facts) bool) {
	for _, mode := range []Mode{ModeStandard, ModeCorrective, ModeReflective, ModeFull} {
		for _, verdict := range []Verdict{Correct, Ambiguous, Incorrect, Undetermined, NoVerdict} {
			for bits := range 1 << 14 {
				on := func(i int) bool { return bits&(1<<i) != 0 }
				f := facts{
					mode: mode, verdict: verdict, needsRetrieval: on(0), hasPassages: on(1), newWords: on(2), unsupported: on(3),
					notUseful: on(4), canRewrite: on(5), canFallback: on(6), canDraft: on(7), spent: on(8),
				}
				f.nothingNew, f.uncarried, f.canQuote = on(11), on(12), on(13)
				if on(9) {
					f.rewrites = 1
				}
				if on(10) {
					f.drafts = 1
				}
				if !yield(f) {
					return
				}
			}
		}
	}
}

func TestDecideKeepsItsPromises(t *testing.T) {
	taken := map[string]bool{}
	for f := range allFacts {
		for _, s := range steps {
			if s.step == StepFinish {
				continue
			}
			e := decide(s.step, f) // must not panic: every step has a way on
			taken[string(s.step)+e.when] = true
			switch {
			case f.spent && e.to != StepFinish:
				t.Fatalf("%s with the budget spent goes to %s: %+v", s.step, e.to, f)
			case e.to == StepFallback && !f.canFallback:
				t.Fatalf("%s goes to a fallback that may not be asked: %+v", s.step, f)
			case e.to == StepRewrite && !f.canRewrite:
				t.Fatalf("%s goes to a rewrite with nothing to try: %+v", s.step, f)
			case s.step == StepAnswer && e.to == StepAnswer && !f.canDraft:
				t.Fatalf("another draft that can't be afforded: %+v", f)
			case e.to == StepGrade && !f.mode.gates():
				t.Fatalf("mode %s has no gate and grades: %+v", f.mode, f)
			case s.step == StepGrade && e.to == StepRefine && f.verdict == Incorrect:
				t.Fatalf("incorrect evidence is refined: %+v", f)
			case s.step == StepRoute && e.to == StepRetrieve && !f.needsRetrieval:
				t.Fatalf("retrieval that is not needed: %+v", f)
			}
		}
	}
	for _, e := range edges {
		for _, s := range steps {
			if e.from == s.step && !taken[string(e.from)+e.when] {
				t.Errorf("the edge %s → %s (%s) can never be taken", e.from, e.to, e.when)
			}
		}
	}
}

func TestDecideTable(t *testing.T) {
	full := facts{mode: ModeFull, needsRetrieval: true, hasPassages: true, canDraft: true}
	with := func(change func(*facts)) facts { f := full; change(&f); return f }
	for _, c := range []struct {
		name string
		from Step
		f    facts
		want Step
	}{
		{"a question retrieves", StepRoute, full, StepRetrieve},
		{"small talk does not", StepRoute, with(func(f *facts) { f.needsRetrieval = false }), StepAnswer},
		{"standard answers ungraded", StepRetrieve, with(func(f *facts) { f.mode = ModeStandard }), StepAnswer},
		{"standard without hits ends", StepRetrieve, with(func(f *facts) { f.mode = ModeStandard; f.hasPassages = false }), StepFinish},
		{"the gate grades even nothing", StepRetrieve, with(func(f *facts) { f.hasPassages = false }), StepGrade},
		{"correct refines", StepGrade, with(func(f *facts) { f.verdict = Correct; f.canFallback, f.canRewrite = true, true }), StepRefine},
		{"ambiguous asks the index again", StepGrade, with(func(f *facts) { f.verdict = Ambiguous; f.canFallback, f.canRewrite = true, true }), StepRewrite},
		{"ambiguous again blends", StepGrade, with(func(f *facts) { f.verdict = Ambiguous; f.canFallback, f.canRewrite, f.rewrites = true, true, 1 }), StepFallback},
		{"undetermined like ambiguous", StepGrade, with(func(f *facts) { f.verdict = Undetermined }), StepRefine},
		{"incorrect rewrites first", StepGrade, with(func(f *facts) { f.verdict = Incorrect; f.canFallback, f.canRewrite = true, true }), StepRewrite},
		{"incorrect and exhausted falls back", StepGrade, with(func(f *facts) { f.verdict = Incorrect; f.canFallback = true }), StepFallback},
		{"incorrect with nothing left abstains", StepGrade, with(func(f *facts) { f.verdict = Incorrect }), StepFinish},
		{"no new words, ambiguous", StepRewrite, with(func(f *facts) { f.verdict = Ambiguous }), StepRefine},
		{"no new words after a useless answer", StepRewrite, with(func(f *facts) { f.verdict = Ambiguous; f.drafts = 1 }), StepFinish},
		{"unsupported drafts again", StepAnswer, with(func(f *facts) { f.unsupported, f.notUseful, f.canFallback = true, true, true }), StepAnswer},
		{"nothing carried and no draft left quotes", StepAnswer, with(func(f *facts) { f.unsupported, f.uncarried, f.canQuote, f.canDraft = true, true, true, false }), StepQuote},
		{"nothing carried and nobody to quote ends", StepAnswer, with(func(f *facts) { f.unsupported, f.uncarried, f.canDraft = true, true, false }), StepFinish},
		{"not useful fetches more", StepAnswer, with(func(f *facts) { f.notUseful, f.canFallback = true, true }), StepFallback},
		{"not useful without a draft left ends", StepAnswer, with(func(f *facts) { f.notUseful, f.canFallback, f.canDraft = true, true, false }), StepFinish},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := decide(c.from, c.f); got.to != c.want {
				t.Errorf("from %s to %s (%s), want %s", c.from, got.to, got.when, c.want)
			}
		})
	}
}

func TestMermaidDrawsTheTable(t *testing.T) {
	drawing := Mermaid()
	for _, e := range edges {
		if !strings.Contains(drawing, e.when) {
			t.Errorf("the edge %q is not drawn", e.when)
		}
	}
	if lines := strings.Count(drawing, "\n"); lines != 1+len(steps)+len(edges) {
		t.Errorf("%d lines for %d steps and %d edges", lines, len(steps), len(edges))
	}
}

func TestThresholdsVerdict(t *testing.T) {
	g := func(scores ...float64) (out []Grade) {
		for _, s := range scores {
			out = append(out, Grade{Score: s})
		}
		return out
	}
	undetermined := Grade{Undetermined: true, Score: 0.99}
	for _, c := range []struct {
		name   string
		grades []Grade
		want   Verdict
	}{
		{"none", nil, Incorrect},
		{"at the upper boundary", g(0.1, 0.75), Correct},
		{"just below it", g(0.7499), Ambiguous},
		{"at the lower boundary", g(0.35), Ambiguous},
		{"just below it", g(0.3499, 0), Incorrect},
		{"a failed grade is no grade of 0.99", []Grade{undetermined}, Undetermined},
		{"a failed grade is no grade of 0", append(g(0.1), undetermined), Undetermined},
		{"correct in spite of a failed one", append([]Grade{undetermined}, g(0.8)...), Correct},
		{"a failed one after an ambiguous", append(g(0.5), undetermined), Undetermined},
		{"an ambiguous after a failed one", append([]Grade{undetermined}, g(0.5)...), Undetermined},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := DefaultThresholds.Verdict(c.grades); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
	if got := (Thresholds{}).Verdict(g(0)); got != Correct {
		t.Errorf("a threshold of 0 is a threshold: a grade of 0 reaches it, got %s", got)
	}
}

func TestStripsOf(t *testing.T) {
	const doc = "## Parental leave\n\nBirth parents get 26 weeks. Others get 12.\n\n- Apply early.\n- Tell HR.\n\n" +
		"| a | b |\n|---|---|\n| 1 | 2 |\n\n```\nx = 1\n\ny = 2\n```\n\n~~~\nx = 1\n\n```\n~~~\n\nThe end."
	const before = "Some text before. "
	p := Passage{Document: "d", Text: doc, Start: len(before), End: len(before) + len(doc)}
	var got []string
	for _, s := range StripsOf(p) {
		if (before + doc)[s.Start:s.End] != s.Text {
			t.Errorf("strip %q is not at its offsets", s.Text)
		}
		got = append(got, s.Text)
	}
	want := []string{
		"Birth parents get 26 weeks.", "Others get 12.", "- Apply early.", "- Tell HR.",
		"| a | b |\n|---|---|\n| 1 | 2 |", "```\nx = 1\n\ny = 2\n```", "~~~\nx = 1\n\n```\n~~~", "The end.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
