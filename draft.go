package assay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-rag/assay/text"
)

// DraftRequest is what an Answerer may see.
type DraftRequest struct {
	Query Query
	// Evidence is in the order of the documents; a Segment cites by position.
	Evidence []Strip
	// Conflicts says which evidence disagrees; A and B are positions in Evidence.
	Conflicts []Conflict
	// Avoid holds the claims of earlier drafts that the evidence did not carry:
	// a stricter draft leaves them out.
	Avoid []string
	// Said is what the reader has been told of the answer already: the draft goes on
	// from there, without saying it again.
	Said []string
	// OnText, if not nil, wants the text as it is generated, without marks of
	// citations; OnSegment wants each segment once it is complete. An Answerer that
	// has its draft at once need not call them. They may be called until Draft
	// returns, one call after the other; what OnSegment is given must be how
	// Draft.Segments begins.
	OnText    func(piece string)
	OnSegment func(Segment)
}

// Draft is an answer before it is checked.
type Draft struct {
	Segments []Segment
	// Verbatim says that all text is taken from the evidence, in the documents'
	// language.
	Verbatim bool
	// Notes say what the draft falls short in: that it ended in the middle
	// (ReasonTruncated), that the model refused (ReasonRefused), that it said nothing
	// or something else stood in for it (ReasonModelDown), or did so since the budget
	// was spent (ReasonBudget). With a note an answer is partial.
	Notes []Note
}

// Segment is a piece of a draft, of one sentence or several, with its citations.
type Segment struct {
	Text string
	// Cites are positions in DraftRequest.Evidence. Those that don't exist are
	// dropped and counted.
	Cites []int
	// Short marks an answer in a few words ("26 weeks") that only means something
	// with the question, and is checked together with it.
	Short bool
	// Line says that the segment begins on a line of its own, as a step, a table
	// or a second opinion does.
	Line bool
}

// minUseful is the rating from which an answer counts as useful.
const minUseful = 3

// checkedDraft is a draft with what the checks said of it.
type checkedDraft struct {
	strips    []Strip      // what the evidence of claims counts in
	given     int          // of those, what the Answerer was given and may cite
	claims    []draftClaim // those shown, in order
	removed   []draftClaim // those the evidence does not carry
	checked   bool         // all claims were
	unchecked bool         // some claim could not be
	useful    int          // 1 to 5; 0: not rated
	verbatim  bool         // all of it is quoted
	notes     []Note       // what the Answerer says it falls short in
	badCites  int
	total     int
}

// draftClaim is a claim on its way into the answer.
type draftClaim struct {
	Claim
	check    string // as it is checked: a short answer together with the question
	evidence []int  // positions in strips that carry it
	line     bool   // begins a line
}

// split cuts segments into claims: a verbatim or short segment, a table and a block of
// code is one, any other has one a sentence that states something. Citations that don't exist are dropped
// and counted.
func (d *checkedDraft) split(question string, segments []Segment, verbatim bool) []draftClaim {
	var claims []draftClaim
	for _, s := range segments {
		cites := slices.DeleteFunc(slices.Clone(s.Cites), func(i int) bool { return i < 0 || i >= d.given })
		d.badCites += len(s.Cites) - len(cites)
		spans := text.Sentences(s.Text)
		if verbatim || s.Short || strings.HasPrefix(s.Text, "|") || text.Fence(s.Text) != "" {
			spans = []text.Span{{Start: 0, End: len(s.Text)}}
		}
		for i, span := range spans {
			claim := draftClaim{check: strings.TrimSpace(span.Of(s.Text)), evidence: cites, line: s.Line && i == 0}
			if claim.check == "" || text.Asking(claim.check) {
				continue // a question claims nothing, least of all one that repeats the user's
			}
			claim.Text, claim.Support = claim.check, SupportUndetermined
			if s.Short {
				claim.check = "Question: " + question + " Answer: " + claim.Text
			}
			claims = append(claims, claim)
		}
	}
	d.total += len(claims)
	return claims
}

// maxCites is how many citations a claim carries at the most.
const maxCites = 3

// file takes in what the checker found of further claims: one that is carried is
// shown, cited to the evidence that carries it, and one that no evidence carries is
// removed. That does not sink the claims beside it.
func (d *checkedDraft) file(claims []draftClaim, findings []Finding) {
	for i, c := range claims {
		f := findings[i]
		c.Support, c.Score = f.Support, f.Score
		if carries := validEvidence(f.Evidence, len(d.strips)); len(carries) > 0 {
			c.evidence = preferCited(carries, c.evidence)
		}
		if f.Support == Unsupported || f.Support == Contradicted {
			d.removed = append(d.removed, c)
			continue
		}
		d.claims = append(d.claims, c)
	}
}

func validEvidence(positions []int, n int) []int {
	return slices.DeleteFunc(slices.Clone(positions), func(i int) bool { return i < 0 || i >= n })
}

// preferCited orders the evidence that carries a claim: what the draft itself
// cited first, the rest only where the draft cited none of it.
func preferCited(carries, cited []int) []int {
	var both []int
	for _, i := range carries {
		if slices.Contains(cited, i) {
			both = append(both, i)
		}
	}
	if len(both) > 0 {
		carries = both
	}
	return carries[:min(len(carries), maxCites)]
}

