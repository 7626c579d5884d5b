package evaluator

import (
	"strconv"
	"strings"
)

// amounts reads a number or a range of numbers, in digits or spelled out, with
// its magnitude ("5 million"). It returns both ends, equal where it is no range,
// and the lexemes taken.
func (r *valueReader) amounts(at int) (low, high float64, taken int, ok bool) {
	low, n := r.amount(at)
	if n == 0 {
		return 0, 0, 0, false
	}
	if high, m := r.upperEnd(at, at+n, low); m > 0 {
		return low, high, n + m, true
	}
	return low, low, n, true
}

// upperEnd reads the rest of a range: "-15", "– 15", " to 15", and " and 15"
// after "between". "From 5 to 10" is a change as often as a range, so it stays
// two numbers.
func (r *valueReader) upperEnd(start, at int, low float64) (float64, int) {
	joint := r.at(at)
	switch {
	case r.sign(at, "-–—‑−"):
		if joint.glued != r.at(at+1).glued || (start > 0 && r.sign(start-1, "-–/") && r.at(start).glued) {
			return 0, 0
		}
	case oneOf(joint.low, []string{"to", "bis"}):
		if oneOf(r.at(start-1).low, []string{"from", "von"}) {
			return 0, 0
		}
	case oneOf(joint.low, []string{"and", "und", "et", "y"}):
		if !oneOf(r.at(start-1).low, []string{"between", "zwischen", "entre"}) {
			return 0, 0
		}
	default:
		return 0, 0
	}
	next := at + 1
	if _, ok := currencySigns[r.at(next).low]; ok { // "$5–$10"
		next++
	}
	high, n := r.amount(next)
	if n == 0 || high <= low {
		return 0, 0
	}
	if r.sign(next+n, "-/") && r.at(next+n).glued && r.at(next+n+1).kind == numberLexeme && r.at(next+n+1).glued {
		return 0, 0 // a part number or a telephone number
	}
	return high, next + n - at
}

// amount reads one number and its magnitude.
func (r *valueReader) amount(at int) (float64, int) {
	number, n := r.digits(at)
	if n == 0 {
		number, n = r.spelled(at)
	}
	if n == 0 {
		return 0, 0
	}
	l := r.at(at + n)
	if f, ok := magnitudes[l.low]; ok && r.at(at+n-1).kind == numberLexeme {
		return number * f, n + 1
	}
	if l.glued && (l.low == "k" || l.low == "m" || l.low == "bn") && r.at(at+n-1).kind == numberLexeme && r.moneyBefore(at) {
		return number * map[string]float64{"k": 1e3, "m": 1e6, "bn": 1e9}[l.low], n + 1
	}
	if l.glued && l.low == "k" && r.at(at+n-1).kind == numberLexeme {
		return number * 1e3, n + 1
	}
	return number, n
}

func (r *valueReader) moneyBefore(at int) bool {
	_, ok := currencySigns[r.at(at-1).low]
	return ok
}

// digits reads a number in digits, with a sign or a fraction glyph.
func (r *valueReader) digits(at int) (float64, int) {
	n, sign := at, 1.0
	if r.sign(n, "-−") && r.at(n+1).glued && !r.at(n).glued {
		n, sign = n+1, -1
	}
	l := r.at(n)
	if f, ok := fractions[l.low]; ok && n == at {
		return f, 1
	}
	if l.kind != numberLexeme {
		return 0, 0
	}
	number, ok := parseNumber(l.low)
	if !ok {
		return 0, 0
	}
	n++
	if f, ok := fractions[r.at(n).low]; ok && r.at(n).glued {
		number += f
		n++
	} else if r.at(n).low == "and" && r.at(n+1).low == "a" && r.at(n+2).low == "half" {
		number += 0.5
		n += 3
	}
	return sign * number, n - at
}

// spacesInNumbers takes out the spaces that group digits. To make it takes longer
// than to read a number.
var spacesInNumbers = strings.NewReplacer("\u00a0", "", "\u202f", "", "\u2009", "")

