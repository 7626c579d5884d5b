package evaluator

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/assay-rag/assay/text"
)

// valueKind says what a value measures.
type valueKind string

// The kinds of value.
const (
	valueNumber   valueKind = "number"
	valueMoney    valueKind = "money"
	valuePercent  valueKind = "percent"
	valueDuration valueKind = "duration"
	valueDate     valueKind = "date" // a day, a month, a weekday or a time of day
	valueYear     valueKind = "year"
	valueVersion  valueKind = "version"
)

// value is a quantity or a point in time that a text states.
type value struct {
	text.Span
	Kind valueKind
	// Number is the quantity in Unit; of a range, its lower end. For dates and
	// versions it means nothing.
	Number float64
	// High is the upper end of a range ("10–15 days"), and Number elsewhere.
	High float64
	// Unit is singular and folded ("day", "usd", "gb"), in English where the
	// unit is known; empty for bare numbers, dates, years and versions.
	Unit string
	// Norm is the same for two values exactly where they say the same: "26 weeks"
	// and "twenty-six weeks", "7 days" and "one week", "12 May 2024" and
	// "2024-05-12".
	Norm string
}

// values returns the numbers, amounts, percentages, durations, dates, years and
// versions of s in reading order; they don't overlap. Digits within a name
// ("SHA256", "COVID-19") and ordinals ("the 3rd") are none.
func values(s string) []value {
	r := valueReader{s: s, lex: lexemes(s)}
	var out []value
	for at := 0; at < len(r.lex); {
		v, n := r.read(at)
		if n == 0 {
			at++
			continue
		}
		at += n
		if v.Kind == "" { // read, and no value: the digits of a name
			continue
		}
		out = append(out, v)
	}
	shareUnits(out, s)
	return out
}

// holdsValue tells whether one of the values says the same as v.
func holdsValue(values []value, v value) bool {
	return slices.ContainsFunc(values, func(o value) bool { return o.Norm == v.Norm })
}

// norms is the set of what the values say.
func norms(values []value) map[string]bool {
	out := make(map[string]bool, len(values))
	for _, v := range values {
		out[v.Norm] = true
	}
	return out
}

// valuesIn returns the values, in reading order, that begin within a span.
func valuesIn(values []value, s text.Span) []value {
	lo := sort.Search(len(values), func(i int) bool { return values[i].Start >= s.Start })
	hi := lo
	for hi < len(values) && values[hi].Start < s.End {
		hi++
	}
	return values[lo:hi]
}

// valueReader reads values from lexemes. Its methods return how many lexemes
// they took, 0 for none.
type valueReader struct {
	s   string
	lex []lexeme
}

// valueForms are the forms of a value, in the order in which they are tried.
var valueForms = [...]func(*valueReader, int) (value, int){
	(*valueReader).version, (*valueReader).date, (*valueReader).clock, (*valueReader).money, (*valueReader).year, (*valueReader).quantity,
}

func (r *valueReader) read(at int) (value, int) {
	if n := r.name(at); n > 0 {
		return value{}, n
	}
	for _, form := range valueForms {
		if v, n := form(r, at); n > 0 {
			if v.Kind != "" {
				v.Start, v.End = r.lex[at].Start, r.lex[at+n-1].End
			}
			return v, n
		}
	}
	return value{}, 0
}

// at returns the lexeme at i, or an empty one beyond the end.
func (r *valueReader) at(i int) lexeme {
	if i < 0 || i >= len(r.lex) {
		return lexeme{kind: signLexeme}
	}
	return r.lex[i]
}

func (r *valueReader) sign(i int, signs string) bool {
	l := r.at(i)
	return l.kind == signLexeme && l.low != "" && strings.Contains(signs, l.low)
}

