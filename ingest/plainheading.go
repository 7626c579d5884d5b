package ingest

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// openingTitle returns the first line of a text if it looks like a title: it is
// short, doesn't end as a sentence or its beginning does, and is underlined or
// starts with a capital or digit and stands alone.
func openingTitle(s string) string {
	var lines [3]string // the first, the one below it, and one more that isn't empty
	n := 0
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(cutAt(line, lineLimit))
		if n == 0 && underline().MatchString(line) || n != 1 && line == "" {
			continue
		}
		if lines[n] = line; n == len(lines)-1 {
			break
		}
		n++
	}
	title, under := lines[0], lines[1]
	if m := hashHeading().FindStringSubmatch(title); m != nil {
		title = m[2]
	}
	first, _ := utf8.DecodeRuneInString(title)
	switch {
	case utf8.RuneCountInString(title) > maxTitle || !unicode.IsLetter(first) && !unicode.IsDigit(first):
		return ""
	case !headline(title) || strings.HasSuffix(title, ":") || strings.ContainsAny(title, "@|") || strings.Contains(title, "://"):
		return ""
	case underline().MatchString(under):
		return squeeze(title)
	case under != "" || lines[2] == "" || unicode.IsLower(first):
		return ""
	}
	return squeeze(title)
}

// headline tells whether a line may head a text: it has no columns and doesn't
// end as a sentence or a row of a table does.
func headline(line string) bool {
	ends := strings.ContainsAny(line[len(line)-1:], ".,;~") && !strings.HasSuffix(line, " etc.")
	return !ends && !strings.Contains(line, "\t") && !strings.Contains(line, "   ")
}

// heading writes the heading that lines begin with, and returns how many they
// are.
func (p *plainReader) heading(lines []string) int {
	switch p.ext {
	case ".adoc", ".asciidoc":
		if m := adocHeading().FindStringSubmatch(lines[0]); m != nil {
			p.w.heading(len(m[1]), m[2])
			return 1
		}
	case ".org":
		if m := orgHeading().FindStringSubmatch(lines[0]); m != nil {
			p.w.heading(len(m[1]), m[2])
			return 1
		}
	case ".rst":
		if len(lines) > 2 && underline().MatchString(lines[0]) && lines[2] == lines[0] {
			p.w.heading(p.level("^"+lines[0][:1]), p.marks(strings.TrimSpace(lines[1])))
			return 3
		}
	}
	if m := hashHeading().FindStringSubmatch(lines[0]); m != nil && p.ext != ".rst" {
		switch {
		case len(lines) == 1:
			p.w.heading(len(m[1]), m[2])
			return 1
		case underline().MatchString(lines[1]):
			p.w.heading(len(m[1]), m[2])
			return 2
		}
	}
	if len(lines) > 1 && underline().MatchString(lines[1]) && p.ext != ".org" && p.titled(lines[0], lines[1]) {
		p.w.heading(p.level(" "+lines[1][:1]), p.marks(lines[0]))
		return 2
	}
	return 0
}

// titled tells whether a line is a heading by the one that underlines it: that
// is as long, more or less.
func (p *plainReader) titled(line, under string) bool {
	if !marked[p.ext] && !headline(line) {
		return false
	}
	n := utf8.RuneCountInString(line)
	return n <= 120 && len(under) >= n-1 && len(under) <= 2*n+3 && strings.TrimLeft(line, " \t-*+|=") == line
}

// level returns the level of an underline: they rank by where they appear first.
func (p *plainReader) level(adornment string) int {
	i := strings.Index(p.adorns, adornment)
	if i < 0 {
		i = len(p.adorns)
		p.adorns += adornment
	}
	return min(i/2+1, 6)
}
