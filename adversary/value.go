package adversary

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// measure says what a value measures, and so how it is asked for.
type measure string

const (
	duration measure = "duration"
	money    measure = "money"
	percent  measure = "percent"
	size     measure = "size"   // bytes
	extent   measure = "extent" // lengths, weights, temperatures
	date     measure = "date"
	version  measure = "version"
	count    measure = "count" // a number of things, named by Unit
	number   measure = "number"
	words    measure = "words" // a name or a noun phrase
)

// value is what a statement says, as it is written.
type value struct {
	start, end int
	text       string
	measure    measure
	// unit is what a count counts, in the plural as written; the unit of other
	// measures.
	unit string
}

const (
	numeral = `(?:\d[\d,]*(?:\.\d+)*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|one)`
	months  = `(?:January|February|March|April|May|June|July|August|September|October|November|December)`
)

// forms are the forms of a value, those that say more first.
var forms = []struct {
	measure measure
	re      *regexp.Regexp
}{
	{date, regexp.MustCompile(`^(?:\d{1,2} ` + months + `(?: \d{4})?|` + months + ` \d{1,2}(?:, \d{4})?|\d{4}-\d\d-\d\d)\b`)},
	{version, regexp.MustCompile(`^(?:v\d+(?:\.\d+)+|\d+\.\d+\.\d+)\b`)},
	{money, regexp.MustCompile(`^(?:A?[€$£]\d[\d,]*(?:\.\d+)?)`)},
	{percent, regexp.MustCompile(`^` + numeral + ` ?%`)},
	{duration, regexp.MustCompile(`^` + numeral + `[ -](?:(?:working|business|calendar|full) )?((?:milli)?second|minute|hour|day|week|month|year)s?\b`)},
	{size, regexp.MustCompile(`^` + numeral + ` ?(bytes?|bits?|[kKMGT]i?B)\b`)},
	{extent, regexp.MustCompile(`^` + numeral + ` ?(°C|km|cm|mm|m|kg|g|W|V|Hz|kHz|MHz|mL|L|bar|metres|meters|miles)(?:[^\pL/]|$)`)},
	{count, regexp.MustCompile(`^` + numeral + ` ((?:[a-z]+ ){0,1}[a-z]+s)\b`)},
	{number, regexp.MustCompile(`^` + numeral + `\b`)},
}

// values reads the values of a text, from left to right. Digits in a word or
// after a name ("Heron 2", "RFC 3339") are part of it.
func values(s string) []value {
	var out []value
	for at := 0; at < len(s); {
		if !starts(s, at) {
			_, n := utf8.DecodeRuneInString(s[at:])
			at += n
			continue
		}
		v, ok := readValue(s[at:])
		if !ok {
			_, n := utf8.DecodeRuneInString(s[at:])
			at += n
			continue
		}
		v.start, v.end = at, at+v.end
		at = v.end
		out = append(out, v)
	}
	return out
}

// readValue reads the value that a text begins with.
func readValue(s string) (value, bool) {
	for _, f := range forms {
		m := f.re.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		v := value{measure: f.measure, text: m[0], end: len(m[0])}
		if f.measure == extent {
			v.text = strings.TrimRightFunc(m[0], func(r rune) bool { return !unicode.IsLetter(r) })
			v.end = len(v.text)
		}
		if len(m) > 1 {
			v.unit = m[1]
		}
		if strings.HasPrefix(v.text, "one") && v.measure != duration {
			return value{}, false // the pronoun
		}
		if f.measure == count && notCounted[lastWord(v.unit)] {
			continue
		}
		return v, true
	}
	return value{}, false
}

// notCounted end in s and are no plural.
var notCounted = map[string]bool{"is": true, "was": true, "has": true, "does": true, "as": true, "this": true, "its": true, "times": true, "less": true, "plus": true, "versus": true, "bytes": true, "bits": true}

var nameBefore = regexp.MustCompile(`(?:[A-Z][\w.-]*|[Vv]ersion|section|step|page|level|port|type|code|status|flag|chapter|part|Go) $`)

// starts tells whether a value may begin at a byte.
func starts(s string, at int) bool {
	r, _ := utf8.DecodeRuneInString(s[at:])
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	if unicode.IsLetter(before) || unicode.IsDigit(before) || strings.ContainsRune("-_./#:−±+,", before) {
		return false
	}
	if unicode.IsDigit(r) && nameBefore.MatchString(s[:at]) {
		// A capital before a number is a name, unless it only begins the sentence.
		word := strings.TrimSpace(s[:at])
		return !strings.Contains(word, " ") && !unicode.IsUpper(rune(word[0]))
	}
	return unicode.IsDigit(r) || unicode.IsLower(r) || strings.ContainsRune("€$£vA", r) || unicode.IsUpper(r)
}

// numberWords are those that a value may be written with.
var numberWords = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

var leading = regexp.MustCompile(`\d[\d,]*(?:\.\d+)?|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|one)\b`)

// units are what the number counts: "working days".
func (v value) units() string {
	return strings.TrimSpace(strings.TrimPrefix(v.text, leading.FindString(v.text)))
}

// brief is what any right answer has of the value: of a count the number.
func (v value) brief() string {
	if v.measure == count {
		return strings.TrimSpace(strings.TrimSuffix(v.text, v.unit))
	}
	return v.text
}

// altered is the value with another number: the n-th proposal, by factors that
// nobody takes for a slip of the pen. Empty where the value has no number to alter.
func (v value) altered(n int) string {
	if v.measure == version {
		return ""
	}
	at := leading.FindStringIndex(v.text)
	if at == nil {
		return ""
	}
	digits := strings.ReplaceAll(v.text[at[0]:at[1]], ",", "")
	old := slicesIndex(numberWords, digits)
	if old < 0 {
		f, err := strconv.ParseFloat(digits, 64)
		if err != nil || f != float64(int(f)) {
			return ""
		}
		old = int(f)
	}
	if v.measure == date {
		return v.otherDay(at, old, n)
	}
	factors := []int{2, 3, 4, 5}
	changed := old * factors[n%len(factors)]
	if v.measure == percent {
		changed = old - 10*(n+1)
		if changed <= 0 {
			changed = old + 15*(n+1)
		}
		if changed > 100 {
			return ""
		}
	}
	if old == 0 {
		return ""
	}
	out := v.text[:at[0]] + grouped(changed) + v.text[at[1]:]
	if old == 1 && v.measure == duration {
		out += "s"
	}
	return out
}

// otherDay is a date in another month.
func (v value) otherDay(at []int, day, n int) string {
	name := monthName.FindString(v.text)
	if name == "" {
		return ""
	}
	all := strings.Split(strings.Trim(months, "(?:)"), "|")
	other := all[(slicesIndex(all, name)+2+n)%len(all)]
	if day > 28 {
		return ""
	}
	return strings.Replace(v.text, name, other, 1)
}

var monthName = regexp.MustCompile(months)

func slicesIndex(list []string, s string) int {
	for i, l := range list {
		if strings.EqualFold(l, s) {
			return i
		}
	}
	return -1
}

// grouped writes a number with commas from ten thousand on.
func grouped(n int) string {
	s := strconv.Itoa(n)
	if n < 10_000 {
		return s
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func lastWord(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }
