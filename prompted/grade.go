package prompted

import (
	"errors"
	"slices"
	"time"

	"github.com/assay-rag/assay"
)

// gradeAll is the form of a reply on several passages. The model finds the answer and
// names the sentences that state it; the grades of passages follow from theirs. That
// is a tenth of what a grade for each passage takes to write, and small models can do
// it: asked for a grade each, a model of 1.5B gives every passage the same.
var gradeAll = schemaOf("grades", `{"type":"object","additionalProperties":false,
"required":["answer","sentences","partly","against","score","missing"],"properties":{
"answer":{"type":"string"},
"sentences":{"type":"array","items":{"type":"integer"}},
"partly":{"type":"array","items":{"type":"integer"}},
"against":{"type":"array","items":{"type":"integer"}},
"score":{"type":"number"},
"missing":{"type":"string"}}}`)

// gradesReply is a reply of the form gradeAll.
type gradesReply struct {
	Answer    words    `json:"answer"`
	Sentences *numbers `json:"sentences"`
	Partly    numbers  `json:"partly"`
	Against   numbers  `json:"against"`
	Score     number   `json:"score"`
	Missing   words    `json:"missing"`
}

// gradeOne is the form of a reply on one passage.
var gradeOne = schemaOf("grade", `{"type":"object","additionalProperties":false,
"required":["sentences","reason","score"],"properties":{
"sentences":{"type":"array","items":{"type":"integer"}},
"reason":{"type":"string","enum":["relevant","insufficient","irrelevant"]},
"score":{"type":"number"}}}`)

// gradeReply is a reply of the form gradeOne.
type gradeReply struct {
	Sentences numbers `json:"sentences"`
	Reason    words   `json:"reason"`
	Score     number  `json:"score"`
}

// The scores that the judge doesn't give as numbers. They are judgements.
const (
	partial = 0.5  // states a part of the answer: between the thresholds
	unnamed = 0.1  // not named among what helps: low, but no certainty
	stale   = 0.55 // what a superseded passage keeps at most, so that it carries no answer alone
)

// newerBy is how far apart two dates must lie for one passage to supersede the other:
// documents that were written down together differ by less.
const newerBy = 28 * 24 * time.Hour

// maxNote is the longest text of the judge's that is shown to a person, in bytes.
const maxNote = 200

// grading is what the judge has said of blocks so far.
type grading struct {
	assay.Assessment
	blocks []block
	places []place // of the sentences, in the order of their numbers
}

// place is where a sentence stands.
type place struct{ block, strip int }

// newGrading is a grading where nothing has been said: all are undetermined.
func newGrading(blocks []block) *grading {
	g := &grading{blocks: blocks}
	g.Grades, g.Strips = make([]assay.Grade, len(blocks)), make([][]assay.Grade, len(blocks))
	for i, b := range blocks {
		for s := range b.strips {
			g.places = append(g.places, place{i, s})
		}
	}
	g.unsaid("the judge said nothing")
	return g
}

// unsaid marks all as undetermined: nothing was said that can be used.
func (g *grading) unsaid(why string) {
	none := assay.Grade{Undetermined: true, Note: why}
	for i := range g.Grades {
		g.Grades[i], g.Strips[i] = none, g.alike(i, none)
	}
}

// alike gives all strips of a block the same grade.
func (g *grading) alike(block int, grade assay.Grade) []assay.Grade {
	return slices.Repeat([]assay.Grade{grade}, len(g.blocks[block].strips))
}

// What a reply takes at most, in tokens, about: for itself, and for each sentence
// that may be named in it.
const (
	tokensPerReply    = 250
	tokensPerSentence = 4
)

// prompt asks about all blocks at once.
func (g *grading) prompt(question string) prompt {
	return g.ask("judge_grades", question, gradeAll)
}

// promptOne asks about the only block.
func (g *grading) promptOne(question string) prompt {
	return g.ask("judge_grade", question, gradeOne)
}

