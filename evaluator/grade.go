package evaluator

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// graded is a passage or strip with what its grade rests on.
type graded struct {
	q       *question
	passage *assay.Passage
	body    *analysis
	x       [stripFeatureCount]float64 // of a passage the last three are unused
	best    int                        // position of the best sentence, -1 for none
	said    *analysis                  // the best sentence by itself, where conflicts are looked for
	// strengths are how well each term of the question is matched, anywhere.
	strengths []float64
	// own are how well each term is matched in the text itself.
	own []float64
	// hollow is why the text can't answer though its words match, or "".
	hollow string
	// reading is what the network makes of the passage, begin where the passage begins
	// in what it has read; nil without one.
	reading *reading
	begin   int
	cosine  float64 // with the question, where it was read
	byWords float64 // the grade by the words alone, a probability
	grade   assay.Grade
}

// Grade grades each passage by itself, then looks at the set for what is stale,
// contradictory or missing. It implements [assay.Grader].
func (e *Evaluator) Grade(ctx context.Context, q assay.Query, passages []assay.Passage) (assay.Assessment, error) {
	all := make([]graded, len(passages))
	g := newGrading(ctx, e, q)
	if err := g.readAll(passages); err != nil {
		return assay.Assessment{}, err
	}
	for i := range passages {
		if err := ctx.Err(); err != nil {
			return assay.Assessment{}, err
		}
		p := &passages[i]
		all[i].passage = p
		g.measure(&all[i], e.analyze(p.Text, p.Language), setting{})
		g.scorePassage(&all[i])
	}
	out := assay.Assessment{Grades: make([]assay.Grade, len(all))}
	for i := range all {
		all[i].explain()
		all[i].doubtVague()
	}
	out.Conflicts = e.conflicts(all)
	for i := range all {
		out.Grades[i] = all[i].grade
	}
	out.Missing = missingOf(all)
	return out, nil
}

// gradeText is the probability that a bare text answers the question, by its
// features alone: the caps for texts that only look like answers are for
// documents, and an answer that repeats the question's words is no such thing.
func (e *Evaluator) gradeText(ctx context.Context, q assay.Query, answer string) float64 {
	g := newGrading(ctx, e, q)
	one := &graded{passage: &assay.Passage{Text: answer}}
	g.measure(one, e.analyze(answer, ""), setting{})
	return logistic(e.weights.Passage.logit(0, one.x[:]))
}

// grading is one call: a measurer for each language among the texts, and the
// passages whose strips are graded.
type grading struct {
	e         *Evaluator
	ctx       context.Context
	query     assay.Query
	language  string // of the question, "" where it can't be told
	states    bool   // the question is a sentence that states; the network was trained on questions
	measurers map[string]*measurer
	wholes    map[wholeKey]*graded
	readings  map[wholeKey]*reading
	cosines   map[string]float64 // of what was read of passages, and of strips
}

func newGrading(ctx context.Context, e *Evaluator, q assay.Query) *grading {
	return &grading{e: e, ctx: ctx, query: q, language: text.Detect(q.Question), states: states(q.Question), measurers: map[string]*measurer{}, wholes: map[wholeKey]*graded{}, readings: map[wholeKey]*reading{}, cosines: map[string]float64{}}
}

// measure fills in the features of a text; its title and headings are added to
// what it stands among.
func (g *grading) measure(one *graded, body *analysis, in setting) {
	language := one.passage.Language
	m := g.measurers[language]
	if m == nil {
		m = newMeasurer(g.e.question(g.ctx, g.query.Question, g.query.Collection, language))
		g.measurers[language] = m
	}
	in.title = g.e.headings(*one.passage)
	one.q, one.body = m.q, body
	one.best = m.measure(body, in, one.x[:featureCount])
	one.strengths, one.own = make([]float64, len(m.q.terms)), slices.Clone(m.body)
	for j := range one.strengths {
		one.strengths[j] = max(m.body[j], m.title[j], m.around[j])
	}
	if one.hollow = m.hollow(body); one.hollow == "" {
		one.hollow = sibling(g.query.Question, one.passage)
	}
}

// headings is the title and the headings of a passage taken apart, nil where it
// has none.
func (e *Evaluator) headings(p assay.Passage) *analysis {
	s := strings.TrimSpace(p.Title + "\n" + strings.Join(p.Heading, "\n"))
	if s == "" {
		return nil
	}
	return e.analyze(s, p.Language)
}

// leastRead is how many words a passage has at least that the network reads: it would
// take the headings of "TBD" for an answer.
const leastRead = 4

// states tells whether a question is a sentence that states.
func states(question string) bool {
	s := strings.TrimSpace(question)
	return strings.HasSuffix(s, ".") && kindOf(s) == kindOther && text.MoodOf(s, "") == text.States
}

// readAll has the network read passages, all at once, as it is fastest.
func (g *grading) readAll(passages []assay.Passage) error {
	if g.e.reader == nil || len(passages) == 0 {
		return nil
	}
	var pairs []*assay.Passage
	for i := range passages {
		if p := &passages[i]; !g.states && g.unread(p) == "" && len(text.Words(p.Text)) >= leastRead {
			pairs = append(pairs, &passages[i])
		}
	}
	readings, err := g.e.readPassages(g.ctx, g.query.Question, pairs)
	if err != nil {
		return err
	}
	var texts []string
	for i, r := range readings {
		g.readings[keyOf(pairs[i])] = r
		s, _ := readable(pairs[i])
		texts = append(texts, s)
	}
	return g.near(texts)
}

