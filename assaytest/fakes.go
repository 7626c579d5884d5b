package assaytest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/assay-rag/assay"
)

// Retriever finds, for words, the texts listed for them, and Default for all
// other words; see Passages for how they are named.
type Retriever struct {
	Results map[string][]string
	Default []string
	Short   string // see assay.Found
	Err     error

	mu    sync.Mutex
	Asked []assay.Search // what it was asked, in order
}

// Retrieve implements assay.Retriever.
func (r *Retriever) Retrieve(ctx context.Context, s assay.Search) (assay.Found, error) {
	r.mu.Lock()
	r.Asked = append(r.Asked, s)
	r.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return assay.Found{}, err
	}
	if r.Err != nil {
		return assay.Found{}, r.Err
	}
	texts, ok := r.Results[s.Words]
	if !ok {
		texts = r.Default
	}
	return assay.Found{Passages: Passages(texts...), Short: r.Short}, nil
}

// Passages makes a passage of each text, each in a document of its own that is
// named by the text's first words.
func Passages(texts ...string) []assay.Passage {
	var out []assay.Passage
	for i, t := range texts {
		out = append(out, assay.Passage{
			Document: "d:" + t[:min(len(t), 24)], Title: fmt.Sprintf("Document %d", i+1), Text: t, End: len(t),
			Score: float64(len(texts) - i),
		})
	}
	return out
}

// Grader reads the grade off the first word of the passage: "0.80 …" is graded
// 0.80, "? …" Undetermined, and anything else 0. A strip has its passage's grade.
type Grader struct {
	Err       error
	Conflicts []assay.Conflict
}

// Grade implements assay.Grader.
func (g *Grader) Grade(_ context.Context, _ assay.Query, passages []assay.Passage) (assay.Assessment, error) {
	a := assay.Assessment{Conflicts: g.Conflicts}
	for _, p := range passages {
		a.Grades = append(a.Grades, gradeOf(p.Text))
	}
	return a, g.Err
}

// GradeStrips implements assay.Grader.
func (g *Grader) GradeStrips(_ context.Context, _ assay.Query, strips []assay.Strip) ([]assay.Grade, error) {
	var grades []assay.Grade
	for _, s := range strips {
		grades = append(grades, gradeOf(s.Passage.Text))
	}
	return grades, g.Err
}

func gradeOf(text string) assay.Grade {
	first, _, _ := strings.Cut(text, " ")
	if first == "?" {
		return assay.Grade{Undetermined: true, Note: "unsure"}
	}
	score, err := strconv.ParseFloat(first, 64)
	if err != nil {
		score = 0
	}
	g := assay.Grade{Score: score}
	if score < assay.DefaultThresholds.Lower {
		g.Reason = assay.Irrelevant
	}
	return g
}

// Answerer returns its Drafts in turn, the last one again and again; without any
// it quotes each piece of evidence. It tells a draft word by word and segment by
// segment to whom wants that.
type Answerer struct {
	Drafts []assay.Draft
	Err    error
	AtOnce bool // tells nothing of a draft before it is whole

	mu    sync.Mutex
	Asked []assay.DraftRequest
}

// Draft implements assay.Answerer.
func (a *Answerer) Draft(_ context.Context, r assay.DraftRequest) (assay.Draft, error) {
	d, err := a.next(r)
	if a.AtOnce || err != nil {
		return d, err
	}
	for _, s := range d.Segments {
		for word := range strings.SplitAfterSeq(s.Text+" ", " ") {
			if r.OnText != nil && word != "" {
				r.OnText(word)
			}
		}
		if r.OnSegment != nil {
			r.OnSegment(s)
		}
	}
	return d, nil
}

// next is the next draft.
func (a *Answerer) next(r assay.DraftRequest) (assay.Draft, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.Asked = append(a.Asked, r)
	if a.Err != nil {
		return assay.Draft{}, a.Err
	}
	if n := len(a.Drafts); n > 0 {
		return a.Drafts[min(len(a.Asked), n)-1], nil
	}
	d := assay.Draft{Verbatim: true}
	for i, s := range r.Evidence {
		d.Segments = append(d.Segments, assay.Segment{Text: s.Text, Cites: []int{i}})
	}
	return d, nil
}

// Says makes a draft of segments without citations.
func Says(texts ...string) assay.Draft {
	var d assay.Draft
	for _, t := range texts {
		d.Segments = append(d.Segments, assay.Segment{Text: t})
	}
	return d
}

// Checker takes a claim's support from the claim: one that holds the word
// "unsupported", "contradicted", "partial" or "undetermined" is so, any other is
// supported by the first piece of evidence. Without evidence all is unsupported.
type Checker struct{ Err error }

// Check implements assay.Checker.
func (c *Checker) Check(_ context.Context, claims []string, evidence []assay.Strip) ([]assay.Finding, error) {
	var out []assay.Finding
	for _, claim := range claims {
		f := assay.Finding{Support: assay.Supported, Score: 0.9, Evidence: []int{0}}
		for _, s := range []assay.Support{assay.Unsupported, assay.Contradicted, assay.PartiallySupported, assay.SupportUndetermined} {
			if strings.Contains(claim, string(s)) {
				f.Support, f.Score = s, 0.2
			}
		}
		if len(evidence) == 0 {
			f = assay.Finding{Support: assay.Unsupported}
		}
		out = append(out, f)
	}
	return out, c.Err
}

// Usefulness gives its Ratings in turn, the last one again and again; without
// any, 5.
type Usefulness struct {
	Ratings []int
	Err     error

	mu    sync.Mutex
	asked int
}

// Rate implements assay.Usefulness.
func (u *Usefulness) Rate(context.Context, assay.Query, string) (int, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.asked++
	if n := len(u.Ratings); n > 0 {
		return u.Ratings[min(u.asked, n)-1], u.Err
	}
	return 5, u.Err
}

// Rewriter returns its Words in turn, then none.
type Rewriter struct {
	Words []string
	Err   error

	mu   sync.Mutex
	Told [][]assay.SearchRound // what it was told, in order
}

// Rewrite implements assay.Rewriter.
func (r *Rewriter) Rewrite(_ context.Context, _ assay.Query, tried []assay.SearchRound) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Told = append(r.Told, tried)
	if r.Err != nil || len(r.Told) > len(r.Words) {
		return "", r.Err
	}
	return r.Words[len(r.Told)-1], nil
}

// Condenser puts the last question of the history before the question.
type Condenser struct{ Err error }

// Condense implements assay.Condenser.
func (c *Condenser) Condense(_ context.Context, q assay.Query) (string, error) {
	return q.History[len(q.History)-1].Question + " " + q.Question, c.Err
}

// Router always decides the same.
type Router struct {
	Decision assay.Route
	Err      error
}

// Route implements assay.Router.
func (r *Router) Route(context.Context, assay.Query) (assay.Route, error) { return r.Decision, r.Err }

// Parts returns a set of fakes over the texts: what is retrieved is quoted, all
// is supported and useful.
func Parts(texts ...string) assay.Parts {
	return assay.Parts{
		Retriever: &Retriever{Default: texts}, Grader: &Grader{}, Answerer: &Answerer{},
		Checker: &Checker{}, Usefulness: &Usefulness{},
	}
}
