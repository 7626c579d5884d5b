package index

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-rag/assay/text"
)

// alias is two names for one thing, as a document gives them.
type alias struct {
	a, b string
	kind string
}

const (
	kindAcronym = "acronym"
	kindName    = "name"

	// maxAliases bounds what one document may bring; more is a list, not prose.
	maxAliases = 500
	// aliasReach is how far from its place a name is looked for, in bytes.
	aliasReach = 160
)

// findAliases finds the acronyms that a text defines and the other names that it
// gives: "paid time off (PTO)", "PTO (paid time off)", "SLA stands for service
// level agreement", "family leave, also known as …". The wordings of the other
// names are English; acronyms are found in any language that has capitals.
func findAliases(s, language string) []alias {
	f := aliasFinder{s: s, language: language, seen: map[alias]bool{}}
	f.parentheses()
	for _, w := range wordings {
		f.wording(w)
	}
	return f.found
}

type aliasFinder struct {
	s, language string
	seen        map[alias]bool
	found       []alias
}

func (f *aliasFinder) add(a, b, kind string) {
	a, b = strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " ")
	v := alias{a, b, kind}
	if a == "" || b == "" || f.seen[v] || len(f.found) >= maxAliases || foldWords(a) == foldWords(b) {
		return
	}
	f.seen[v] = true
	f.found = append(f.found, v)
}

// before is what stands before byte i in its sentence, as far as it matters.
func (f *aliasFinder) before(i int) string {
	from := max(0, i-aliasReach)
	for from < i && !utf8.RuneStart(f.s[from]) {
		from++
	}
	s := f.s[from:i]
	for _, end := range []string{"\n", ". ", "? ", "! ", "; ", ": "} {
		if j := strings.LastIndex(s, end); j >= 0 {
			s = s[j+len(end):]
		}
	}
	return s
}

// after is what stands after byte i, to the end of the line or of what matters.
func (f *aliasFinder) after(i int) string {
	to := min(len(f.s), i+aliasReach)
	for to < len(f.s) && !utf8.RuneStart(f.s[to]) {
		to--
	}
	s, _, _ := strings.Cut(f.s[i:to], "\n")
	return s
}

// parentheses looks at every pair of them for an acronym and its long form, on
// either side (Schwartz and Hearst, "A Simple Algorithm for Identifying
// Abbreviation Definitions in Biomedical Text", PSB 2003, §3), and for "(or …)".
func (f *aliasFinder) parentheses() {
	for i := 0; ; {
		open := strings.IndexByte(f.s[i:], '(')
		if open < 0 {
			return
		}
		open += i
		i = open + 1
		inner, _, ok := strings.Cut(f.after(i), ")")
		if !ok || strings.Contains(inner, "(") {
			continue
		}
		before := strings.TrimRight(f.before(open), " \u00a0")
		inner = strings.Trim(inner, " \u00a0\"“”'‘’*_`")
		switch last := lastWord(before); {
		case isAcronym(inner):
			f.add(singular(inner), longForm(singular(inner), before), kindAcronym)
		case isAcronym(last) && strings.ContainsAny(inner, " -"):
			// The long form must be all that the parentheses hold.
			if long := longForm(singular(last), inner); long == inner {
				f.add(singular(last), long, kindAcronym)
			}
		case strings.HasPrefix(inner, "or "):
			if other := f.right(inner[len("or "):], 3); len(other) == len(strings.TrimSpace(inner[len("or "):])) {
				f.add(f.left(before, 2), other, kindName)
			}
		}
	}
}

// lastWord is what stands after the last space, without marks around it.
func lastWord(s string) string {
	s = s[strings.LastIndexAny(s, " \t\u00a0")+1:]
	return strings.Trim(s, "\"“”'‘’*_`,")
}

// isAcronym tells whether s looks like one: two to ten letters and digits,
// beginning with a letter, of which two or more, and no fewer than half, are capitals.
func isAcronym(s string) bool {
	s = singular(s)
	n, upper, lower := 0, 0, 0
	for _, r := range s {
		switch {
		case unicode.IsUpper(r):
			upper++
		case unicode.IsLetter(r):
			if n == 0 {
				return false
			}
			lower++
		case unicode.IsDigit(r):
			if n == 0 {
				return false
			}
		case strings.ContainsRune("&-/.", r) && n > 0:
		default:
			return false
		}
		n++
	}
	return n >= 2 && n <= 10 && upper >= 2 && upper >= lower
}

// singular takes the s of a plural off an acronym: "SLAs" is "SLA".
func singular(s string) string {
	stem := strings.TrimSuffix(strings.TrimSuffix(s, "'s"), "s")
	if stem != s && len(stem) >= 2 && strings.ToUpper(stem) == stem && strings.ToLower(stem) != stem {
		return stem
	}
	return s
}

// longForm finds the words at the end of before that the acronym stands for, or
// "": from the right, each of its letters must occur in turn, the first of them
// at the start of a word (Schwartz and Hearst 2003, figure 1). A long form has
// two words or more, and no more than the acronym has letters plus five, or
// twice its letters.
func longForm(short, before string) string {
	var letters []rune
	for _, r := range strings.ToLower(short) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters = append(letters, r)
		}
	}
	before = strings.TrimRight(before, " \u00a0\"“”'‘’*_`,")
	l := []rune(before)
	alnum := func(i int) bool { return i >= 0 && (unicode.IsLetter(l[i]) || unicode.IsDigit(l[i])) }
	i := len(l)
	for k := len(letters) - 1; k >= 0; k-- {
		i--
		for i >= 0 && (unicode.ToLower(l[i]) != letters[k] || k == 0 && alnum(i-1)) {
			i--
		}
		if i < 0 {
			return ""
		}
	}
	long := string(l[i:])
	words := text.Words(long)
	n := len(letters)
	if len(words) < 2 || len(words) > min(n+5, 2*n) || len(long) <= len(short) || strings.ContainsAny(long, ".;:()[]|<>") {
		return ""
	}
	for _, w := range words {
		if strings.EqualFold(w.Of(long), short) {
			return ""
		}
	}
	return long
}
