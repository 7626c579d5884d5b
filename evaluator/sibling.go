package evaluator

import (
	"regexp"
	"strings"
	"sync"

	"github.com/assay-rag/assay"
)

// numbered is a name with a number behind it: "Heron 2", "Windows 10", "ISO 9001".
var numbered = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(\p{Lu}[\p{L}\d-]*) (\d+(?:\.\d+)*)\b`)
})

// enumerated is how far behind a name its numbers may stand in a list, in bytes: "Heron 2
// and 5", "Heron 2, 3 or 5". A judgement.
const enumerated = 16

// sibling says what a passage speaks of in place of a numbered name of the question:
// of “Heron 2” where “Heron 5” is asked for. It is "" where the passage has the one
// asked for, or a version of it: "3" stands for "3.11" too.
func sibling(question string, p *assay.Passage) string {
	asked := numbered().FindAllStringSubmatch(question, -1)
	if asked == nil {
		return ""
	}
	said := strings.Join(append([]string{p.Title, p.Text}, p.Heading...), "\n")
	there := numbered().FindAllStringSubmatchIndex(said, -1)
	for _, a := range asked {
		if v := values(a[0]); len(v) != 1 || v[0].Kind != valueNumber {
			continue // a date
		}
		other := ""
		for _, at := range there {
			name, number := said[at[2]:at[3]], said[at[4]:min(len(said), at[5]+enumerated)]
			if !strings.EqualFold(name, a[1]) {
				continue
			}
			if holdsNumber(number, a[2]) {
				other = ""
				break
			}
			other = said[at[0]:at[1]]
		}
		if other != "" {
			return "speaks of “" + other + "”, not of “" + a[0] + "”"
		}
	}
	return ""
}

// holdsNumber tells whether a text holds a number or a version of it.
func holdsNumber(s, number string) bool {
	for at := 0; ; {
		i := strings.Index(s[at:], number)
		if i < 0 {
			return false
		}
		begin, end := at+i, at+i+len(number)
		if inside := begin > 0 && (isDigit(rune(s[begin-1])) || s[begin-1] == '.') || end < len(s) && isDigit(rune(s[end])); !inside {
			return true
		}
		at = end
	}
}
