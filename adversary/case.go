package adversary

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/assay-rag/assay"
)

// Kind says what is hard about a question.
type Kind string

// The kinds.
const (
	Ambiguous     Kind = "ambiguous"     // several things are meant by its words
	Deprecated    Kind = "deprecated"    // about what is deprecated, removed or replaced
	NotCovered    Kind = "not_covered"   // about something that occurs nowhere
	Stale         Kind = "stale"         // an older document says otherwise
	Contradictory Kind = "contradictory" // two documents of like standing disagree
	NearMiss      Kind = "near_miss"     // what it asks is only said of a sibling
	FalsePremise  Kind = "false_premise" // takes for granted what isn't so
	Control       Kind = "control"       // plain: a system that abstains always fails it
)

// Kinds returns all kinds, in the order in which they are made.
func Kinds() []Kind {
	return []Kind{Ambiguous, Deprecated, NotCovered, Stale, Contradictory, NearMiss, FalsePremise, Control}
}

// Case is a question with what a right answer to it is. A file has one a line, as
// JSON, and may be edited by hand.
type Case struct {
	// ID is the kind and a number, unique in a set that Make made.
	ID       string `json:"id"`
	Question string `json:"question"`
	Kind     Kind   `json:"kind"`
	// Expect is the outcome wanted; those in AlsoOK are no mistake either.
	Expect assay.Outcome   `json:"expect"`
	AlsoOK []assay.Outcome `json:"also_ok,omitempty"`
	// Answer is a right answer in short; empty where there is none.
	Answer string `json:"answer"`
	// MustContain and MustNotContain bind where an answer is shown. Letter case,
	// white space, and how a number is written don't matter; a string is found as
	// whole words.
	MustContain    []string `json:"must_contain"`
	MustNotContain []string `json:"must_not_contain"`
	// Documents are the IDs of those in Places.
	Documents []string `json:"documents"`
	// Why says in one sentence why the case is of its kind.
	Why    string  `json:"why"`
	Places []Place `json:"places"`
	// Accepted is what a person said of the case: false leaves it out of a run; null
	// means that nobody has looked.
	Accepted *bool `json:"accepted"`

	about string // what a set shouldn't be about more often than it must
}

// Place is where something stands.
type Place struct {
	Document string `json:"document"`
	// Heading is the path of headings above it, joined by " › ".
	Heading string `json:"heading"`
	// Text is bytes Start to End of the document's text.
	Text  string `json:"text"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// String says where the place is, for a person: "leave.md, “Carrying over”".
func (p Place) String() string {
	if p.Heading == "" {
		return p.Document
	}
	parts := strings.Split(p.Heading, " › ")
	return p.Document + ", “" + parts[len(parts)-1] + "”"
}

// Runs tells whether the case is asked in a run: unless a person refused it.
func (c Case) Runs() bool { return c.Accepted == nil || *c.Accepted }

// Write writes the cases, one a line.
func Write(w io.Writer, cases []Case) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, c := range cases {
		if err := enc.Encode(c); err != nil {
			return fmt.Errorf("adversary write: %w", err)
		}
	}
	return nil
}

// maxRow is the longest row that Read takes, in bytes.
const maxRow = 1 << 20

// Read reads cases as Write writes them. Fields that it doesn't know are passed
// over, and blank lines too; an error names the line.
func Read(r io.Reader) ([]Case, error) {
	var out []Case
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxRow)
	n := 0
	for lines.Scan() {
		n++
		row := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if row == "" {
			continue
		}
		var c Case
		err := json.Unmarshal([]byte(row), &c)
		if err == nil {
			err = c.check()
		}
		if err != nil {
			return nil, fmt.Errorf("adversary read: line %d: %w", n, err)
		}
		out = append(out, c)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("adversary read: line %d: %w", n+1, err)
	}
	return out, nil
}

// check refuses a row that can't be asked.
func (c Case) check() error {
	outcomes := []assay.Outcome{assay.Answered, assay.Partial, assay.Abstained}
	switch {
	case strings.TrimSpace(c.Question) == "":
		return errors.New(`"question" is missing`)
	case c.Kind == "":
		return errors.New(`"kind" is missing`)
	}
	for _, o := range append([]assay.Outcome{c.Expect}, c.AlsoOK...) {
		if !slices.Contains(outcomes, o) {
			return fmt.Errorf(`%q is no outcome: write answered, partial or abstained`, o)
		}
	}
	return nil
}
