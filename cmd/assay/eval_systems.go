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
	systemWords   = "words"   // the evaluator by words alone
	systemBM25    = "bm25"
	systemCosine  = "cosine"
	systemAlways  = "always"
	systemJudge   = "judge"
	systemCascade = "cascade"
)

// systemsOf are those that can do a task, and those that are measured where none is
// named.
func systemsOf(task eval.Task) (all, usual []string) {
	if task == eval.TaskUseful || task == eval.TaskRoute {
		return []string{systemBuiltin, systemAlways, systemJudge}, []string{systemBuiltin, systemAlways}
	}
	return []string{systemBuiltin, systemWords, systemBM25, systemCosine, systemAlways, systemJudge, systemCascade},
		[]string{systemBuiltin, systemBM25}
}

// systemFlags choose what is measured.
type systemFlags struct {
	Grader     []string `sep:"none" placeholder:"NAME" help:"What to measure: builtin (what assay ask uses), words (by words alone), bm25, cosine (of the encoder's vectors), always (everything passes), judge (a language model), cascade (builtin, and the judge where it is unsure). May be given again; the others are compared with the first (default builtin and bm25; for ratings and routes, which have builtin, always and judge, builtin and always)."`
	Encoding   encoding `embed:"" group:"models"`
	Judging    judging  `embed:"" group:"models"`
	Model      string   `type:"given" group:"models" placeholder:"NAME" help:"The language model that judges (else $$ASSAY_MODEL)."`
	JudgeModel string   `type:"given" group:"models" placeholder:"NAME" help:"The same, before --model."`
}

// field is the systems to be measured and what they are made of.
type field struct {
	names    []string // as given
	parts    assay.Parts
	words    *evaluator.Evaluator
	version  string        // of the built-in grader
	embedder eval.Embedder // nil: cosine is not measured
	models   *models       // nil: no model is
	judge    *prompted.Judge
}

func (f *field) close() {
	if f.models != nil {
		f.models.close()
	}
}

// field opens what the systems need for a task; for all of them where it is "". What
// models say is asked, and never taken from the cache: time and cost are measured too.
func (e env) field(ctx context.Context, s systemFlags, task eval.Task) (_ *field, err error) {
	known, _ := systemsOf(task)
	for i, name := range s.Grader {
		if !slices.Contains(known, name) {
			return nil, misusef("choose of: "+strings.Join(known, ", "), "eval: there is no --grader %s for this task", name)
		}
		if slices.Contains(s.Grader[:i], name) {
			return nil, misusef("name it once", "eval: --grader %s is given twice", name)
		}
	}
	f := &field{names: s.Grader}
	given := s.Judging.given(s.Encoding.given())
	given["model"], given["judge_model"], given["cache"] = s.Model, s.JudgeModel, "off"
	judges := slices.Contains(f.names, systemJudge) || slices.Contains(f.names, systemCascade)
	if judges {
		given["judge"] = judgeAlways
	}
	c, err := e.configure(given)
	if err != nil {
		return nil, err
	}
	if f.words, err = evaluator.New(nil, nil); err != nil {
		return nil, err
	}
	builtin, err := e.evaluator(c, nil, nil)
	if err != nil {
		return nil, err
	}
	f.parts, f.version = builtin.Parts(assay.RetrieverFunc(nil)), builtin.Version()
	if slices.Contains(f.names, systemCosine) {
		how, err := e.sense(ctx, c, source{})
		if err != nil {
			return nil, err
		}
		if f.embedder = how.embedder; how.embedder == nil {
			return nil, misusef("name an encoder: --encoder builtin", "eval: there are no vectors whose cosine could be measured")
		}
	}
	if !judges {
		return f, nil
	}
	parallel, err := c.whole("parallel")
	if err != nil {
		return nil, err
	}
	if f.models, err = e.models(c); err != nil {
		return nil, err
	}
	f.judge = prompted.NewJudge(f.models.judge, &prompted.JudgeOptions{PerPassage: c.get("judge_calls") == "each", Parallel: parallel})
	return f, nil
}