func (g *grading) ask(name, question string, form *schema) prompt {
	data := struct {
		Mark               fence
		Evidence, Question string
		Sentences          int
	}{Evidence: evidence(g.blocks), Question: indented(question), Sentences: len(g.places)}
	data.Mark = newFence(data.Evidence, data.Question)
	return prompt{
		system: render(name+".system", nil), user: render(name+".user", data), schema: form,
		maxTokens: tokensPerReply + tokensPerSentence*len(g.places),
	}
}

// takeOne keeps what a reply says of the only block.
func (g *grading) takeOne(r gradeReply) error {
	score, ok := r.Score.within(0, 1)
	if !ok {
		return g.refuse("the score is not a number from 0 to 1")
	}
	grade, named := gradeOf(r.Reason, score), g.named(r.Sentences)
	g.Grades[0], g.Strips[0] = grade, g.alike(0, grade)
	if len(named) == 0 {
		return nil // it says nothing of the sentences: they are as good as the whole
	}
	g.Strips[0] = g.alike(0, assay.Grade{Score: min(unnamed, score), Reason: assay.Irrelevant})
	for _, n := range named {
		g.Strips[0][n] = grade
	}
	return nil
}

// gradeOf is a grade of what the judge says. A reason that isn't one of ours is a
// note.
func gradeOf(reason words, score float64) assay.Grade {
	switch r := assay.Reason(reason.label()); r {
	case assay.Irrelevant, assay.Insufficient, assay.Stale, assay.Contradictory:
		return assay.Grade{Score: score, Reason: r}
	case "relevant", "":
		return assay.Grade{Score: score}
	}
	return assay.Grade{Score: score, Note: oneLine(string(reason), maxNote)}
}

// take keeps what a reply says of the sentences, by their numbers alone. What speaks
// against itself counts as a part of the answer at most: an answer that isn't in the
// sentences named for it, or with something missing. A later reply that can be used
// replaces an earlier one.
func (g *grading) take(r gradesReply) error {
	if r.Sentences == nil {
		return g.refuse(`"sentences" is not there`)
	}
	states, partly, against := g.named(*r.Sentences), g.named(r.Partly), g.named(r.Against)
	score, ok := r.Score.within(0, 1)
	switch {
	case len(states) == 0 && len(*r.Sentences) > 0:
		return g.refuse("there is no sentence of these numbers")
	case len(states)+len(partly) == 0 && !r.Answer.empty():
		return g.refuse("there is an answer, and no sentence that states it")
	case len(states) > 0 && !ok:
		return g.refuse("the score is not a number from 0 to 1")
	}
	note := ""
	switch {
	case len(states) == 0:
	case r.Answer.empty():
		score, note = min(score, partial), "the judge names sentences, and no answer"
	case !shares(string(r.Answer), g.strips(states)):
		score, note = min(score, partial), "the judge's answer, “"+oneLine(string(r.Answer), 80)+"”, is not in the sentences it names"
	case !r.Missing.empty():
		score, note = min(score, partial), "missing: "+oneLine(string(r.Missing), maxNote)
	}
	g.grade(states, partly, against, assay.Grade{Score: score, Note: note})
	if g.Missing = ""; !r.Missing.empty() {
		g.Missing = oneLine(string(r.Missing), maxNote)
	}
	return nil
}

// refuse says what is wrong with a reply. What an earlier one said stays.
func (g *grading) refuse(why string) error {
	if !g.determined() {
		g.unsaid("the judge's reply can't be used: " + why)
	}
	return errors.New(why)
}

func (g *grading) determined() bool {
	return slices.ContainsFunc(g.Grades, func(grade assay.Grade) bool { return !grade.Undetermined })
}

// named are the sentences of these numbers that exist, counted from 0, each once.
func (g *grading) named(numbers []int) []int { return positions(numbers, len(g.places)) }

