package prompted

import (
	"encoding/json"
	"strings"
)

// mend reads the JSON value that a text begins with, a "{" or a "[", and how many
// bytes it takes; nil where there is none. It mends what can only mean one thing:
//   - a comma before a closing bracket is left out;
//   - True, False and None are what Python writes for true, false and null, and NaN
//     and the infinities, which JSON has no word for, become null;
//   - a line break within a string is written as \n;
//   - of a list that is cut off, the elements that are whole are kept. What its end
//     would have said isn't ours to guess: an object that is cut off is none.
func mend(s string) (value json.RawMessage, size int) {
	if s == "" || s[0] != '{' && s[0] != '[' {
		return nil, 0
	}
	m := mending{in: s}
	size = m.run()
	if size == 0 || !json.Valid(m.out) {
		return nil, 0
	}
	return m.out, size
}

// maxDepth is how deep values may be nested in each other.
const maxDepth = 32

// mending is a value half read.
type mending struct {
	in   string
	at   int
	out  []byte
	open []byte // the brackets that wait for their end, outermost first

	wholeOut  int    // len(out) after the last whole element of a list
	wholeOpen []byte // open at that time
}

// run reads the value and returns how many bytes it takes; 0 where it is none.
func (m *mending) run() int {
	for m.at < len(m.in) {
		ok := true
		switch c := m.in[m.at]; {
		case c == '{' || c == '[':
			m.open = append(m.open, c)
			m.copy(1)
			ok = len(m.open) <= maxDepth
		case c == '}' || c == ']':
			if ok = m.close(c); ok && len(m.open) == 0 {
				return m.at
			}
		case c == '"':
			ok = m.quoted()
		case strings.IndexByte(",: \t\r\n", c) >= 0:
			m.copy(1)
		default:
			ok = m.word()
		}
		if !ok {
			return 0
		}
	}
	return m.cut()
}

func (m *mending) copy(n int) {
	m.out = append(m.out, m.in[m.at:m.at+n]...)
	m.at += n
}

// close ends the innermost open bracket.
func (m *mending) close(c byte) bool {
	last := len(m.open) - 1
	if m.open[last]+2 != c { // as in ASCII: "{" and "}", "[" and "]"
		return false
	}
	for n := len(m.out); n > 0 && strings.IndexByte(", \t\r\n", m.out[n-1]) >= 0; n-- {
		m.out = m.out[:n-1]
	}
	m.open = m.open[:last]
	m.copy(1)
	if last > 0 && m.open[last-1] == '[' {
		m.wholeOut, m.wholeOpen = len(m.out), append(m.wholeOpen[:0], m.open...)
	}
	return true
}

// quoted reads a string. One that is cut off takes the rest of the text.
func (m *mending) quoted() bool {
	for m.copy(1); m.at < len(m.in); {
		switch c := m.in[m.at]; {
		case c == '"':
			m.copy(1)
			return true
		case c == '\\' && m.at+1 < len(m.in):
			m.copy(2)
		case c == '\n':
			m.out = append(m.out, `\n`...)
			m.at++
		case c < 0x20:
			m.out = append(m.out, ' ')
			m.at++
		default:
			m.copy(1)
		}
	}
	return true
}

// literals are what a word in a reply is in JSON.
var literals = map[string]string{
	"true": "true", "false": "false", "null": "null", "True": "true", "False": "false", "None": "null",
	"NaN": "null", "nan": "null", "Infinity": "null", "-Infinity": "null", "inf": "null", "-inf": "null",
}

// word reads a number or a word.
func (m *mending) word() bool {
	rest := m.in[m.at:]
	end := strings.IndexFunc(rest, func(r rune) bool {
		return !('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '-' || r == '+' || r == '.')
	})
	if end < 0 {
		end = len(rest)
	}
	word := rest[:end]
	if known, ok := literals[word]; ok {
		m.out = append(m.out, known...)
	} else if json.Valid([]byte(word)) { // a number
		m.out = append(m.out, word...)
	} else {
		return false
	}
	m.at += end
	return true
}

// cut ends a value that the end of the text has cut off after the last element of a
// list that is whole.
func (m *mending) cut() int {
	if m.wholeOut == 0 {
		return 0
	}
	m.out = m.out[:m.wholeOut]
	for i := len(m.wholeOpen) - 1; i >= 0; i-- {
		m.out = append(m.out, m.wholeOpen[i]+2)
	}
	return len(m.in)
}
