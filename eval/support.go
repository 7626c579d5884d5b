package eval

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assay-rag/assay"
)

// SupportReport is how well a checker tells claims that the evidence carries
// from those that it doesn't.
type SupportReport struct {
	Task         Task             `json:"task"`
	Set          string           `json:"set"`
	Seed         uint64           `json:"seed"`
	Counts                        // the items are claims with evidence
	Undetermined Failures         `json:"undetermined"`
	Thresholds   assay.Thresholds `json:"thresholds"`
	// Quality is of the scores.
	Quality Quality `json:"quality"`
	// Labelled is of the checker's own labels: "supported" taken for positive,
	// all others not.
	Labelled LabelQuality `json:"labelled"`
	// Findings counts the claims by the checker's label.
	Findings []FindingCount `json:"findings"`
	// ClaimTime is the mean time a claim in milliseconds.
	ClaimTime float64   `json:"ms_per_claim"`
	Worst     []Example `json:"worst"`
}

// LabelQuality is how often labels are right.
type LabelQuality struct {
	BalancedAccuracy Estimate `json:"balanced_accuracy"`
	Accuracy         Estimate `json:"accuracy"`
}

// FindingCount is how many claims of each label got a finding.
type FindingCount struct {
	Support   assay.Support `json:"support"`
	Positives int           `json:"positives"`
	Negatives int           `json:"negatives"`
}

// Support measures a checker on a set, a claim a call. A claim on which the
// checker failed is undetermined. Errors are as with Gate.
func Support(ctx context.Context, set *Set, checker assay.Checker, opts *Options) (*SupportReport, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("eval support: options: %w", err)
	}
	if err := set.require(TaskSupport); err != nil {
		return nil, err
	}
	labels := make([]assay.Support, len(set.Support))
	j, failures, times, err := o.judge(ctx, "the checker", len(set.Support), func(i int) (Scored, error) {
		it := set.Support[i]
		finding, err := checkItem(ctx, checker, it)
		labels[i] = finding.Support
		return Scored{finding.Score, it.Positive, it.Group}, err
	})
	if err != nil {
		return nil, fmt.Errorf("eval support: %w", err)
	}
	labelled := j.decision(j.rescored(func(item int) float64 { return indicator(labels[item] == assay.Supported) }), 1)
	return &SupportReport{
		Task: TaskSupport, Set: set.Name, Seed: o.Seed, Counts: j.counts,
		Undetermined: failures, Thresholds: *o.Thresholds,
		Quality:   j.quality(*o.Thresholds),
		Labelled:  LabelQuality{labelled.BalancedAccuracy, labelled.Accuracy},
		Findings:  countFindings(set.Support, labels),
		ClaimTime: meanTime(times),
		Worst: j.worst(o.Worst, func(item int) (string, string) {
			return set.Support[item].Claim, joinStrips(set.Support[item].Evidence)
		}),
	}, nil
}

// checkItem asks the checker and refuses a finding that is not one. With an
// error the finding is SupportUndetermined.
func checkItem(ctx context.Context, checker assay.Checker, it SupportItem) (assay.Finding, error) {
	failed := assay.Finding{Support: assay.SupportUndetermined}
	findings, err := checker.Check(ctx, []string{it.Claim}, it.Evidence)
	if err != nil {
		return failed, err
	}
	if len(findings) != 1 {
		return failed, fmt.Errorf("%d findings for one claim", len(findings))
	}
	switch f := findings[0]; f.Support {
	case assay.Supported, assay.PartiallySupported, assay.Unsupported, assay.Contradicted:
		if err := checkScore(f.Score); err != nil {
			return failed, err
		}
		return f, nil
	case assay.SupportUndetermined:
		return failed, errors.New("found undetermined")
	default:
		return failed, fmt.Errorf("unknown support %q", f.Support)
	}
}

func countFindings(items []SupportItem, labels []assay.Support) []FindingCount {
	out := []FindingCount{
		{Support: assay.Supported}, {Support: assay.PartiallySupported}, {Support: assay.Unsupported},
		{Support: assay.Contradicted}, {Support: assay.SupportUndetermined},
	}
	for i, label := range labels {
		for k := range out {
			switch {
			case out[k].Support != label:
			case items[i].Positive:
				out[k].Positives++
			default:
				out[k].Negatives++
			}
		}
	}
	return out
}

func meanTime(times []time.Duration) float64 {
	var total time.Duration
	for _, t := range times {
		total += t
	}
	return milliseconds(total) / float64(len(times))
}

func joinStrips(strips []assay.Strip) string {
	parts := make([]string, len(strips))
	for i, s := range strips {
		parts[i] = s.Text
	}
	return strings.Join(parts, " ")
}