// near finds how near texts are to the question.
func (g *grading) near(texts []string) error {
	if len(texts) == 0 {
		return nil
	}
	cosines, err := g.e.cosines(g.ctx, g.query.Question, texts)
	for i, c := range cosines {
		g.cosines[texts[i]] = c
	}
	return err
}

// unread is why the network doesn't read a passage, "" where it does: it was trained to
// read English.
func (g *grading) unread(p *assay.Passage) string {
	const because = "was graded by words alone, because %s is in another language than English (%s)"
	switch {
	case g.e.reader == nil:
		return ""
	case foreign(g.language):
		return fmt.Sprintf(because, "the question", g.language)
	case foreign(p.Language):
		return fmt.Sprintf(because, "it", p.Language)
	}
	return ""
}

// foreign tells whether a language is known and isn't English.
func foreign(language string) bool { return language != "" && language != "en" }

// scorePassage grades a passage by its features, and by the network where it was read.
func (g *grading) scorePassage(one *graded) {
	one.grade.Caveat = g.unread(one.passage)
	z := g.e.weights.Passage.logit(0, one.x[:])
	one.byWords = one.capped(logistic(z))
	if one.reading = g.readings[keyOf(one.passage)]; one.reading != nil {
		var s string
		s, one.begin = readable(one.passage)
		one.cosine = g.cosines[s]
		z = g.e.weights.Network.Passage.logit(0, one.reading.passageFeatures(z, one.cosine, one.body, one.begin))
	}
	one.grade.Score = one.capped(logistic(z))
}

// capped is a grade, or less of a text that only looks like an answer.
func (one *graded) capped(grade float64) float64 {
	if one.hollow != "" || one.stranger() {
		return min(grade, hollowCap)
	}
	return grade
}

// enough is how well a term must be matched to count as mentioned: by synonym or a likely
// form of the word.
const enough = 0.5

// telling is the share of the question from which a missing term is named: a judgement,
// about one word of eight.
const telling = 0.12

// explain says why a grade below the upper threshold is poor.
func (one *graded) explain() {
	if one.grade.Score >= assay.DefaultThresholds.Upper {
		return
	}
	q := one.q
	heaviest, share, found := -1, 0.0, false
	for j, t := range q.terms {
		if one.strengths[j] >= enough {
			found = true
		} else if t.share > share {
			heaviest, share = j, t.share
		}
	}
	switch {
	case one.hollow != "":
		one.poor(assay.Insufficient, one.hollow)
	case !found && q.script != "" && script(one.body.text) != q.script:
		one.poor(assay.Irrelevant, "is written in another script than the question")
	case !found:
		one.poor(assay.Irrelevant, "holds no word of the question")
	case heaviest >= 0 && share >= telling:
		reason := assay.Insufficient
		if one.grade.Score < assay.DefaultThresholds.Lower {
			reason = assay.Irrelevant
		}
		one.poor(reason, fmt.Sprintf("does not mention “%s”", q.terms[heaviest].surface))
	case one.x[fAsks] == 1:
		one.poor(assay.Insufficient, "repeats the question without an answer")
	case one.unmet():
		one.poor(assay.Insufficient, "mentions the subject but gives no "+wantedKind[q.kind])
	default:
		one.poor(assay.Insufficient, "mentions the subject, but no sentence of it answers")
	}
}

// vagueCap is the most that a passage is graded for a vague question: just below
// the upper threshold, so that its answer is flagged.
const vagueCap = 0.74

// doubtVague lowers the grade where the question says so little ("It doesn't
// work.") that to hold all of it means nothing.
func (one *graded) doubtVague() {
	telling := 0
	for _, t := range one.q.terms {
		if t.named || t.figure {
			return
		}
		if !t.frame {
			telling++
		}
	}
	if telling <= 1 && one.q.kind != kindDefinition && one.grade.Score > vagueCap {
		one.grade.Score = vagueCap
		one.poor(assay.Insufficient, "holds the one telling word of a vague question")
	}
}

func (one *graded) poor(r assay.Reason, note string) { one.grade.Reason, one.grade.Note = r, note }

// unmet tells whether the kind of answer asked for is nowhere near the best
// sentence.
func (one *graded) unmet() bool {
	for i, k := range kinds {
		if k == one.q.kind {
			return wantedKind[k] != "" && one.x[fKind+3*i] == 1
		}
	}
	return false
}

// wantedKind names the kind of answer for a person.
var wantedKind = map[kind]string{
	kindHowTo: "steps", kindDefinition: "definition", kindNumber: "number", kindDate: "date", kindWho: "name",
	kindWhere: "place", kindWhy: "reason", kindList: "list",
}

// missingOf says what no passage of the set covers, where none is good.
func missingOf(all []graded) string {
	if len(all) == 0 {
		return ""
	}
	q := all[0].q
	unmet := true
	most := make([]float64, len(q.terms))
	for i := range all {
		if all[i].grade.Score >= assay.DefaultThresholds.Upper {
			return ""
		}
		unmet = unmet && all[i].unmet()
		for j := range most {
			if j < len(all[i].strengths) {
				most[j] = max(most[j], all[i].strengths[j])
			}
		}
	}
	if q.onlyStop {
		return "the question holds no word to look for"
	}
	var words []string
	for j, t := range q.terms {
		if most[j] < enough && t.share >= telling {
			words = append(words, "“"+t.surface+"”")
		}
	}
	switch {
	case len(words) > 0:
		return "no passage mentions " + strings.Join(words, " or ")
	case unmet:
		return "no passage gives a " + wantedKind[q.kind]
	}
	return ""
}
