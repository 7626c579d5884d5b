package main

import (
	"context"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/eval"
	"github.com/assay-rag/assay/evaluator"
	"github.com/assay-rag/assay/prompted"
)

// The systems that can be measured by name.
const (
	systemBuiltin = "builtin" // what "assay ask" uses
	systemWords   = "words"   // the evaluator without its network
	systemBM25    = "bm25"
	systemCosine  = "cosine"
	systemAlways  = "always"
	systemJudge   = "judge"
	systemCascade = "cascade"
)

var systemNames = []string{systemBuiltin, systemWords, systemBM25, systemCosine, systemAlways, systemJudge, systemCascade}

// systemFlags choose what is measured.
type systemFlags struct {
	Grader     []string `sep:"none" placeholder:"NAME" help:"What to measure: builtin (what assay ask uses), words (the evaluator by words alone), bm25, cosine (of the encoder's vectors), always (everything passes), judge (a language model), cascade (builtin, and the judge where it is unsure). May be given again; the others are compared with the first (default builtin, bm25)."`
	Encoding   encoding `embed:"" group:"models"`
	Model      string   `type:"given" group:"models" placeholder:"NAME" help:"The language model that judges (else $$ASSAY_MODEL)."`
	JudgeModel string   `type:"given" group:"models" placeholder:"NAME" help:"The same, before --model."`
}

// field is the systems to be measured and what they are made of.
type field struct {
	names    []string
	built    *evaluator.Evaluator
	words    *evaluator.Evaluator
	version  string
	embedder eval.Embedder   // nil: cosine is not measured
	models   *models         // nil: no model is
	judge    *prompted.Judge // the same
}

func (f *field) close() {
	if f.models != nil {
		f.models.close()
	}
}

// field opens what the systems need. What models say is asked and never taken from the
// cache: their time and cost are measured too.
func (e env) field(ctx context.Context, s systemFlags) (_ *field, err error) {
	f := &field{names: s.Grader, version: buildVersion()}
	if len(f.names) == 0 {
		f.names = []string{systemBuiltin, systemBM25}
	}
	for i, name := range f.names {
		if !slices.Contains(systemNames, name) {
			return nil, misusef("choose of: "+strings.Join(systemNames, ", "), "eval: there is no grader %q", name)
		}
		if slices.Contains(f.names[:i], name) {
			return nil, misusef("name it once", "eval: --grader %s is given twice", name)
		}
	}
	if f.built, err = evaluator.New(nil, nil); err != nil {
		return nil, err
	}
	if f.words, err = evaluator.New(nil, nil); err != nil {
		return nil, err
	}
	given := s.Encoding.given()
	given["model"], given["judge_model"], given["cache"] = s.Model, s.JudgeModel, "off"
	judged := f.has(systemJudge) || f.has(systemCascade)
	if judged {
		given["judge"] = judgeAlways
	}
	c, err := e.configure(given)
	if err != nil {
		return nil, err
	}
	if f.has(systemCosine) {
		how, err := e.sense(ctx, c, source{})
		if err != nil {
			return nil, err
		}
		if f.embedder = how.embedder; how.embedder == nil {
			return nil, misusef("name an encoder: --encoder builtin", "eval: there are no vectors whose cosine could be measured")
		}
	}
	if !judged {
		return f, nil
	}
	if f.models, err = e.models(c); err != nil {
		return nil, err
	}
	parallel, err := c.whole("parallel")
	if err != nil {
		f.close()
		return nil, err
	}
	f.judge = prompted.NewJudge(f.models.judge, &prompted.JudgeOptions{PerPassage: c.get("judge_calls") == "each", Parallel: parallel})
	return f, nil
}

func (f *field) has(name string) bool { return slices.Contains(f.names, name) }

// gate are the graders, over a set.
func (f *field) gate(set *eval.Set) []eval.GateSystem {
	var out []eval.GateSystem
	for _, name := range f.names {
		var s eval.GateSystem
		switch name {
		case systemBM25:
			s = eval.BM25Gate(set)
		case systemCosine:
			s = eval.CosineGate(f.embedder)
		case systemAlways:
			s = eval.AlwaysGate()
		default:
			s.Grader, s.Version = f.grader(name)
		}
		s.Name, s.Condenser = name, f.built
		out = append(out, s)
	}
	return out
}

// grader is one of those that are more than a rival, with its version.
func (f *field) grader(name string) (assay.Grader, string) {
	switch name {
	case systemWords:
		return f.words, f.version
	case systemJudge:
		return f.judge, f.models.judgeName
	case systemCascade:
		return prompted.NewCascade(f.built, f.judge, nil), f.version + " " + f.models.judgeName
	}
	return f.built, f.version
}

// support are the checkers, over a set.
func (f *field) support(set *eval.Set) []eval.SupportSystem {
	var out []eval.SupportSystem
	for _, name := range f.names {
		var s eval.SupportSystem
		switch name {
		case systemBM25:
			s = eval.BM25Support(set)
		case systemCosine:
			s = eval.CosineSupport(f.embedder)
		case systemAlways:
			s = eval.AlwaysSupport()
		default:
			s.Checker, s.Version = f.checker(name)
		}
		s.Name = name
		out = append(out, s)
	}
	return out
}

func (f *field) checker(name string) (assay.Checker, string) {
	switch name {
	case systemWords:
		return f.words, f.version
	case systemJudge:
		return f.judge, f.models.judgeName
	case systemCascade:
		return prompted.NewCheckCascade(f.built, f.judge), f.version + " " + f.models.judgeName
	}
	return f.built, f.version
}

// buildVersion is what the figures of the built-in parts belong to.
func buildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return ""
}
