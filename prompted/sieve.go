package prompted

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

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
		return begun || isHeading(u.text)
	case saysNoAnswer(u):
		s.over = !begun
		return true
	}
	return !strings.ContainsFunc(u.text, isWordRune) || isHeading(u.text) || echo().MatchString(u.text) || s.seen[fingerprint(u.text)]
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
	return strings.HasPrefix(s, "|") || fenceOf(s) != "" || listItem().MatchString(s)
}

// isHeading tells whether a text is a heading or a rule.
func isHeading(s string) bool {
	marks := len(s) - len(strings.TrimLeft(s, "#"))
	return 1 <= marks && marks <= 6 && len(s) > marks && s[marks] == ' '
}

// bare is a text without emphasis, quotes, marks of headings and the stop at its end,
// in small letters.
func bare(s string) string {
	s = strings.Trim(strings.TrimSpace(s), "*_#>`\"'“”„‘’«»()[]{}:.!。 ")
	return strings.ReplaceAll(strings.ToLower(s), "’", "'")
}

// labels are what a model may put before its answer, and trailers before a list of
// sources, folded.
var (
	labels   = []string{"answer", "final answer", "the answer", "response", "antwort", "réponse", "respuesta", "risposta", "resposta", "antwoord", "回答", "答案", "답변"}
	trailers = []string{"sources", "source", "references", "reference", "citations", "evidence", "evidence used", "sources used", "footnotes",
		"quellen", "quelle", "quellenangaben", "belege", "références", "fuentes", "fonti", "fontes", "bronnen", "参考资料", "来源", "出典"}
)

// withoutLabel takes "Answer:" off the beginning of a draft.
func withoutLabel(s string) string {
	before, after, ok := cutColon(s)
	if ok && slices.Contains(labels, bare(before)) {
		return strings.TrimSpace(strings.TrimLeft(after, "*_ "))
	}
	if slices.Contains(labels, bare(s)) && isHeading(s) {
		return ""
	}
	return s
}

func cutColon(s string) (before, after string, ok bool) {
	if before, after, ok = strings.Cut(s, ":"); ok {
		return before, after, ok
	}
	return strings.Cut(s, "：")
}

// trailer tells whether a text is the heading of a list of sources, or that with the
// list, whose marks have been taken out, in the same line.
func trailer(s string) bool {
	if before, after, ok := cutColon(s); ok && !strings.ContainsFunc(after, isWordRune) {
		return slices.Contains(trailers, bare(before))
	}
	return (isHeading(s) || strings.HasPrefix(s, "**")) && slices.Contains(trailers, bare(s))
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// fingerprint is a text as far as it says the same as another.
func fingerprint(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(".*_", r) }), " ")
}

var (
	// echo is a line of the prompt that a model repeats.
	echo = lazily(`^((BEGIN|END) [0-9a-f]{24}\b|PASSAGE( \d+)? \|)`)

	listItem = lazily(`^([-*+•◦▪–]|\(?\d{1,3}[.)]|[a-zA-Z]\)) `)
)

// lazily returns a pattern that is compiled when it is first used.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
