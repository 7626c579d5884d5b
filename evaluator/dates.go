package evaluator

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/assay-rag/assay/text"
)

// dateForms are the forms of a date, in the order in which they are tried.
var dateForms = [...]func(*valueReader, int) (string, int){
	(*valueReader).isoDate, (*valueReader).separatedDate, (*valueReader).dayMonth, (*valueReader).monthDay, (*valueReader).quarterOfYear, (*valueReader).bareMonth,
}

// date reads calendar dates: "2024-05-12", "12.05.2024", "12/05/2024", "12 May
// 2024", "the 5th of June", "May 12, 2024", "May 2024", "Q3 2024", a month or a
// weekday alone. Where 12/05/2024 could be either, the month is first.
func (r *valueReader) date(at int) (value, int) {
	for _, form := range dateForms {
		if norm, n := form(r, at); n > 0 {
			return value{Kind: valueDate, Norm: norm}, n
		}
	}
	return value{}, 0
}

// isoDate reads 2024-05-12 and 2024-05.
func (r *valueReader) isoDate(at int) (string, int) {
	y, ok := r.integer(at, 1000, 2999, 4)
	if !ok || !r.joined(at+1, "-‑") {
		return "", 0
	}
	m, ok := r.integer(at+2, 1, 12, 2)
	if !ok {
		return "", 0
	}
	if d, ok := r.integer(at+4, 1, 31, 2); ok && r.joined(at+3, "-‑") {
		return fmt.Sprintf("%04d-%02d-%02d", y, m, d), 5
	}
	if r.joined(at+3, "-‑") {
		return "", 0
	}
	return fmt.Sprintf("%04d-%02d", y, m), 3
}

// separatedDate reads 12.05.2024 and 12/05/2024.
func (r *valueReader) separatedDate(at int) (string, int) {
	if r.at(at).kind != numberLexeme {
		return "", 0
	}
	if norm, ok := dottedDate(r.at(at).low); ok {
		return norm, 1
	}
	a, ok1 := r.integer(at, 1, 31, 0)
	b, ok2 := r.integer(at+2, 1, 31, 0)
	y, ok3 := r.integer(at+4, 1000, 2999, 4)
	if !ok1 || !ok2 || !ok3 || !r.joined(at+1, "/") || !r.joined(at+3, "/") {
		return "", 0
	}
	switch {
	case a > 12 && b <= 12:
		return fmt.Sprintf("%04d-%02d-%02d", y, b, a), 5
	case a <= 12:
		return fmt.Sprintf("%04d-%02d-%02d", y, a, b), 5
	}
	return "", 0
}

// dottedDate reads day.month.year.
func dottedDate(s string) (string, bool) {
	parts := strings.Split(s, ".")
	if len(parts) != 3 || len(parts[2]) != 4 {
		return "", false
	}
	d, err1 := strconv.Atoi(parts[0])
	m, err2 := strconv.Atoi(parts[1])
	y, err3 := strconv.Atoi(parts[2])
	if err1 != nil || err2 != nil || err3 != nil || d < 1 || d > 31 || m < 1 || m > 12 {
		return "", false
	}
	return fmt.Sprintf("%04d-%02d-%02d", y, m, d), true
}

// dayMonth reads "12 May 2024", "5th of June", "12. Mai".
func (r *valueReader) dayMonth(at int) (string, int) {
	d, ok := r.integer(at, 1, 31, 0)
	if !ok {
		return "", 0
	}
	n := at + 1
	if ordinal(r.at(n)) || r.joined(n, ".") {
		n++
	}
	if oneOf(r.at(n).low, []string{"of", "de"}) {
		n++
	}
	m, ok := r.month(n)
	if !ok {
		return "", 0
	}
	n++
	if y, k := r.yearAfter(n); k > 0 {
		return fmt.Sprintf("%04d-%02d-%02d", y, m, d), n + k - at
	}
	return fmt.Sprintf("--%02d-%02d", m, d), n - at
}

