package prompted

import (
	"errors"
	"fmt"
	"strings"

	"github.com/assay-rag/assay"
)

// gradeAll is the form of a reply on several passages. The sentences come before
// the score, so that the model looks before it judges; and it is short, because what
// a model writes is what takes its time.
var gradeAll = schemaOf("grades", `{"type":"object","additionalProperties":false,
"required":["passages","conflicts","missing"],"properties":{
"passages":{"type":"array","items":{"type":"object","additionalProperties":false,
"required":["passage","sentences","reason","score"],"properties":{
"passage":{"type":"integer"},"sentences":{"type":"array","items":{"type":"integer"}},
"reason":{"type":"string","enum":["relevant","insufficient","irrelevant","stale","contradictory"]},
"score":{"type":"number"}}}},
"conflicts":{"type":"array","items":{"type":"object","additionalProperties":false,
"required":["a","b","newer","note"],"properties":{
"a":{"type":"integer"},"b":{"type":"integer"},"newer":{"type":"integer"},"note":{"type":"string"}}}},
"missing":{"type":"string"}}}`)

// gradeOne is the form of a reply on one passage.
var gradeOne = schemaOf("grade", `{"type":"object","additionalProperties":false,
"required":["sentences","reason","score"],"properties":{
"sentences":{"type":"array","items":{"type":"integer"}},
"reason":{"type":"string","enum":["relevant","insufficient","irrelevant"]},
"score":{"type":"number"}}}`)

// gradesReply is a reply of the form gradeAll.
type gradesReply struct {
	Passages  list[gradeReply]    `json:"passages"`
	Conflicts list[conflictReply] `json:"conflicts"`
	Missing   words               `json:"missing"`
}

// gradeReply is a reply of the form gradeOne, or one of those in gradesReply.
type gradeReply struct {
	Passage   id      `json:"passage"`
	Sentences numbers `json:"sentences"`
	Reason    words   `json:"reason"`
	Score     number  `json:"score"`
}

type conflictReply struct {
	A     id    `json:"a"`
	B     id    `json:"b"`
	Newer id    `json:"newer"`
	Note  words `json:"note"`
}

// grading is what the judge has said of blocks so far.
type grading struct {
	assay.Assessment
	blocks []block
	before []int // how many strips are numbered before each block's
}

// newGrading is a grading where nothing has been said: all are undetermined.
func newGrading(blocks []block) *grading {
	g := &grading{blocks: blocks, before: make([]int, len(blocks))}
	g.Grades, g.Strips = make([]assay.Grade, len(blocks)), make([][]assay.Grade, len(blocks))
	n := 0
	for i := range blocks {
		g.Grades[i] = assay.Grade{Undetermined: true, Note: "the judge said nothing of it"}
		g.before[i] = n
		n += len(blocks[i].strips)
	}
	return g
}

// What a reply takes at most, in tokens, about: for itself, for a passage and for a
// sentence.
const (
	tokensPerReply    = 200
	tokensPerPassage  = 40
	tokensPerSentence = 4
)

// prompt asks about all blocks at once.
func (g *grading) prompt(question string) prompt {
	return g.ask("judge_grades", question, prompt{schema: gradeAll})
}

// promptOne asks about the only block.
func (g *grading) promptOne(question string) prompt {
	return g.ask("judge_grade", question, prompt{schema: gradeOne})
}

func (g *grading) ask(name, question string, p prompt) prompt {
	sentences := 0
	for _, b := range g.blocks {
		sentences += len(b.strips)
	}
	data := struct {
		Mark               fence
		Evidence, Question string
		Passages           int
	}{Evidence: evidence(g.blocks), Question: indented(question), Passages: len(g.blocks)}
	data.Mark = newFence(data.Evidence, data.Question)
	p.system = render(name+".system", nil)
	p.user = render(name+".user", data)
	p.maxTokens = tokensPerReply + tokensPerPassage*len(g.blocks) + tokensPerSentence*sentences
	return p
}

