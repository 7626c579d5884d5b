package text

import "unicode/utf8"

// joint returns how many bytes of punctuation at i belong to the word that has
// been read so far, 0 where the word ends there.
func (sc *scanner) joint(i int) int {
	s, word := sc.s, sc.s[sc.Start:i]
	if word == "" {
		return 0
	}
	var before, after byte = word[len(word)-1], ' '
	if i+1 < len(s) {
		after = s[i+1]
	}
	n := 0
	switch s[i] {
	case '\'':
		if (before >= utf8.RuneSelf || class[before] != 0) && i+1 < len(s) && wordAt(s, i+1) {
			sc.shape |= shapeQuote
			return 1
		}
		return 0
	case '_':
		n = 1
	case '.':
		sentence := sc.shape == shapeDigit && isClass(after, shapeUpper) // "in 2020.The"
		if before != '_' && i+1 < len(s) && wordAt(s, i+1) && !sentence {
			n = 1
		}
	case ',':
		if digit(before) && digit(after) && groups(s, i) {
			n = 1
		}
	case ':':
		if digit(before) && digit(after) && i+2 < len(s) && digit(s[i+2]) && (i+3 == len(s) || !digit(s[i+3])) {
			n = 1
		}
	case '-':
		if sc.hyphen(word, i, after) {
			n = 1
		}
	case '@':
		n = domain(s, i)
	case '&':
		if len(word) <= 4 && sc.shape&^(shapeInitial|shapeUpper|shapeJoined) == 0 && isClass(after, shapeUpper) {
			n = 1
		}
	case '+':
		if (word == "C" || word == "c" || word == "g") && after == '+' && (i+2 == len(s) || s[i+2] != '+') {
			n = 2
		}
	case '#':
		if len(word) == 1 && isClass(before|0x20, shapeLower) && !alnum(after) && after != '#' && after != '_' {
			n = 1
		}
	case '(':
		n = subsection(s, word, i)
	}
	if n > 0 {
		sc.shape |= shapeJoined
	}
	return n
}

func isClass(c byte, want shape) bool { return c < utf8.RuneSelf && class[c]&want != 0 }

// hyphen tells whether the hyphen at i is part of the word: in options, in ISO
// dates, and after a single letter ("e-mail", "X-ray", but not "a-t-il").
func (sc *scanner) hyphen(word string, i int, after byte) bool {
	s := sc.s
	if word[0] == '-' {
		return alnum(after)
	}
	if len(word) == 1 {
		return letter(word[0]) && letter(after) && i+2 < len(s) && letter(s[i+2]) && (sc.Start == 0 || s[sc.Start-1] != '-')
	}
	if len(word) == 4 && sc.shape == shapeDigit {
		return i+2 < len(s) && digit(after) && digit(s[i+2]) && (i+3 == len(s) || !digit(s[i+3]))
	}
	return len(word) == 7 && word[4] == '-' && sc.shape == shapeDigit|shapeJoined &&
		i+2 < len(s) && digit(after) && digit(s[i+2]) && (i+3 == len(s) || !digit(s[i+3]))
}

// groups tells whether the comma at i is part of a number: before a group of
// three digits, or before decimals that no further comma follows.
func groups(s string, i int) bool {
	n := 1
	for i+n < len(s) && digit(s[i+n]) {
		n++
	}
	return n == 4 || n <= 3 && (i+n == len(s) || s[i+n] != ',')
}

// domain returns the length of the "@" at i with the domain after it, 0 where
// there is none.
func domain(s string, i int) int {
	dot, n := false, 1
	for ; i+n < len(s); n++ {
		c := s[i+n]
		if c == '.' && i+n+1 < len(s) && alnum(s[i+n+1]) && n > 1 {
			dot = true
		} else if !alnum(c) && !(c == '-' && n > 1 && i+n+1 < len(s) && alnum(s[i+n+1])) {
			break
		}
	}
	if !dot {
		return 0
	}
	return n
}

// subsection returns the length of "(k)" or "(c)(3)" at i after a number, 0
// where there is none.
func subsection(s, word string, i int) int {
	if !digit(word[0]) || i+2 >= len(s) || !letter(s[i+1]) || s[i+2] != ')' {
		return 0
	}
	n := 3
	for i+n+2 < len(s) && s[i+n] == '(' && alnum(s[i+n+1]) && s[i+n+2] == ')' {
		n += 3
	}
	return n
}