// monthDay reads "May 12, 2024", "June 5th" and "May 2024".
func (r *valueReader) monthDay(at int) (string, int) {
	m, ok := r.month(at)
	if !ok {
		return "", 0
	}
	if y, k := r.yearAfter(at + 1); k > 0 {
		return fmt.Sprintf("%04d-%02d", y, m), k + 1
	}
	d, ok := r.integer(at+1, 1, 31, 0)
	if !ok {
		return "", 0
	}
	n := at + 2
	if ordinal(r.at(n)) {
		n++
	}
	if y, k := r.yearAfter(n); k > 0 {
		return fmt.Sprintf("%04d-%02d-%02d", y, m, d), n + k - at
	}
	return fmt.Sprintf("--%02d-%02d", m, d), n - at
}

// quarterOfYear reads "Q3 2024" and "Q3".
func (r *valueReader) quarterOfYear(at int) (string, int) {
	q, ok := r.integer(at+1, 1, 4, 1)
	if r.at(at).low != "q" || !ok || !r.at(at+1).glued {
		return "", 0
	}
	if y, k := r.yearAfter(at + 2); k > 0 {
		return fmt.Sprintf("%04d-Q%d", y, q), 2 + k
	}
	return fmt.Sprintf("Q%d", q), 2
}

// bareMonth reads a month or a weekday that stands alone. "May" and "March" need
// a preposition before them.
func (r *valueReader) bareMonth(at int) (string, int) {
	l := r.at(at)
	if l.kind != wordLexeme || !capital(r.s, l) {
		return "", 0
	}
	if day, ok := weekdays[l.low]; ok {
		return day, 1
	}
	m, ok := months[l.low]
	if !ok || len(l.low) < 3 || (len(l.low) == 3 && l.low != "may") {
		return "", 0
	}
	if oneOf(l.low, []string{"may", "march", "mars", "august", "mai"}) &&
		!oneOf(r.at(at-1).low, []string{"in", "by", "until", "of", "since", "before", "after", "during", "each", "every", "early", "mid", "late", "from", "to", "im", "bis", "seit", "en"}) {
		return "", 0
	}
	return fmt.Sprintf("--%02d", m), 1
}

// clock reads times of day: "9:00", "17:30", "3 pm", "9:30 a.m.".
func (r *valueReader) clock(at int) (value, int) {
	h, ok := r.integer(at, 0, 24, 0)
	if !ok {
		return value{}, 0
	}
	n, minutes := at+1, 0
	if m, ok := r.integer(at+2, 0, 59, 2); ok && r.joined(n, ":") {
		minutes = m
		n += 2
		if r.joined(n, ":") { // a ratio, or seconds
			if _, ok := r.integer(n+1, 0, 59, 2); ok {
				n += 2
			}
		}
	}
	half := ""
	switch l := r.at(n); {
	case oneOf(l.low, []string{"am", "pm", "uhr"}):
		half = l.low
		n++
	case oneOf(l.low, []string{"a", "p"}) && r.joined(n+1, ".") && r.at(n+2).low == "m":
		half = l.low + "m"
		n += 3
	}
	if n == at+1 {
		return value{}, 0
	}
	if half == "pm" && h < 12 {
		h += 12
	}
	if half == "am" && h == 12 {
		h = 0
	}
	return value{Kind: valueDate, Unit: "time", Norm: fmt.Sprintf("%02d:%02d", h, minutes)}, n - at
}

// year reads a year that stands alone: four digits that count nothing, a decade
// ("1990s"), or a span of years ("2018–19").
func (r *valueReader) year(at int) (value, int) {
	y, ok := r.integer(at, 1000, 2199, 4)
	if !ok {
		return value{}, 0
	}
	if r.at(at+1).low == "s" && r.at(at+1).glued {
		return value{Kind: valueYear, Number: float64(y), High: float64(y + 9), Norm: fmt.Sprintf("%ds", y)}, 2
	}
	led := oneOf(r.at(at-1).low, []string{"in", "since", "of", "until", "before", "after", "during", "year", "late", "early", "mid", "by", "jahr", "seit", "bis", "en", "depuis", "année", "desde"})
	if !led && (y < 1600 || y > 2099 || r.counts(at+1)) {
		return value{}, 0
	}
	if _, n := r.unit(at + 1); n > 0 {
		return value{}, 0
	}
	if last, ok := r.integer(at+2, 0, 99, 2); ok && r.joined(at+1, "-–—‑") && !r.joined(at+3, "-–—‑") {
		if end := y - y%100 + last; end > y {
			return value{Kind: valueYear, Number: float64(y), High: float64(end), Norm: fmt.Sprintf("%d-%02d", y, last)}, 3
		}
	}
	return value{Kind: valueYear, Number: float64(y), High: float64(y), Norm: strconv.Itoa(y)}, 1
}

