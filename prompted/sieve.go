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

// noAnswer is what a model is told to say where the evidence holds no answer.
const noAnswer = "NO_ANSWER"

// sieve makes segments of the units of a draft, and leaves out what is no part of an
// answer: headings, the list of sources at its end, words that say that there is no
// answer, and what was said already.
type sieve struct {
	out func(assay.Segment) // wants each segment once it is sure; may be nil

	segments []assay.Segment
	told     int  // how many of them somebody was told of
	over     bool // the rest is no answer
	evasive  bool // the draft begins like one that says nothing, and cites nothing so far
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
	if s.over {
		return
	}
	if len(s.segments) == 0 {
		u.text = withoutLabel(u.text)
	}
	switch {
	case !strings.ContainsFunc(u.text, isWordRune), isHeading(u.text):
		s.over = trailer(u.text) && len(s.segments) > 0
		s.citeLast(u.cites)
		return
	case u.line && trailer(u.text) && len(s.segments) > 0:
		s.over = true
		return
	case echo().MatchString(u.text):
		return
	case saysNoAnswer(u):
		s.over = len(s.segments) == 0
		return
	case s.seen[fingerprint(u.text)]:
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

// citeLast adds the marks of a unit that is left out to the last segment that nobody
// has been told of.
func (s *sieve) citeLast(cites []int) {
	if n := len(s.segments); n > s.told {
		s.segments[n-1].Cites = append(s.segments[n-1].Cites, cites...)
	}
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

// saysNoAnswer tells whether a unit is NO_ANSWER or begins with it; one that speaks
// of it in other words says so with a citation.
func saysNoAnswer(u unit) bool {
	if b := bare(u.text); strings.HasPrefix(b, "no_answer") || b == "no answer" {
		return true
	}
	return strings.Contains(u.text, noAnswer) && len(u.cites) == 0
}

// evades tells whether a draft that begins with the unit may say nothing. One with a
// citation does only where it speaks of what it was given: that a document does not
// cover water damage may well be the answer.
func evades(u unit) bool {
	if len(u.cites) > 0 {
		return findsNothing(u.text) && ofThePrompt().MatchString(u.text)
	}
	return refuses(u.text) || findsNothing(u.text)
}

// refuses tells whether a sentence is how a model begins that won't answer.
func refuses(s string) bool {
	s = bare(s)
	return slices.ContainsFunc(refusals, func(r string) bool { return strings.HasPrefix(s, r) })
}

var refusals = []string{
	"i'm sorry", "i am sorry", "sorry, ", "sorry but", "i can't", "i cannot", "i can not", "i'm unable", "i am unable", "i'm not able", "i am not able",
	"i won't", "i will not", "i must decline", "i apologize", "i apologise", "my apologies", "as an ai", "unfortunately, i c", "unfortunately, i am",
	"es tut mir leid", "tut mir leid", "entschuldigung", "leider kann ich", "ich kann dir", "ich kann ihnen", "ich kann diese", "als ki",
	"je suis désolé", "désolé", "je ne peux pas", "lo siento", "no puedo", "mi dispiace", "non posso", "sinto muito", "desculpe", "het spijt me",
	"抱歉", "对不起", "很抱歉", "申し訳", "すみません", "죄송",
}

// findsNothing tells whether a sentence says that the evidence holds no answer.
func findsNothing(s string) bool {
	return nothingFound().MatchString(strings.ReplaceAll(s, "’", "'"))
}

var (
	// echo is a line of the prompt that a model repeats.
	echo = lazily(`^((BEGIN|END) [0-9a-f]{24}\b|PASSAGE( \d+)? \|)`)

	listItem = lazily(`^([-*+•◦▪–]|\(?\d{1,3}[.)]|[a-zA-Z]\)) `)

	// ofThePrompt are the prompt's words for what it holds.
	ofThePrompt = lazily(`(?i)\b(the|this|given|provided) (evidence|passages?)\b`)

	nothingFound = lazily(`(?i)` + strings.Join([]string{
		// "The provided evidence does not mention …"
		`\b(evidence|context|documents?|passages?|sources?|excerpts?|information|text)( (provided|given|above|available))?,? (` +
			`(does|do|did)(n't| not) (\w+ )?(mention|contain|provide|say|state|specify|include|give|answer|hold|address|indicate|explain|discuss|cover|have|offer|list|tell|show|describe|define|reveal|support)|` +
			`(contains?|has|have|holds?|gives?|provides?|includes?|offers?) (no|nothing)\b|(is|are) (silent|insufficient|not sufficient|not enough))`,
		`\b(there is|there's|i (found|find|have|see)|i do(n't| not) have) (no|not enough|insufficient|any|enough) (\w+ )?(information|mention|evidence|answer)\b`,
		`\b(not|n't|nothing|cannot be) (\w+ )?(mentioned|provided|specified|stated|found|given|available|answered|determined|said|described|included|covered|in) (in|from|by|with|on)? ?(the )?(\w+ )?(evidence|context|documents?|passages?|sources?|excerpts?)\b`,
		`^no\b.{0,80}\b(mentioned|provided|specified|stated|found|given|described|included) (in|by) (the )?(\w+ )?(evidence|context|documents?|passages?|sources?|excerpts?)\b`,
		`\b(belege?n?|dokumenten?|quellen?|textstellen|nachweise|unterlagen|kontext|auszüge) (enth[aä]lt|enthalten|nennt|nennen|sagt|sagen|gibt|geben|macht|machen|liefert|liefern|erwähn\pL+) .*\b(nicht|keine?n?|nichts)\b`,
		`\b(keine|nicht genügend) (informationen|angaben|hinweise|belege)\b`,
	}, "|"))
)

// lazily returns a pattern that is compiled when it is first used.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