// in are the names of the systems for a task: those given that can do it, or the usual.
func (f *field) in(task eval.Task) []string {
	all, usual := systemsOf(task)
	if len(f.names) == 0 {
		return usual
	}
	return slices.DeleteFunc(slices.Clone(f.names), func(n string) bool { return !slices.Contains(all, n) })
}

// versionOf is what the figures of a system belong to.
func (f *field) versionOf(name string) string {
	switch name {
	case systemBuiltin:
		return f.version
	case systemWords:
		return f.words.Version()
	case systemCosine:
		return f.embedder.Model()
	case systemJudge:
		return f.models.judgeName
	case systemCascade:
		return f.version + " " + f.models.judgeName
	}
	return ""
}

// gate are the graders, over a set.
func (f *field) gate(set *eval.Set) []eval.GateSystem {
	return f.graders(eval.TaskGate, func() eval.GateSystem { return eval.BM25Gate(set) })
}

// strips are the graders of sentences, over a set.
func (f *field) strips(set *eval.Set) []eval.GateSystem {
	return f.graders(eval.TaskStrips, func() eval.GateSystem { return eval.BM25Strips(set) })
}

func (f *field) graders(task eval.Task, bm25 func() eval.GateSystem) []eval.GateSystem {
	var out []eval.GateSystem
	for _, name := range f.in(task) {
		s := eval.GateSystem{Grader: f.parts.Grader}
		switch name {
		case systemWords:
			s.Grader = f.words
		case systemBM25:
			s = bm25()
		case systemCosine:
			s = eval.CosineGate(f.embedder)
		case systemAlways:
			s = eval.AlwaysGate()
		case systemJudge:
			s.Grader = f.judge
		case systemCascade:
			s.Grader = prompted.NewCascade(f.parts.Grader, f.judge, nil)
		}
		s.Name, s.Version, s.Condenser = name, f.versionOf(name), f.parts.Condenser
		out = append(out, s)
	}
	return out
}

// support are the checkers, over a set.
func (f *field) support(set *eval.Set) []eval.SupportSystem {
	var out []eval.SupportSystem
	for _, name := range f.in(eval.TaskSupport) {
		s := eval.SupportSystem{Checker: f.parts.Checker}
		switch name {
		case systemWords:
			s.Checker = f.words
		case systemBM25:
			s = eval.BM25Support(set)
		case systemCosine:
			s = eval.CosineSupport(f.embedder)
		case systemAlways:
			s = eval.AlwaysSupport()
		case systemJudge:
			s.Checker = f.judge
		case systemCascade:
			s.Checker = prompted.NewCheckCascade(f.parts.Checker, f.judge)
		}
		s.Name, s.Version = name, f.versionOf(name)
		out = append(out, s)
	}
	return out
}

// useful are the raters.
func (f *field) useful() []eval.UsefulSystem {
	var out []eval.UsefulSystem
	for _, name := range f.in(eval.TaskUseful) {
		s := eval.UsefulSystem{Rater: f.parts.Usefulness}
		switch name {
		case systemAlways:
			s = eval.AlwaysUseful()
		case systemJudge:
			s.Rater = f.judge
		}
		s.Name, s.Version = name, f.versionOf(name)
		out = append(out, s)
	}
	return out
}

// route are the routers.
func (f *field) route() []eval.RouteSystem {
	var out []eval.RouteSystem
	for _, name := range f.in(eval.TaskRoute) {
		s := eval.RouteSystem{Router: f.parts.Router}
		switch name {
		case systemAlways:
			s = eval.AlwaysRoute()
		case systemJudge:
			s.Router = prompted.NewRouter(f.models.judge)
		}
		s.Name, s.Version = name, f.versionOf(name)
		out = append(out, s)
	}
	return out
}

// buildVersion is what the figures of the built-in parts belong to.
func buildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return ""
}