// name takes the digits that belong to a name: "SHA256", "COVID-19", "x86_64",
// "#4711", "npm@5", and of a class of codes: "5xx".
func (r *valueReader) name(at int) int {
	l := r.at(at)
	if l.kind != numberLexeme {
		return 0
	}
	if next := r.at(at + 1); next.glued && next.low != "x" && next.low != "" && strings.Trim(next.low, "x") == "" {
		return 2
	}
	if !l.glued {
		return 0
	}
	before := r.at(at - 1)
	switch {
	case before.kind == wordLexeme:
		_, currency := currencies[before.low]
		if before.low == "v" || currency || (before.low == "q" && len(l.low) == 1) {
			return 0
		}
		return 1
	case r.sign(at-1, "_#@\\"):
		return 1
	case r.sign(at-1, "-") && r.at(at-1).glued && r.at(at-2).kind == wordLexeme:
		first := r.s[r.at(at-2).Start]
		if 'A' <= first && first <= 'Z' && !isMonthOrDay(r.at(at-2).low) {
			return 1
		}
	}
	return 0
}

// version reads "v2.3.1", "version 2.3", "1.2.3-rc1".
func (r *valueReader) version(at int) (value, int) {
	n := at
	marked := false
	switch l := r.at(n); {
	case l.low == "v" && r.at(n+1).glued:
		marked = true
		n++
	case l.low == "version" || l.low == "release":
		marked = true
		n++
		if r.at(n).low == "v" {
			n++
		}
	}
	l := r.at(n)
	if l.kind != numberLexeme || strings.Contains(l.low, ",") {
		return value{}, 0
	}
	dots := strings.Count(l.low, ".")
	if !marked && (dots < 2 || thousands(l.low, ".")) {
		return value{}, 0
	}
	if _, ok := dottedDate(l.low); ok && !marked {
		return value{}, 0
	}
	norm := l.low
	n++
	if r.sign(n, "-") && r.at(n).glued && r.at(n+1).kind == wordLexeme && r.at(n+1).glued &&
		oneOf(r.at(n+1).low, []string{"rc", "beta", "alpha", "pre", "dev", "snapshot"}) {
		norm += "-" + r.at(n+1).low
		n += 2
		for (r.sign(n, ".") || r.at(n).kind == numberLexeme) && r.at(n).glued {
			if r.at(n).kind == numberLexeme {
				norm += r.at(n).low
			} else if r.at(n+1).kind != numberLexeme || !r.at(n+1).glued {
				break
			}
			n++
		}
	}
	return value{Kind: valueVersion, Norm: norm}, n - at
}

// money reads "€1,200.50", "US$ 5 million", "1,200 EUR", "50 euros".
func (r *valueReader) money(at int) (value, int) {
	n, unit := at, ""
	if code, ok := currencySigns[r.at(n).low]; ok && r.at(n).kind == signLexeme {
		unit = code
		n++
	} else if code, ok := currencies[r.at(n).low]; ok && len(r.at(n).low) <= 3 {
		unit = code
		n++
		if _, ok := currencySigns[r.at(n).low]; ok {
			n++
		}
	}
	low, high, taken, ok := r.amounts(n)
	if !ok {
		return value{}, 0
	}
	n += taken
	if unit == "" {
		l := r.at(n)
		if code, ok := currencySigns[l.low]; ok && l.kind == signLexeme {
			unit = code
		} else if code, ok := currencies[l.low]; ok {
			unit = code
		} else {
			return value{}, 0
		}
		n++
	}
	return value{Kind: valueMoney, Number: low, High: high, Unit: unit, Norm: norm(low, high, unit)}, n - at
}

