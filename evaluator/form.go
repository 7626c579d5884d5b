package evaluator

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// form is what a strip looks like, whatever it says.
type form int

const (
	sentenceForm form = iota
	questionForm      // a sentence that asks
	itemForm          // a list item or a numbered step
	leadInForm        // a sentence that introduces what follows: "You need:"
	labelForm         // a word or two without a verb: a heading, a caption, a rule
	tableForm
	codeForm
)

// ownLine tells whether what has this form begins a line of its own.
func (f form) ownLine() bool { return f == itemForm || f == tableForm || f == codeForm }

// states tells whether what has this form can say something by itself.
func (f form) states() bool { return f != questionForm && f != labelForm && f != leadInForm }

// formOf tells the form of a strip.
func formOf(s string) form {
	s = strings.TrimSpace(s)
	switch {
	case strings.HasPrefix(s, "```"):
		if strings.Count(s, "```") == 1 {
			return labelForm // cut in two: what is left of it can't be read
		}
		return codeForm
	case strings.HasPrefix(s, "$ "):
		return codeForm
	case strings.HasPrefix(s, "|"):
		return tableForm
	case strings.HasPrefix(s, "#"):
		return labelForm
	}
	body := s[markLength(s):]
	switch {
	case strings.Contains(body, "```"), onlyLink().MatchString(body), underlined().MatchString(body):
		return labelForm
	case text.Asking(body):
		return questionForm
	case strings.HasSuffix(body, ":") || strings.HasSuffix(body, ":**"):
		return leadInForm
	case len(body) < len(s) && listed(s):
		return itemForm
	case label(body):
		return labelForm
	}
	return sentenceForm
}

var (
	// onlyLink is a line of a table of contents.
	onlyLink = lazily(`^!?\[[^\]]*\]\([^)]*\)$`)
	// underlined is a heading with a rule under it.
	underlined = lazily(`\n\s*(?:-{3,}|={3,})$`)
	// logged marks the entries of a change log.
	logged = lazily(`/(?:pull|issues|commit|compare)/|\(#\d+\)|\bby @\w|\([0-9a-f]{12,40}\)`)
	// change is how a question asks for such entries.
	change = lazily(`(?i)\b(?:chang\w*|fix\w*|releas\w*|added|removed|new|pull|commit)\b`)
	// changes is how a document is called that lists them.
	changes = lazily(`(?i)(?:^|/)(?:changelog|changes|history|news|release[-_ ]?notes|releases)\b[^/]*$`)
)

// quotable is the part of its grade that a strip keeps for how well it reads as
// an answer: code answers only how to do something, a table no yes or no, an entry of a change log only
// what has changed, and an order to whoever answers nothing.
func (q *question) quotable(s assay.Strip, f form) float64 {
	switch {
	case text.MoodOf(s.Text, "") == text.Orders && text.MoodOf(q.text, "") != text.Orders:
		return 0.2
	case f == codeForm && q.kind != kindHowTo:
		return 0.7
	case f == codeForm:
		return 0.9
	case f == tableForm && oneOf(string(q.kind), []string{string(kindYesNo), string(kindWhy), string(kindDefinition)}):
		return 0.8
	case change().MatchString(q.text):
		return 1
	case logged().MatchString(s.Text):
		return 0.5
	case changes().MatchString(s.Passage.Document):
		return 0.8
	}
	return 1
}

// label tells whether s is too little to say anything: no letters, or one or two
// words without the end of a sentence.
func label(s string) bool {
	words := text.Words(s)
	if len(words) == 0 {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, "*_`\"”’)"))
	if len(words) > 2 || strings.ContainsRune(".!。！…", last) || strings.ContainsFunc(s, isDigit) {
		return false
	}
	return script(s) == "latin"
}

// itemMark is the length of the mark with which s begins as a list item or a
// numbered step, with one space after it; 0 where it has none.
func itemMark(s string) int {
	for _, bullet := range [...]string{"- ", "* ", "+ ", "• "} {
		if strings.HasPrefix(s, bullet) {
			return len(bullet)
		}
	}
	const mostDigits = 3 // a longer number is a year or an amount
	digits := min(digitsAt(s, 0), mostDigits)
	if digits > 0 && digits+1 < len(s) && (s[digits] == '.' || s[digits] == ')') && s[digits+1] == ' ' {
		return digits + 2
	}
	return 0
}

// listed tells whether a sentence begins as a list item or a numbered step.
func listed(s string) bool { return itemMark(strings.TrimLeft(s, " \t")) > 0 }

// markLength is the length of what marks s as a list item, a task or a quotation,
// with the white space after it.
func markLength(s string) int {
	n := 0
	for strings.HasPrefix(s[n:], "> ") {
		n += 2
	}
	mark := itemMark(s[n:])
	if mark == 0 {
		return n
	}
	n += mark
	for _, box := range [...]string{"[ ] ", "[x] ", "[X] "} {
		if strings.HasPrefix(s[n:], box) {
			n += len(box)
		}
	}
	return n + len(s[n:]) - len(strings.TrimLeftFunc(s[n:], unicode.IsSpace))
}

// trimmed returns the part of the strip that is shown: a lone list item without
// its mark, a long table down to the last row that matters.
func (s *selection) trimmed(c *candidate) string {
	body := strings.TrimSpace(c.Text)
	switch c.form {
	case itemForm:
		if s.inRun(c) {
			return body
		}
		return body[markLength(body):]
	case tableForm:
		return s.tableTo(body)
	case codeForm, labelForm:
		return body
	}
	return body[markLength(body):]
}

// inRun tells whether a list item stands directly beside another that is chosen:
// then both keep their marks.
func (s *selection) inRun(c *candidate) bool {
	if i := c.at; i > 0 {
		if o := &s.candidates[i-1]; o.chosen && o.form == itemForm && follows(o, c) {
			return true
		}
	}
	if i := c.at + 1; i < len(s.candidates) {
		if o := &s.candidates[i]; o.chosen && o.form == itemForm && follows(c, o) {
			return true
		}
	}
	return false
}

// wholeTable is the longest table, in bytes, that is shown whole: some ten
// rows, a judgement.
const wholeTable = 700

// tableTo cuts a long table after the last row that holds as many of the
// question's terms as any: its head stays, so that the row can be read.
func (s *selection) tableTo(table string) string {
	if len(table) <= wholeTable {
		return table
	}
	end, most, at := len(table), 0.0, 0
	for _, line := range strings.SplitAfter(table, "\n") {
		at += len(line)
		weight := s.q.covered(line)
		if weight >= most && weight > 0 {
			most, end = weight, at
		}
	}
	return strings.TrimRight(table[:end], "\n")
}
