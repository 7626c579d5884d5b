package assay

import "fmt"

// facts are all that the choice of the next step may depend on.
type facts struct {
	mode Mode // never ModeAuto

	needsRetrieval bool
	hasPassages    bool
	verdict        Verdict
	rewrites       int  // searches of the index with other words
	newWords       bool // the last rewrite found some
	nothingNew     bool // the best that the last search with other words found was known, or the index could not be asked again
	drafts         int

	unsupported bool // the last draft had a claim that the evidence doesn't carry
	notUseful   bool // the last draft is rated below useful, or empty
	uncarried   bool // the evidence carries nothing of any draft, or nothing was written

	canRewrite  bool // a search is affordable besides one for the fallback, and other words may bring what is new
	canFallback bool // a search is affordable, and the fallback may be asked and wasn't
	canDraft    bool // a draft is affordable, and the last one differed from those before
	canQuote    bool // there is somebody to quote the evidence instead
	spent       bool // time, money, tokens or calls are used up
}

// unsure tells whether the verdict is one that blends: some of the evidence may
// serve, none of it surely does.
func (f facts) unsure() bool { return f.verdict == Ambiguous || f.verdict == Undetermined }

// decide chooses the way on from a step: the first edge of the table whose
// condition holds. It is pure: the same facts, the same way.
func decide(from Step, f facts) edge {
	for _, e := range edges {
		if (e.from == from || e.from == anyStep) && e.holds(f) {
			return e
		}
	}
	panic(fmt.Sprintf("assay: no edge leaves %s", from)) // a hole in the table, which its test rules out
}
