package assay

import (
	"context"
	"fmt"
	"time"

	"github.com/assay-rag/assay/llm"
)

// SearchResult is what the gate makes of a search, with nothing generated.
type SearchResult struct {
	Version    int             `json:"version"` // AnswerVersion
	Question   string          `json:"question"`
	Verdict    Verdict         `json:"verdict"`
	Passages   []PassageReport `json:"passages"` // best first
	Thresholds Thresholds      `json:"thresholds"`
	Reasons    []Note          `json:"reasons"`
	Usage      UsageReport     `json:"usage"`
}

// Search retrieves once and grades what it found: the gate alone, without
// rewrites, fallback or an answer. In the modes without a gate nothing is graded.
// A grader that failed gives the verdict Undetermined and a reason, not an error.
func (e *Engine) Search(ctx context.Context, q Query) (*SearchResult, error) {
	r, err := e.newRun(q, nil)
	if err != nil {
		return nil, err
	}
	ctx, cancel := r.meter.Limit(llm.WithMeter(ctx, r.meter))
	defer cancel()
	r.mode, r.words, r.needsRetrieval = r.query.Mode, r.query.Question, true
	if r.mode == ModeAuto {
		r.mode = ModeFull
	}
	if _, err := r.retrieve(ctx); err != nil {
		return nil, fmt.Errorf("assay search: %w", err)
	}
	if r.mode.gates() {
		if _, err := r.grade(ctx); err != nil {
			r.note(ReasonUndetermined, "%v", err)
		}
		r.noteSearch()
	}
	return &SearchResult{
		Version: AnswerVersion, Question: r.query.Asked, Verdict: r.verdict, Passages: r.evidence.reports(r.opts.Wide),
		Thresholds: *r.opts.Thresholds, Reasons: append([]Note{}, r.notes...),
		Usage: usageReport(r.meter, time.Since(r.start)),
	}, nil
}

// noteSearch says what is wrong with what was found.
func (r *run) noteSearch() {
	if r.verdict == Incorrect {
		r.noteNoAnswer(nil)
		return
	}
	r.noteEvidence()
}
