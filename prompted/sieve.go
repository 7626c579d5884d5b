package prompted

import (
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// sieve makes segments of the units of a draft, and leaves out what is no part of an
// answer: headings, the list of sources at its end, words that say that there is no
// answer, and what was said already.
type sieve struct {
	out func(assay.Segment) // wants each segment once it is sure; may be nil

	segments []assay.Segment
	told     int  // how many of them somebody was told of
	over     bool // the rest is no answer
	evasive  bool // the draft begins like one that says nothing, and cites nothing after that
	seen     map[string]bool
}

// newSieve makes a sieve that leaves out what is known already: to the reader, or to
// the model from its prompt.
func newSieve(known []string, out func(assay.Segment)) *sieve {
	s := &sieve{out: out, seen: map[string]bool{}}
	for _, t := range known {
		s.seen[fingerprint(t)] = true
	}
	return s
}

// write takes in the next unit.
func (s *sieve) write(u unit) {
	if len(s.segments) == 0 {
		u.text = withoutLabel(u.text)
	}
	if s.over || s.leavesOut(u) {
		return
	}
	s.seen[fingerprint(u.text)] = true
	segment := assay.Segment{Text: u.text, Cites: u.cites, Line: u.line}
	if len(s.segments) == 0 {
		s.evasive = evades(u)
		segment.Line, segment.Short = u.line && ownLine(u.text), isShort(u.text)
	}
	s.segments = append(s.segments, segment)
	if n := len(s.segments); n > longestEvasion || n > 1 && len(u.cites) > 0 {
		s.evasive = false
	}
	if !s.evasive {
		s.tell()
	}
}

// leavesOut tells whether a unit is no part of an answer, and whether that is over.
func (s *sieve) leavesOut(u unit) bool {
	begun := len(s.segments) > 0
	switch {
	case u.line && trailer(u.text):
		s.over = begun
		return begun || text.IsHeading(u.text)
	case saysNoAnswer(u):
		s.over = !begun
		return true
	}
	return !strings.ContainsFunc(u.text, isWordRune) || text.IsHeading(u.text) || echo().MatchString(u.text) || s.seen[fingerprint(u.text)]
}

// longestEvasion is how many sentences a reply may have that says nothing.
const longestEvasion = 3

// tell passes on what is sure, where somebody wants it: what nobody has been told of
// can still be taken back.
func (s *sieve) tell() {
	if s.out == nil {
		return
	}
	for ; s.told < len(s.segments); s.told++ {
		s.out(s.segments[s.told])
	}
}

// rest tells what is left to tell, and returns all segments.
func (s *sieve) rest() []assay.Segment {
	s.tell()
	return s.segments
}

// forget leaves out all that nobody has been told of.
func (s *sieve) forget() {
	s.segments = s.segments[:s.told]
	s.over, s.evasive = false, false
}

// evasion is what the reply says where it is none: the words of a refusal, or "".
// ok tells whether it is an evasion at all.
func (s *sieve) evasion() (refusal string, ok bool) {
	if !s.evasive {
		return "", false
	}
	first := s.segments[0].Text
	if findsNothing(first) {
		return "", true
	}
	return first, true
}

// What a draft begins with is an answer in a few words, and no sentence, up to so many
// words, or without a stop at its end up to so many: "28 days", "Yes.". Judgements.
const (
	fewWords         = 3
	fewWordsUnclosed = 8
)

// isShort tells whether a text only means something with its question.
func isShort(s string) bool {
	n := len(text.Words(s))
	return !ownLine(s) && (n <= fewWords || n <= fewWordsUnclosed && !endsWhole(s))
}

// ownLine tells whether a text is a list item, a table or code.
func ownLine(s string) bool {
	return strings.HasPrefix(s, "|") || text.Fence(s) != "" || listItem().MatchString(s)
}

// listItem begins an item of a list.
var listItem = lazily(`^([-*+•◦▪–]|\(?\d{1,3}[.)]|[a-zA-Z]\)) `)
