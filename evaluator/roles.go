package evaluator

import (
	"slices"
	"strings"

	"github.com/assay-rag/assay/text"
)

// A sentence with several values of a kind gives each its role by the words
// around it: in "256 for incremental builds, and 16 for others", 16 is nothing
// that incremental builds have. So a value is read with its own segment of the
// sentence, up to where the next one's begins.

// roleWords say by themselves which of several values is meant.
var roleWords = set("default defaults defaulted minimum maximum min max minimal maximal least most average median mean initial initially final " +
	"first last total lower upper recommended required optional previous previously former formerly current currently new old original originally")

// segment is the part of a sentence that one of its anchors owns.
type segment struct {
	text.Span
	// held are the claim's terms in it; common ones, before a colon, are
	// everyone's.
	held map[int]bool
	// strange tells that it has words that the claim lacks.
	strange bool
	// opposed tells that it has a term of the claim with "non-" more or less.
	opposed bool
}

// segments divides a clue's sentence among anchors, in reading order.
func (s *statement) segments(c *clue, anchors []text.Span) []segment {
	out := make([]segment, len(anchors))
	start := c.sentence.Start
	if colon := strings.Index(c.a.text[start:anchors[0].Start], ": "); colon >= 0 {
		start += colon
	}
	for i, a := range anchors {
		end := c.sentence.End
		if i+1 < len(anchors) {
			end = divide(c.a.text, a.End, anchors[i+1].Start)
		}
		out[i] = segment{Span: text.Span{Start: start, End: end}, held: map[int]bool{}}
		s.fill(&out[i], c, anchors, a)
		start = end
	}
	return out
}

// roleReach is how many words a role word may stand from its value: "the default
// value of 8". From farther off it is said of all values. A judgement.
const roleReach = 3

// fill finds the claim's terms and others in the segment of an anchor.
func (s *statement) fill(g *segment, c *clue, anchors []text.Span, own text.Span) {
	at := 0
	denied := deniedAt(c.sentence.Of(c.a.text))
	for t := c.sentence.lo; t < c.sentence.hi; t++ {
		token := c.a.tokens[t]
		for at < len(c.hits) && int(c.hits[at].token) < t {
			at++
		}
		if token.Start < g.Start || token.End > g.End || within(token.Span, anchors) {
			continue
		}
		known := false
		for k := at; k < len(c.hits) && int(c.hits[k].token) == t; k++ {
			j := int(c.hits[k].term)
			if prefixedNon(c.a.text, token.Start) != s.non[j] || denied[token.Start-c.sentence.Start] && !s.denied[j] && !s.negated {
				g.opposed = true
				continue
			}
			known = true
			g.held[j] = g.held[j] || !roleWords[strings.ToLower(s.terms[j].surface)] || wordsBetween(c.a.text, token.Span, own) <= roleReach
		}
		g.strange = g.strange || !known
	}
}

// wordsBetween counts the words between two spans of s.
func wordsBetween(s string, a, b text.Span) int {
	if a.Start > b.Start {
		a, b = b, a
	}
	return len(text.Words(s[a.End:max(a.End, b.Start)]))
}

// prefixedNon tells whether the word at a byte of s has "non-" before it.
func prefixedNon(s string, at int) bool {
	return at >= 4 && strings.EqualFold(s[at-4:at-1], "non") && (s[at-1] == '-' || s[at-1] == ' ')
}

// divide returns where, between two anchors, the words of the first end: at the
// strongest break, else half-way by words.
func divide(s string, from, to int) int {
	between := s[from:max(from, to)]
	for _, rank := range [][]string{
		{"; ", ". ", "\n", " but ", " while ", " whereas ", " instead of ", " rather than "},
		{", and ", ", or ", ", then "}, {", ", " and ", " or ", " (", ") ", " – ", " — "},
	} {
		first := -1
		for _, mark := range rank {
			if at := strings.Index(between, mark); at >= 0 && (first < 0 || at < first) {
				first = at
			}
		}
		if first >= 0 {
			return from + first + 1
		}
	}
	words := text.Words(s[from:to])
	if len(words) == 0 {
		return to
	}
	return from + words[len(words)/2].Start
}

// around returns the claim's terms near a part of it, which say what its role is:
// those of its clause where the claim has other values, else all.
func (s *statement) around(t *crux) []int {
	lo, hi := 0, len(s.text)
	for _, v := range s.cruxes {
		if v.kind != t.kind || v.Span == t.Span {
			continue
		}
		if v.End <= t.Start {
			lo = max(lo, divide(s.text, v.End, t.Start))
		} else if v.Start >= t.End {
			hi = min(hi, divide(s.text, t.End, v.Start))
		}
	}
	var out []int
	for i, p := range s.places {
		j := s.order[i]
		if p.Start >= lo && p.End <= hi && !slices.Contains(t.terms, j) && !s.terms[j].figure && !slices.Contains(out, j) {
			out = append(out, j)
		}
	}
	return out
}

// displaced tells whether, of the anchors of a sentence, another one than own has
// the role that the claim gives to a part.
func (s *statement) displaced(t *crux, c *clue, anchors []text.Span, own int) bool {
	if !s.negated && ruledOut(c.a.text[c.sentence.Start:anchors[own].Start]) {
		return true
	}
	if len(anchors) < 2 {
		return false
	}
	segments := s.segments(c, anchors)
	roles := s.around(t)
	mine := segments[own]
	for i, g := range segments {
		if i == own {
			continue
		}
		theirs, ours, decisive := 0.0, 0.0, 0
		for _, j := range roles {
			switch {
			case g.held[j] && !mine.held[j]:
				theirs += s.terms[j].share
				if roleWords[strings.ToLower(s.terms[j].surface)] {
					decisive++
				}
			case mine.held[j] && !g.held[j]:
				ours += s.terms[j].share
				if roleWords[strings.ToLower(s.terms[j].surface)] {
					decisive--
				}
			}
		}
		if mine.opposed && theirs > 0 || mine.strange && (decisive > 0 || decisive == 0 && theirs > 0 && ours == 0) {
			return true
		}
	}
	return false
}

// ruledOut tells whether what stands before a part names it as what is not so:
// "… instead of".
func ruledOut(before string) bool {
	before = strings.ToLower(strings.TrimRight(before, " \t\n\"'`“‘*_("))
	for _, words := range [...]string{" instead of", " rather than", " not", " no longer", " unlike", " as opposed to", " other than", " except", " never"} {
		if strings.HasSuffix(before, words) {
			return true
		}
	}
	return false
}

// inRole tells whether the anchor of a sentence stands among the words that the
// claim has around a part.
func (s *statement) inRole(t *crux, c *clue, anchors []text.Span, at int) bool {
	g := s.segments(c, anchors)[at]
	return slices.ContainsFunc(s.around(t), func(j int) bool { return g.held[j] })
}
