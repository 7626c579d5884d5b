package adversary

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// boundary tells whether a span of a text begins and ends with whole words.
func boundary(s string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:start])
	after, n := utf8.DecodeRuneInString(s[end:])
	if inWord(before) || start >= 2 && (before == '.' || before == ',' || before == '-') && inWord(rune(s[start-2])) {
		return false
	}
	if inWord(after) {
		return false
	}
	if after == '.' || after == ',' || after == '-' {
		next, _ := utf8.DecodeRuneInString(s[end+n:])
		return !unicode.IsDigit(next) && (after != '-' || !unicode.IsLetter(next))
	}
	return true
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// nameForm matches a name within a sentence: words with capitals, and numbers
// after them, or a code.
var nameForm = regexp.MustCompile(`\b(?:[A-Z]{1,4}-?\d{2,}|[A-Z][\w]*(?:[ -](?:[A-Z][\w]*|\d+\b))*)`)

// register holds the names of a corpus.
type register struct {
	// upper and lower count how often a word stands with a capital and without one,
	// first words of sentences left out.
	upper, lower map[string]int
	// with has for each name those that stand beside it: "X and Y", "X or Y".
	with map[string][]string
}

// proper tells whether the first word of a phrase is a name: it has a form of its
// own, or is written with a capital within sentences.
func (c *corpus) proper(phrase string) bool {
	word, _, _ := strings.Cut(phrase, " ")
	if hasDigitOrInnerCapital(word) {
		return true
	}
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r) && c.names.upper[word] > c.names.lower[strings.ToLower(word)]
}

// joint matches two names as members of one kind.
var joint = regexp.MustCompile(nameForm.String() + `(?:, ` + nameForm.String() + `)*,? (?:and|or) ` + nameForm.String())

// register counts words and reads pairs of names.
func (c *corpus) register() register {
	r := register{map[string]int{}, map[string]int{}, map[string][]string{}}
	for _, s := range c.sections {
		for _, u := range s.units {
			said := u.Of(c.docs[s.doc].Text)
			if u.shape == row {
				continue
			}
			for i, w := range strings.Fields(said) {
				w = strings.Trim(w, `.,:;()"'“”`)
				if first, _ := utf8.DecodeRuneInString(w); i > 0 && unicode.IsUpper(first) {
					r.upper[w]++
				} else if unicode.IsLower(first) {
					r.lower[w]++
				}
			}
		}
	}
	c.names = r // proper asks it
	for _, s := range c.sections {
		for _, u := range s.units {
			if u.shape == row || !c.english(s.doc) {
				continue
			}
			for _, group := range joint.FindAllString(u.Of(c.docs[s.doc].Text), -1) {
				members := nameForm.FindAllString(group, -1)
				for _, a := range members {
					for _, b := range members {
						if a != b && c.proper(a) && c.proper(b) && !slices.Contains(r.with[a], b) {
							r.with[a] = append(r.with[a], b)
						}
					}
				}
			}
		}
	}
	return r
}

// generic are titles and names that no product has.
var generic = wordSet(`
	readme changelog contributing license licence security introduction overview installation usage index faq glossary
	agents todo notes examples example documentation docs guide api reference home about history authors credits
	code release releases roadmap support governance versioning go`)

// productName tells whether a title is the name of something: short, and no word
// for a document.
func (c *corpus) productName(title string) bool {
	words := strings.Fields(title)
	if first, _ := utf8.DecodeRuneInString(title); !unicode.IsLetter(first) || len(words) > 3 || generic[strings.ToLower(words[0])] || generic[strings.ToLower(lastWord(title))] || strings.ContainsAny(title, ":,/()`") {
		return false
	}
	if len(words) == 1 && unicode.IsLower(rune(title[0])) {
		return len(title) >= 3 && len(c.naming(title)) >= 2
	}
	for _, w := range words {
		if r, _ := utf8.DecodeRuneInString(w); unicode.IsLetter(r) && !c.proper(w) && unicode.IsUpper(r) {
			return false
		}
	}
	return c.proper(title)
}

// numbered matches a code or a name that ends in a number: BW-2110, Heron 2, v1.
var numbered = regexp.MustCompile(`\b([A-Z]{1,4}-?|[A-Z]\w+ |v)(\d{1,6})\b`)

// unknown returns the numbered names of a question with a sibling for each that
// occurs nowhere: "BW-2110" and "BW-2117".
func (c *corpus) unknown(question string) (name, sibling string, ok bool) {
	for _, at := range numbered.FindAllStringSubmatchIndex(question, -1) {
		stem, digits := question[at[2]:at[3]], question[at[4]:at[5]]
		if strings.HasPrefix(stem, "RFC") || strings.HasPrefix(stem, "Go ") || at[1] < len(question) && question[at[1]] == '.' || strings.HasPrefix(stem, "ISO") {
			continue
		}
		tail := longer.FindString(question[at[1]:]) // "Heron 2 Lite"
		n, _ := strconv.Atoi(digits)
		for step := 3; step < 10; step++ {
			other := stem + leftPad(strconv.Itoa(n+step), len(digits))
			if len(c.sectionsWith(other)) == 0 {
				return question[at[0]:at[1]] + tail, other + tail, true
			}
		}
	}
	return "", "", false
}

func leftPad(s string, n int) string {
	for len(s) < n {
		s = "0" + s
	}
	return s
}

// sectionsWith are those in which a string stands, whatever is around it.
func (c *corpus) sectionsWith(s string) []int {
	var out []int
	for i := range c.sections {
		if strings.Contains(c.sections[i].text, s) {
			out = append(out, i)
		}
	}
	return out
}