// take keeps what a reply says of each block, by its number alone, and says what it
// doesn't say. A later reply on the same blocks replaces what it speaks of.
func (g *grading) take(r gradesReply) error {
	said := make([][]gradeReply, len(g.blocks))
	for _, p := range r.Passages {
		if i := int(p.Passage) - 1; 0 <= i && i < len(said) {
			said[i] = append(said[i], p)
		}
	}
	var problems []string
	for i, replies := range said {
		if problem := g.keep(i, replies); problem != "" {
			problems = append(problems, fmt.Sprintf("passage %d: %s", i+1, problem))
		}
	}
	g.Conflicts = conflictsIn(r.Conflicts, len(g.blocks))
	if g.Missing = oneLine(string(r.Missing), maxNote); r.Missing.label() == "none" || r.Missing.label() == "nothing" {
		g.Missing = ""
	}
	if problems != nil {
		return errors.New(strings.Join(problems, "; "))
	}
	return nil
}

// takeOne keeps what a reply says of the only block.
func (g *grading) takeOne(r gradeReply) error {
	if problem := g.keep(0, []gradeReply{r}); problem != "" {
		return errors.New(problem)
	}
	return nil
}

// keep makes the grades of a block of what was said of it. Where that says nothing,
// or two things, the block stays as it is; the problem is said.
func (g *grading) keep(i int, said []gradeReply) (problem string) {
	if len(said) == 0 {
		return "there is no grade"
	}
	score, ok := said[0].Score.within(0, 1)
	if !ok {
		problem = "the score is not a number from 0 to 1"
	}
	for _, other := range said[1:] {
		if other.Score != said[0].Score {
			problem = "there are several grades"
		}
	}
	if problem != "" {
		if g.Grades[i].Undetermined {
			g.Grades[i].Note = "the judge's reply can't be used: " + problem
		}
		return problem
	}
	grade := gradeOf(said[0].Reason, score)
	g.Grades[i] = grade
	g.Strips[i] = g.stripGrades(i, grade, said[0].Sentences)
	return ""
}

// maxNote is the longest text of the judge's that is shown to a person, in bytes.
const maxNote = 200

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

// unnamed is the score of a sentence that the judge did not name among those that
// help: low, but no certainty.
const unnamed = 0.1

// stripGrades are the grades of a block's strips: the passage's for those that the
// judge names, low for the others. Where it names none of a passage that is on the
// subject, it has said nothing of them: nil.
func (g *grading) stripGrades(i int, passage assay.Grade, named []int) []assay.Grade {
	out := make([]assay.Grade, len(g.blocks[i].strips))
	for s := range out {
		out[s] = assay.Grade{Score: min(unnamed, passage.Score), Reason: assay.Irrelevant}
	}
	none := true
	for _, n := range named {
		if s := n - 1 - g.before[i]; 0 <= s && s < len(out) { // else it is another passage's, or none
			out[s], none = passage, false
		}
	}
	if none && passage.Reason != assay.Irrelevant {
		return nil
	}
	return out
}

// conflictsIn are the conflicts between two of so many blocks, each pair once.
func conflictsIn(said []conflictReply, blocks int) []assay.Conflict {
	var out []assay.Conflict
	seen := map[[2]int]bool{}
	for _, c := range said {
		a, b := int(c.A)-1, int(c.B)-1
		pair := [2]int{min(a, b), max(a, b)}
		if pair[0] < 0 || pair[1] >= blocks || a == b || seen[pair] {
			continue
		}
		seen[pair] = true
		if c.Newer == c.A {
			a, b = b, a // A is the one that is superseded
		}
		out = append(out, assay.Conflict{A: a, B: b, Stale: c.Newer == c.A || c.Newer == c.B, Note: oneLine(string(c.Note), maxNote)})
	}
	return out
}

// failed is the error of a grading: none where something was said of some block.
func (g *grading) failed(err error) error {
	if err == nil {
		return nil
	}
	for _, grade := range g.Grades {
		if !grade.Undetermined {
			return nil
		}
	}
	return wrapped("judge grade", err)
}
