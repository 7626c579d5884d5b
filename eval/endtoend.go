package eval

import (
	"context"
	"fmt"
	"strings"

	"github.com/assay-rag/assay"
)

// Asker answers questions, as an assay.Engine does. It may be called concurrently
// where Options.Workers is more than 1.
type Asker interface {
	Ask(ctx context.Context, q assay.Query) (*assay.Answer, error)
}

// AnswerSystem is something that answers questions from documents, under test.
type AnswerSystem struct {
	// Name stands above its figures, Version is what they belong to (see GateSystem).
	Name    string
	Version string
	Asker   Asker
}

// BuildAskers makes the systems over documents, as cut into passages; passages[i] are
// those of docs[i]. The first is what the others are compared with.
type BuildAskers func(ctx context.Context, docs []assay.Document, passages [][]assay.Passage) ([]AnswerSystem, error)

// EndToEndReport is what systems answer where the documents hold the answer, and where
// they don't.
type EndToEndReport struct {
	Task Task   `json:"task"`
	Set  string `json:"set"`
	Part Part   `json:"part"`
	Seed uint64 `json:"seed"`
	// Questions counts all, failures included; Uncovered those of them that no document
	// answers. Measured are those that no system failed on: all figures are of them.
	Questions int `json:"questions"`
	Uncovered int `json:"uncovered"`
	Measured  int `json:"measured"`
	Groups    int `json:"groups"`
	// Documents are in the index, LeftOut are not, so that questions are uncovered.
	Documents int `json:"documents"`
	LeftOut   int `json:"left_out"`
	// Systems are in the order in which they were given.
	Systems []AnswerFigures `json:"systems"`
	// Changes has one for each system but the first, which it is set against.
	Changes []AnswerChanges `json:"changes"`
}

// AnswerFigures are those of one system. Shares are in [0, 1], and not defined where
// there is nothing that they are shares of.
type AnswerFigures struct {
	Name    string   `json:"name"`
	Version string   `json:"version"`
	Failed  Failures `json:"failed"`
	// Wrong is the share of all questions with a wrong answer shown. One to an
	// uncovered question is wrong whatever it says: no document carries it.
	Wrong Compared `json:"wrong"`

	// Coverage is the share of the covered questions with an answer shown, answered or
	// partial.
	Coverage Compared `json:"coverage"`
	// Right is the share of the covered questions whose answer says a right one (see
	// HoldsAnswer), WrongCovered that with an answer that doesn't.
	Right        Compared `json:"right"`
	WrongCovered Compared `json:"wrong_covered"`
	// ExactMatch and F1 are means over the covered questions; a question without an
	// answer has 0.
	ExactMatch Compared `json:"exact_match"`
	F1         Compared `json:"f1"`
	// Cited is the share of the answers shown to covered questions of which a cited
	// quote says a right answer.
	Cited Compared `json:"cited"`
	// Misled is the share of the questions with misinformation whose answer repeats it.
	Misled Compared `json:"misled"`

	// Abstained is the share of the uncovered questions without an answer: of all,
	// of those whose documents are left out, and of those whose documents are there and
	// don't say it. Lucky is the share with an answer that says a right one
	// nevertheless, from a document about something else.
	Abstained        Compared `json:"abstained"`
	AbstainedLeftOut Compared `json:"abstained_left_out"`
	AbstainedOnTopic Compared `json:"abstained_on_topic"`
	Lucky            Compared `json:"lucky"`

	// Grounded is the share of the answers shown all of whose claims the system's own
	// checker found supported; not defined for a system that checks nothing.
	Grounded Compared `json:"grounded"`
	// Labels say what the system's labels are worth.
	Labels []LabelCount `json:"labels"`
	// Answered is the share of what is labelled answered that is right.
	Answered Compared `json:"answered_right"`

	// Calls and Tokens are means of what a question asked of language models; USD is
	// the mean cost, not defined where a price isn't known.
	Calls  float64 `json:"calls"`
	Tokens float64 `json:"tokens"`
	USD    Figure  `json:"usd"`
	// Time is how long a question took, in milliseconds.
	Time QueryTime `json:"ms"`
}