// mute tells whether nothing was written though the evidence might have served: the
// model refused, or its reply was empty. The notes say which.
func (d *checkedDraft) mute() bool {
	return len(d.claims) == 0 && len(d.removed) == 0 && len(d.notes) > 0
}

// notUseful tells whether the draft calls for more evidence. A model that says nothing
// says nothing with more evidence too.
func (d *checkedDraft) notUseful() bool {
	if d.mute() {
		return false
	}
	return len(d.claims) == 0 && len(d.removed) == 0 || d.useful > 0 && d.useful < minUseful
}

// repeats tells whether an earlier draft said the same from the same evidence:
// then another would too.
func (d *checkedDraft) repeats(earlier []checkedDraft) bool {
	for _, e := range earlier {
		if e.text(false) == d.text(false) && len(e.removed) == len(d.removed) && len(e.strips) == len(d.strips) {
			return true
		}
	}
	return false
}

// better tells whether d is the better candidate: useful before not, fewer
// claims removed, then the rating, then the support.
func (d *checkedDraft) better(than *checkedDraft) bool {
	rank := func(c *checkedDraft) []float64 {
		useful, shown := 0.0, 0.0
		if c.useful == 0 || c.useful >= minUseful {
			useful = 1
		}
		if len(c.claims) > 0 {
			shown = 1
		}
		return []float64{shown, useful, -float64(len(c.removed)), float64(c.useful), c.weakest()}
	}
	return slices.Compare(rank(d), rank(than)) > 0
}

// weakest is the lowest score among the claims shown; 0 where none is.
func (d *checkedDraft) weakest() float64 {
	if len(d.claims) == 0 {
		return 0
	}
	low := 1.0
	for _, c := range d.claims {
		low = min(low, c.Score)
	}
	return low
}

// grounded tells whether every claim shown is fully supported.
func (d *checkedDraft) grounded() bool {
	for _, c := range d.claims {
		if c.Support != Supported {
			return false
		}
	}
	return d.checked
}

// text is what is shown, with the citation numbers of each claim or without.
func (d *checkedDraft) text(cited bool) string {
	var b strings.Builder
	for i, c := range d.claims {
		switch {
		case i == 0:
		case c.line || strings.Contains(d.claims[i-1].Text, "\n"):
			b.WriteString("\n")
		default:
			b.WriteString(" ")
		}
		b.WriteString(c.Text)
		if cited {
			if strings.HasSuffix(c.Text, "```") || strings.HasSuffix(c.Text, "~~~") || strings.HasSuffix(c.Text, "|") {
				b.WriteString("\n") // a table or code stays whole
			} else if len(c.Citations) > 0 {
				b.WriteString(" ")
			}
			for _, n := range c.Citations {
				fmt.Fprintf(&b, "[%d]", n)
			}
		}
	}
	return b.String()
}

// cite numbers the evidence of the claims shown in the order of its appearance
// and returns the citations.
func (d *checkedDraft) cite() []Citation {
	citations := []Citation{}
	number := map[int]int{}
	for i := range d.claims {
		c := &d.claims[i]
		c.Citations = []int{}
		for _, e := range c.evidence {
			if number[e] == 0 {
				number[e] = len(citations) + 1
				citations = append(citations, citationOf(number[e], d.strips[e]))
			}
			c.Citations = append(c.Citations, number[e])
		}
	}
	return citations
}

func citationOf(n int, s Strip) Citation {
	return Citation{
		N: n, Document: s.Passage.Document, Title: s.Passage.Title, Heading: s.Passage.HeadingPath(), Quote: s.Text,
		Start: s.Start, End: s.End, Origin: s.Passage.Origin, Date: dateString(s.Passage.StatedDate()),
	}
}

// shown returns the claims of the answer.
func (d *checkedDraft) shown() []Claim {
	out := make([]Claim, len(d.claims))
	for i, c := range d.claims {
		out[i] = c.listed()
	}
	return out
}

// listed is the claim as it is reported: a list is never null.
func (c draftClaim) listed() Claim {
	if c.Citations == nil {
		c.Citations = []int{}
	}
	return c.Claim
}

// allClaims returns the claims of the draft, those removed last.
func (d *checkedDraft) allClaims() []Claim {
	out := d.shown()
	for _, c := range d.removed {
		out = append(out, c.listed())
	}
	return out
}

func (d *checkedDraft) detail(checks bool) string {
	if d.total == 0 {
		return "no answer in the evidence"
	}
	detail := fmt.Sprintf("%d claims from %d strips", d.total, len(d.strips))
	if checks {
		supported := 0
		for _, c := range d.claims {
			if c.Support == Supported {
				supported++
			}
		}
		detail += fmt.Sprintf(", %d supported, %d removed, useful %d of 5", supported, len(d.removed), d.useful)
	}
	if d.badCites > 0 {
		detail += fmt.Sprintf(", %d citations of nothing dropped", d.badCites)
	}
	return detail
}