// counts tells whether the lexeme can be what a number before it counts or
// measures.
func (r *valueReader) counts(at int) bool {
	if _, ok := currencySigns[r.at(at).low]; ok {
		return true
	}
	if _, n := r.unit(at); n > 0 {
		return true
	}
	if _, ok := magnitudes[r.at(at).low]; ok {
		return true
	}
	return r.counted(at) != ""
}

// integer returns the lexeme at i as an integer in [low, high], written with
// exactly width digits (0: any width).
func (r *valueReader) integer(i, low, high, width int) (int, bool) {
	l := r.at(i)
	if l.kind != numberLexeme || (width > 0 && len(l.low) != width) || len(l.low) > 4 {
		return 0, false
	}
	n, err := strconv.Atoi(l.low)
	return n, err == nil && low <= n && n <= high
}

// joined tells whether lexeme i is one of the signs, with no white space around.
func (r *valueReader) joined(i int, signs string) bool {
	return r.sign(i, signs) && r.at(i).glued && (r.at(i+1).glued || signs == ".")
}

// yearAfter reads a year after a month: " 2024" or ", 2024".
func (r *valueReader) yearAfter(at int) (year, taken int) {
	n := at
	if r.sign(n, ",") {
		n++
	}
	if oneOf(r.at(n).low, []string{"of", "de"}) {
		n++
	}
	y, ok := r.integer(n, 1000, 2199, 4)
	if !ok {
		return 0, 0
	}
	return y, n + 1 - at
}

// month reads the name of a month, which "may" and "mar" are only in capitals.
func (r *valueReader) month(i int) (int, bool) {
	l := r.at(i)
	m, ok := months[l.low]
	if !ok || l.kind != wordLexeme {
		return 0, false
	}
	return m, capital(r.s, l) || len(l.low) > 3
}

func capital(s string, l lexeme) bool {
	w := s[l.Start:l.End]
	return w != strings.ToLower(w)
}

func ordinal(l lexeme) bool {
	return l.glued && oneOf(l.low, []string{"st", "nd", "rd", "th", "er", "º"})
}

func isMonthOrDay(low string) bool {
	_, month := months[low]
	_, day := weekdays[low]
	return month || day || oneOf(text.Fold(low), []string{"mid", "pre", "post", "early", "late"})
}

var months = map[string]int{
	"january": 1, "jan": 1, "januar": 1, "janvier": 1, "enero": 1,
	"february": 2, "feb": 2, "februar": 2, "février": 2, "febrero": 2,
	"march": 3, "mar": 3, "märz": 3, "mars": 3, "marzo": 3,
	"april": 4, "apr": 4, "avril": 4, "abril": 4,
	"may": 5, "mai": 5, "mayo": 5,
	"june": 6, "jun": 6, "juni": 6, "juin": 6, "junio": 6,
	"july": 7, "jul": 7, "juli": 7, "juillet": 7, "julio": 7,
	"august": 8, "aug": 8, "août": 8, "agosto": 8,
	"september": 9, "sep": 9, "sept": 9, "septembre": 9, "septiembre": 9,
	"october": 10, "oct": 10, "oktober": 10, "octobre": 10, "octubre": 10,
	"november": 11, "nov": 11, "novembre": 11, "noviembre": 11,
	"december": 12, "dec": 12, "dezember": 12, "décembre": 12, "diciembre": 12,
}

var weekdays = map[string]string{
	"monday": "monday", "mondays": "monday", "tuesday": "tuesday", "tuesdays": "tuesday", "wednesday": "wednesday",
	"wednesdays": "wednesday", "thursday": "thursday", "thursdays": "thursday", "friday": "friday", "fridays": "friday",
	"saturday": "saturday", "saturdays": "saturday", "sunday": "sunday", "sundays": "sunday",
	"montag": "monday", "dienstag": "tuesday", "mittwoch": "wednesday", "donnerstag": "thursday", "freitag": "friday",
	"samstag": "saturday", "sonntag": "sunday",
}