// LabelCount is how many questions got a label, by what the answer was.
type LabelCount struct {
	Outcome assay.Outcome `json:"outcome"`
	// Right and Wrong are answers to covered questions; an abstention is neither.
	Right  int `json:"right"`
	Wrong  int `json:"wrong"`
	Silent int `json:"silent"`
	// Uncovered are the questions that no document answers: an abstention is what they
	// should get.
	Uncovered int `json:"uncovered"`
}

// answered is what is kept of an Answer.
type answered struct {
	Outcome  assay.Outcome `json:"outcome"`
	Text     string        `json:"text"` // without the numbers of citations
	Quotes   []string      `json:"quotes,omitempty"`
	Grounded *bool         `json:"grounded,omitempty"`
	Calls    int           `json:"calls"`
	Tokens   int           `json:"tokens"`
	USD      *float64      `json:"usd"`
}

// EndToEnd puts the questions of a set to systems side by side, over one pool of its
// documents from which the setting leaves some out: the others are compared with the
// first, which is meant to be the one that a newcomer would build. A question that any
// of the systems failed on, or answered without the model or the source it should have
// asked, is in no figure but that system's Failed.
//
// An error means that the set doesn't fit, that the setting, the options or the
// systems are wrong, that the systems couldn't be built, that the context ended, that
// a system failed on every question, or that the journal doesn't fit.
func EndToEnd(ctx context.Context, set *Set, setting Setting, build BuildAskers, opts *Options) (*EndToEndReport, error) {
	o, err := opts.withDefaults()
	if err == nil {
		err = setting.validate()
	}
	if err != nil {
		return nil, fmt.Errorf("eval end-to-end: %w", err)
	}
	if err := set.require(TaskEndToEnd); err != nil {
		return nil, err
	}
	asked := setting.of(set, o.Seed)
	systems, err := build(ctx, asked.documents, asked.passages)
	if err != nil {
		return nil, fmt.Errorf("eval end-to-end: build the systems: %w", err)
	}
	m := measurement{task: TaskEndToEnd, set: set, items: len(asked.questions), key: asked.keyOf}
	if m.systems, err = contestants(len(systems), func(i int) (string, string, *assay.Thresholds) {
		return systems[i].Name, systems[i].Version, nil
	}); err != nil {
		return nil, fmt.Errorf("eval end-to-end: %w", err)
	}
	all, err := replies(ctx, o, m, func(ctx context.Context, s, i int) (answered, error) {
		return askOne(ctx, systems[s].Asker, asked.questions[i].query())
	})
	if err != nil {
		return nil, err
	}
	return newMarking(asked, m, all, o).report(o), nil
}

// askOne asks one question. An answer that something else stood in for is a failure:
// its figures would be of another system.
func askOne(ctx context.Context, asker Asker, q assay.Query) (answered, error) {
	a, err := asker.Ask(ctx, q)
	if err != nil {
		return answered{}, err
	}
	for _, n := range a.Reasons {
		if n.Code == assay.ReasonModelDown || n.Code == assay.ReasonSourceDown {
			return answered{}, fmt.Errorf("%s: %s", n.Code, n.Text)
		}
	}
	out := answered{Outcome: a.Outcome, Grounded: a.Grounded, Calls: a.Usage.Calls, Tokens: a.Usage.Tokens, USD: a.Usage.Cost}
	switch a.Outcome {
	case assay.Answered, assay.Partial:
	case assay.Abstained:
		return out, nil
	default:
		return out, fmt.Errorf("there is no outcome %q", a.Outcome)
	}
	var claims []string
	for _, c := range a.Claims {
		claims = append(claims, c.Text)
	}
	if out.Text = strings.Join(claims, " "); len(claims) == 0 {
		out.Text = a.Text
	}
	for _, c := range a.Citations {
		out.Quotes = append(out.Quotes, c.Quote)
	}
	return out, nil
}