// parseNumber reads digits with separators. Where both a dot and a comma occur,
// the last is the decimal one; a comma alone groups thousands if three digits
// follow each, and a dot alone does so only when there are several.
func parseNumber(s string) (float64, bool) {
	s = spacesInNumbers.Replace(s)
	dots, commas := strings.Count(s, "."), strings.Count(s, ",")
	switch {
	case dots > 0 && commas > 0:
		if strings.LastIndex(s, ".") > strings.LastIndex(s, ",") {
			s = strings.ReplaceAll(s, ",", "")
		} else {
			s = strings.ReplaceAll(strings.ReplaceAll(s, ".", ""), ",", ".")
		}
	case commas > 0 && thousands(s, ","):
		s = strings.ReplaceAll(s, ",", "")
	case commas == 1:
		s = strings.Replace(s, ",", ".", 1)
	case dots > 1 && thousands(s, "."):
		s = strings.ReplaceAll(s, ".", "")
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

// thousands tells whether the separator groups the digits of s in threes.
func thousands(s, separator string) bool {
	groups := strings.Split(s, separator)
	if len(groups) < 2 || len(groups[0]) > 3 || groups[0] == "0" {
		return false
	}
	for _, g := range groups[1:] {
		if len(g) != 3 {
			return false
		}
	}
	return true
}

// spelled reads a number in English words: "twenty-six", "two and a half", "one
// hundred and twenty", "half a" (dozen, day), "a dozen".
func (r *valueReader) spelled(at int) (float64, int) {
	if r.at(at).low == "half" && oneOf(r.at(at+1).low, []string{"a", "an"}) {
		return 0.5, 2
	}
	if r.at(at).low == "a" && oneOf(r.at(at+1).low, []string{"dozen", "hundred", "thousand", "million", "billion"}) {
		return numerals[r.at(at+1).low], 2
	}
	total, group, n := 0.0, 0.0, at
	for {
		l := r.at(n)
		f, ok := numerals[l.low]
		if n > at && !ok {
			// "twenty-six", "hundred and twenty"
			hyphen := r.sign(n, "-‐‑") && l.glued && r.at(n+1).glued
			if _, more := numerals[r.at(n+1).low]; more && ((hyphen && group >= 20) || (l.low == "and" && total+group >= 100)) {
				n++
				continue
			}
			break
		}
		if !ok {
			break
		}
		switch {
		case f >= 1000:
			total += max(group, 1) * f
			group = 0
		case f == 100 || f == 12 && group == 0 && l.low == "dozen" || l.low == "dozen":
			group = max(group, 1) * f
		case n > at && !joins(group, f):
			return total + group, n - at
		default:
			group += f
		}
		n++
	}
	if n == at {
		return 0, 0
	}
	if r.at(n).low == "and" && r.at(n+1).low == "a" && r.at(n+2).low == "half" {
		return total + group + 0.5, n + 3 - at
	}
	return total + group, n - at
}

// joins tells whether the numeral f can follow what was read of a group: "six"
// after "twenty", "twenty" after "hundred", and never "two" after "one".
func joins(group, f float64) bool {
	switch {
	case group == 0:
		return true
	case group >= 100 && int(group)%100 == 0:
		return f < 100
	default:
		tens := int(group) % 100
		return tens >= 20 && tens%10 == 0 && f < 10
	}
}

var numerals = map[string]float64{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
	"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
	"seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
	"sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100, "thousand": 1e3, "million": 1e6,
	"billion": 1e9, "trillion": 1e12, "dozen": 12,
}

var magnitudes = map[string]float64{
	"hundred": 100, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12,
	"tausend": 1e3, "millionen": 1e6, "milliarden": 1e9, "mille": 1e3, "millions": 1e6, "milliards": 1e9,
	"mil": 1e3, "millones": 1e6,
}

var fractions = map[string]float64{"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1.0 / 3, "⅔": 2.0 / 3}