// quantity reads a number with its unit: a percentage, a duration, a measure, a
// count of things, or a bare number.
func (r *valueReader) quantity(at int) (value, int) {
	low, high, taken, ok := r.amounts(at)
	if !ok {
		return value{}, 0
	}
	n := at + taken
	v := value{Kind: valueNumber, Number: low, High: high}
	if ordinal(r.at(n)) && r.at(n-1).kind == numberLexeme {
		return value{}, taken + 1
	}
	unit, m := r.unit(n)
	if at+1 == n && r.at(at).low == "one" && m == 0 {
		return value{}, 0 // the pronoun
	}
	v.Unit = unit
	if m > 0 {
		n += m
	}
	v.Norm = norm(low, high, unit)
	switch {
	case unit == "percent":
		v.Kind = valuePercent
	case secondsIn[unit] > 0:
		v.Kind, v.Norm = valueDuration, norm(low*secondsIn[unit], high*secondsIn[unit], "second")
	case monthsIn[unit] > 0:
		v.Kind, v.Norm = valueDuration, norm(low*monthsIn[unit], high*monthsIn[unit], "month")
	case m == 0:
		v.Unit = r.counted(n)
		v.Norm = norm(low, high, "")
	}
	return v, n - at
}

// unit reads a unit of measure: "days", "working days", "-day", "%", "per cent",
// "GB". It returns the unit's name and how many lexemes it took.
func (r *valueReader) unit(at int) (string, int) {
	n := at
	if r.sign(n, "%") {
		return "percent", 1
	}
	if r.sign(n, "-‐‑") && r.at(n).glued && r.at(n+1).glued {
		n++
	}
	if oneOf(r.at(n).low, []string{"per", "pour", "por"}) && oneOf(r.at(n+1).low, []string{"cent", "ciento"}) {
		return "percent", n + 2 - at
	}
	for skip := 0; skip <= 2; skip++ {
		l := r.at(n + skip)
		if u, ok := units[l.low]; ok && l.kind == wordLexeme {
			return u, n + skip + 1 - at
		}
		if u, ok := sizeUnits[r.s[l.Start:l.End]]; ok && skip == 0 {
			return u, n + 1 - at
		}
		if !unitAdjectives[l.low] {
			break
		}
	}
	if r.sign(n, "°") && oneOf(r.at(n+1).low, []string{"c", "f"}) {
		return "°" + r.at(n+1).low, n + 2 - at
	}
	return "", 0
}

// counted is the noun that a bare number counts ("25 users"), or "".
func (r *valueReader) counted(at int) string {
	l := r.at(at)
	if l.kind != wordLexeme || l.glued || len(l.low) < 3 || r.s[l.Start:l.End] != l.low {
		return ""
	}
	w := text.Fold(l.low)
	if _, number := numerals[w]; number || functionWord(w) {
		return ""
	}
	return singular(w)
}

// norm is the canonical form of a quantity.
func norm(low, high float64, unit string) string {
	s := formatNumber(low)
	if high != low {
		s += "-" + formatNumber(high)
	}
	return strings.TrimSpace(s + " " + unit)
}

func formatNumber(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// shareUnits gives the unit of the last of a coordinated series to those before
// it: "from 20 to 26 days", "5, 10 or 20 users".
func shareUnits(vs []value, s string) {
	for i := len(vs) - 2; i >= 0; i-- {
		v, next := &vs[i], vs[i+1]
		if v.Kind != valueNumber || v.Unit != "" || next.Unit == "" {
			continue
		}
		between := strings.ToLower(strings.TrimSpace(s[v.End:next.Start]))
		if !oneOf(between, []string{"to", "or", "and", ",", ", or", ", and", "/", "bis", "oder", "und", "à", "ou", "a", "o"}) {
			continue
		}
		v.Kind, v.Unit = next.Kind, next.Unit
		switch {
		case secondsIn[v.Unit] > 0:
			v.Norm = norm(v.Number*secondsIn[v.Unit], v.High*secondsIn[v.Unit], "second")
		case monthsIn[v.Unit] > 0:
			v.Norm = norm(v.Number*monthsIn[v.Unit], v.High*monthsIn[v.Unit], "month")
		case next.Norm == norm(next.Number, next.High, next.Unit):
			v.Norm = norm(v.Number, v.High, v.Unit)
		}
	}
}
