package index

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-rag/assay/text"
)

// wording is how a text says that two names mean the same.
type wording struct {
	words string
	// acronym: the name before is an acronym and what follows its long form.
	acronym bool
	// proper: both names must be capitalised, and a comma or an opening
	// parenthesis stands between them. "The company, formerly a bank" gives no name.
	proper bool
}

var wordings = []wording{
	{words: "stands for", acronym: true},
	{words: "is short for", acronym: true},
	{words: "also known as"},
	{words: "also called"},
	{words: "also referred to as"},
	{words: "formerly known as", proper: true},
	{words: "formerly called", proper: true},
	{words: "formerly", proper: true},
}

// wording finds the names on both sides of each place that has the words.
func (f *aliasFinder) wording(w wording) {
	for i := 0; ; {
		at := strings.Index(f.s[i:], w.words)
		if at < 0 {
			return
		}
		at += i
		i = at + len(w.words)
		before, after := strings.TrimRight(f.before(at), " \u00a0"), f.after(i)
		if w.acronym {
			f.expansion(before, after)
			continue
		}
		joined := strings.TrimRight(before, ",(–— ")
		if w.proper && joined == before || !strings.HasPrefix(after, " ") {
			continue
		}
		left, right := f.left(joined, 3), f.right(after, 4)
		if w.proper && !(capitalised(left) && capitalised(right)) {
			continue
		}
		f.add(left, right, kindName)
	}
}

// expansion takes "SLA" before and as many of the words after as it stands for.
func (f *aliasFinder) expansion(before, after string) {
	short := lastWord(before)
	if !isAcronym(short) {
		return
	}
	short = singular(short)
	after = strings.TrimLeft(after, " \u00a0\"“”'‘’*_`")
	if cut := strings.IndexAny(after, ".,;:()\"“”"); cut >= 0 {
		after = after[:cut]
	}
	// The shortest run of words from the start that gives the acronym whole.
	for _, w := range text.Words(after) {
		if long := after[:w.End]; longForm(short, long) == long && initials(short, long) {
			f.add(short, long, kindAcronym)
			return
		}
	}
}

// initials tells whether the last letter of the acronym begins the last word
// that the long form needs; else one more word may belong to it.
func initials(short, long string) bool {
	words := text.Words(long)
	last, _ := utf8.DecodeLastRuneInString(strings.ToLower(short))
	first, _ := utf8.DecodeRuneInString(strings.ToLower(words[len(words)-1].Of(long)))
	return first == last
}

// left is the name at the end of s: its last words up to a mark or a stop word,
// n of them at the most. A verb that leads on to the wording ("is also called")
// is passed over.
func (f *aliasFinder) left(s string, n int) string {
	words := text.Words(s)
	for len(words) > 0 && f.stop(words[len(words)-1].Of(s)) {
		words = words[:len(words)-1]
	}
	if len(words) == 0 || strings.ContainsAny(s[words[len(words)-1].End:], ".,;:()") {
		return ""
	}
	from := len(words)
	for from > 0 && len(words)-from < n {
		w := words[from-1]
		if f.stop(w.Of(s)) || from < len(words) && !spaced(s[w.End:words[from].Start]) {
			break
		}
		from--
	}
	if from == len(words) {
		return ""
	}
	return s[words[from].Start:words[len(words)-1].End]
}

// right is the name at the start of s, after an article and opening marks.
func (f *aliasFinder) right(s string, n int) string {
	words := text.Words(s)
	for len(words) > 0 && f.stop(words[0].Of(s)) && spaced(s[:words[0].Start]) {
		s = s[words[0].End:]
		words = text.Words(s)
	}
	if len(words) == 0 || strings.ContainsAny(s[:words[0].Start], ".,;:()") {
		return ""
	}
	to := 0
	for to < len(words) && to < n {
		if f.stop(words[to].Of(s)) || to > 0 && !spaced(s[words[to-1].End:words[to].Start]) {
			break
		}
		to++
	}
	if to == 0 {
		return ""
	}
	return s[words[0].Start:words[to-1].End]
}

func (f *aliasFinder) stop(w string) bool { return text.IsStop(text.Fold(w), f.language) }

// spaced tells whether nothing that parts names stands between two words.
func spaced(gap string) bool { return strings.Trim(gap, " \u00a0-'’&") == "" }

// capitalised tells whether s begins with a capital.
func capitalised(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r)
}

// storeAliases records the aliases of a document, each from both sides.
func storeAliases(s *session, collection, doc int64, aliases []alias) error {
	for _, v := range aliases {
		a, b := foldWords(v.a), foldWords(v.b)
		for _, row := range [][3]string{{a, b, v.b}, {b, a, v.a}} {
			if _, err := s.do(bare, `INSERT INTO aliases (collection, key, other_key, document, kind, other) VALUES (?, ?, ?, ?, ?, ?)
				ON CONFLICT DO NOTHING`, collection, row[0], row[1], doc, v.kind, row[2]); err != nil {
				return err
			}
		}
	}
	return nil
}