// grade grades each strip by whether it was named, and each passage as its best
// strip. Where neighbouring passages overlap, the judge names a sentence in one of
// them: it is as good in the other.
func (g *grading) grade(states, partly, against []int, full assay.Grade) {
	said := map[string]assay.Grade{}
	mark := func(sentences []int, grade assay.Grade) {
		for _, n := range sentences {
			if text := g.strip(n).Text; grade.Score > said[text].Score {
				said[text] = grade
			}
		}
	}
	mark(partly, assay.Grade{Score: partial, Reason: assay.Insufficient})
	if full.Score <= partial {
		full.Reason = assay.Insufficient
	}
	mark(states, full)
	if len(states) > 0 {
		mark(against, full)
	}
	none := assay.Grade{Score: unnamed, Reason: assay.Irrelevant}
	for i, b := range g.blocks {
		g.Grades[i], g.Strips[i] = none, g.alike(i, none)
		for s := range b.strips {
			if grade, ok := said[b.strips[s].Text]; ok {
				g.Strips[i][s] = grade
				if grade.Score > g.Grades[i].Score {
					g.Grades[i] = grade
				}
			}
		}
	}
	g.oppose(states, against)
}

// strip is the sentence of a number, counted from 0.
func (g *grading) strip(n int) *assay.Strip {
	p := g.places[n]
	return &g.blocks[p.block].strips[p.strip]
}

// strips are the sentences of these numbers.
func (g *grading) strips(numbers []int) []*assay.Strip {
	out := make([]*assay.Strip, len(numbers))
	for i, n := range numbers {
		out[i] = g.strip(n)
	}
	return out
}

// oppose notes the conflicts between passages that state the answer and those that
// state another. The older by its stated date, if that is clearly older, is stale.
func (g *grading) oppose(states, against []int) {
	g.Conflicts = nil
	seen := map[[2]int]bool{}
	for _, n := range states {
		seen[[2]int{g.places[n].block, g.places[n].block}] = true
	}
	for _, m := range against {
		for _, n := range states {
			a, b := g.places[n].block, g.places[m].block
			if pair := [2]int{a, b}; seen[pair] || seen[[2]int{b, b}] {
				continue // b states both
			}
			seen[[2]int{a, b}] = true
			x, y := g.strip(n), g.strip(m)
			older := superseded(x.Passage.StatedDate(), y.Passage.StatedDate())
			if older > 0 {
				a, b, x, y = b, a, y, x
			}
			c := assay.Conflict{A: a, B: b, Stale: older != 0, Note: quoted(x) + " against " + quoted(y)}
			g.Conflicts = append(g.Conflicts, c)
			if c.Stale {
				g.lower(a, assay.Grade{Score: stale, Reason: assay.Stale, Note: "superseded: " + c.Note})
			} else {
				g.lower(a, assay.Grade{Score: 1, Reason: assay.Contradictory, Note: c.Note})
				g.lower(b, assay.Grade{Score: 1, Reason: assay.Contradictory, Note: c.Note})
			}
		}
	}
}

// superseded tells which of two dates is clearly older: below 0 the first, above 0
// the second, 0 unknown.
func superseded(a, b time.Time) int {
	switch {
	case a.IsZero() || b.IsZero():
		return 0
	case b.Sub(a) >= newerBy:
		return -1
	case a.Sub(b) >= newerBy:
		return 1
	}
	return 0
}

// quoted is a strip with its date, for a person.
func quoted(s *assay.Strip) string {
	out := "“" + oneLine(s.Text, 80) + "”"
	if d := s.Passage.StatedDate(); !d.IsZero() {
		out += " (" + d.Format(time.DateOnly) + ")"
	}
	return out
}

// lower gives a passage, and those of its strips that help, the reason and the note
// of a grade, and at most its score.
func (g *grading) lower(block int, to assay.Grade) {
	low := func(grade *assay.Grade) {
		if grade.Reason != assay.Irrelevant && grade.Reason != assay.Stale {
			*grade = assay.Grade{Score: min(grade.Score, to.Score), Reason: to.Reason, Note: to.Note}
		}
	}
	low(&g.Grades[block])
	for s := range g.Strips[block] {
		low(&g.Strips[block][s])
	}
}

// failed wraps the error of asking, and drops it where the judge said something that
// can be used.
func (g *grading) failed(err error) error {
	if err == nil || g.determined() {
		return nil
	}
	return wrapped("grade the passages", err)
}
