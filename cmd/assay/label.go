package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/calibrate"
)

// labelCmd asks a person about passages.
type labelCmd struct {
	Source    source    `embed:""`
	Encoding  encoding  `embed:"" group:"models"`
	Judging   judging   `embed:"" group:"models"`
	Narrow    narrowing `embed:""`
	Questions string    `arg:"" complete:"file" help:"A file with questions, one a line, or JSON lines with \"question\"."`
	Out       string    `type:"given" required:"" placeholder:"FILE" complete:"file" help:"Write the labels to this file; what is there stays, and is not asked again."`
	K         int       `short:"k" default:"3" placeholder:"N" help:"Ask about so many passages of a question at the most (default ${default})."`
}

// Help teaches by example.
func (labelCmd) Help() string {
	return `A question and a passage found for it are shown, and one key says whether the passage answers it: y yes, n no, u unsure (left for another time), b back, q quit. Each label is written at once; the same command goes on where you stopped.

The passage graded best comes first, of one question after the other, spread evenly over all grades, so that wherever you stop, what is labelled resembles the whole. Then come further passages, those nearest to the thresholds first. The grade isn't shown: it would make up your mind.

Examples:

    assay label --docs ./handbook --out labels.jsonl questions.txt
    assay calibrate --out handbook.json labels.jsonl
    assay eval gate labels.jsonl`
}

// Run finds passages and asks about them.
func (c *labelCmd) Run(ctx context.Context, e env) (err error) {
	if c.K < 1 {
		return misusef("leave the flag out for the default", "label: -k %d", c.K)
	}
	if e.raw == nil || !e.outTerminal {
		return misusef("run it in a terminal, without redirecting; or write the rows yourself: see assay eval --help", "label: there is no terminal to ask on")
	}
	questions, err := readQuestions(c.Questions)
	if err != nil {
		return err
	}
	_, grader, err := e.builtIn(c.Judging)
	if err != nil {
		return err
	}
	book, err := openBook(ctx, c.Out, grader)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, book.close()) }()
	proposals, err := c.find(ctx, e, questions)
	if err != nil {
		return err
	}
	open := slices.DeleteFunc(inOrder(proposals), func(a proposal) bool { return book.has(a.row(grader)) })
	s := labelling{e.outScreen(), &keyboard{in: e.stdin, raw: e.raw}, book, grader, open}
	return s.run()
}

// find searches for each question, as the engine does, and grades as the built-in
// evaluator does by itself.
func (c *labelCmd) find(ctx context.Context, e env, questions []string) ([]proposal, error) {
	filter, err := c.Narrow.filter()
	if err != nil {
		return nil, err
	}
	config, err := e.configure(c.Judging.given(c.Encoding.given()))
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"calibration", "model", "judge_model"} {
		config.values[name] = value{}
	}
	config.values["judge"], config.values["router"] = value{judgeOff, "default"}, value{routerBuiltin, "default"}
	desk, err := e.open(ctx, c.Source, config, "", &assay.Options{})
	if err != nil {
		return nil, err
	}
	defer desk.close()
	bar := e.newProgress(filepath.Base(c.Questions))
	defer bar.end()
	var out []proposal
	for i, q := range questions {
		found, err := desk.engine.Search(ctx, assay.Query{Question: q, Collection: c.Source.collection(), Filter: filter})
		if err != nil {
			return nil, err
		}
		out = append(out, proposalsOf(q, found.Passages, c.K)...)
		bar.update(int64(i+1), int64(len(questions)), fmt.Sprintf("%d/%d", i+1, len(questions)))
	}
	return out, nil
}

// proposal is a passage that a person may be asked about.
type proposal struct {
	question string
	passage  assay.PassageReport
	rank     int // among the passages of its question, by grade, from 0
}

// proposalsOf are the k passages graded best.
func proposalsOf(question string, passages []assay.PassageReport, k int) []proposal {
	var out []proposal
	for _, p := range passages {
		if p.Score != nil {
			out = append(out, proposal{question: question, passage: p})
		}
	}
	slices.SortStableFunc(out, func(a, b proposal) int { return cmp.Compare(*b.passage.Score, *a.passage.Score) })
	out = out[:min(k, len(out))]
	for i := range out {
		out[i].rank = i
	}
	return out
}

// row is the proposal as it is written, without a label.
func (a proposal) row(grader calibrate.Identity) labelRow {
	p := a.passage
	return labelRow{
		Question: a.question, Passages: []labelPassage{{p.Document, p.Title, p.Text}},
		Score: p.Score, Grader: &grader, Group: a.question,
	}
}

// inOrder puts the passage graded best of each question first, spread over all
// grades, and then the others, those nearest to a threshold first. However much of
// the first is labelled, it is a fair part of the whole, which the promise of a
// calibration needs; what is near a threshold tells most of where it should lie.
func inOrder(all []proposal) []proposal {
	var first, rest []proposal
	for _, a := range all {
		if a.rank == 0 {
			first = append(first, a)
		} else {
			rest = append(rest, a)
		}
	}
	slices.SortStableFunc(first, func(a, b proposal) int { return cmp.Compare(*b.passage.Score, *a.passage.Score) })
	t := assay.DefaultThresholds
	off := func(a proposal) float64 {
		return min(math.Abs(*a.passage.Score-t.Upper), math.Abs(*a.passage.Score-t.Lower))
	}
	slices.SortStableFunc(rest, func(a, b proposal) int { return cmp.Compare(off(a), off(b)) })
	return append(evenly(first), rest...)
}

// evenly reorders a list so that each beginning of it is spread evenly over the whole:
// by the positions with their bits reversed (van der Corput 1935).
func evenly[T any](list []T) []T {
	width := bits.Len(uint(max(len(list)-1, 0)))
	out := make([]T, 0, len(list))
	for i := range 1 << width {
		if at := int(bits.Reverse(uint(i)) >> (bits.UintSize - width)); at < len(list) {
			out = append(out, list[at])
		}
	}
	return out
}

// readQuestions reads questions, each once.
func readQuestions(path string) ([]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, failf("name a file with questions, one a line", "label: %w", err)
	}
	text, err := withoutMark("label: "+path, string(data))
	if err != nil {
		return nil, err
	}
	var out []string
	known := map[string]bool{"": true}
	for i, line := range strings.Split(text, "\n") {
		question := strings.TrimSpace(line)
		if strings.HasPrefix(question, "{") {
			var row struct{ Question string }
			if err := json.Unmarshal([]byte(question), &row); err != nil {
				return nil, failf("mend that line or take it out", "label: %s:%d: %w", path, i+1, err)
			}
			question = strings.TrimSpace(row.Question)
		}
		if !known[question] {
			known[question] = true
			out = append(out, question)
		}
	}
	if len(out) == 0 {
		return nil, failf("write questions into it, one a line", "label: %s has no question", path)
	}
	return out, nil
}
