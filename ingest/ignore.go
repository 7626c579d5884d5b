package ingest

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// maxIgnoreFile bounds an ignore file, in bytes.
const maxIgnoreFile = 1 << 20

// ignoreFiles are the names of the files that hold ignore rules, the stronger
// last.
var ignoreFiles = []string{".gitignore", ".assayignore"}

// rule is one line of an ignore file.
type rule struct {
	pattern  string // for doublestar, matched against the path below the file's folder
	negated  bool
	dirsOnly bool
}

// rules are the ignore rules that hold in a folder: its own, and those of the
// folders above.
type rules struct {
	dir   string // the folder, "" for the root, else ending in a slash
	own   []rule
	above *rules
}

// parseIgnore reads the lines of an ignore file as gitignore(5) says. A line
// that is no pattern matches nothing.
func parseIgnore(s string) []rule {
	var out []rule
	for line := range strings.Lines(strings.TrimPrefix(s, "\ufeff")) {
		if r, ok := parseRule(strings.TrimRight(line, "\r\n")); ok {
			out = append(out, r)
		}
	}
	return out
}

func parseRule(line string) (rule, bool) {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if line == "" || line[0] == '#' {
		return rule{}, false
	}
	var r rule
	if line[0] == '!' {
		r.negated = true
		line = line[1:]
	}
	if strings.HasSuffix(line, "/") {
		r.dirsOnly = true
		line = strings.TrimRight(line, "/")
	}
	anchored := strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return rule{}, false
	}
	// Braces are letters to git and alternatives to doublestar; "a/**" is what is
	// in a, not a itself; "**" beside other letters is "*".
	line = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(line)
	if strings.HasSuffix(line, "/**") {
		line += "/*"
	}
	parts := strings.Split(line, "/")
	for i, p := range parts {
		if p != "**" {
			for strings.Contains(p, "**") {
				p = strings.ReplaceAll(p, "**", "*")
			}
			parts[i] = p
		}
	}
	r.pattern = strings.Join(parts, "/")
	if !anchored {
		r.pattern = "**/" + r.pattern
	}
	return r, doublestar.ValidatePattern(r.pattern)
}

// ignored tells whether the rules exclude a file or folder, by its slash path
// below the root. The last rule that matches decides, those of inner folders
// after those of outer ones. A folder that is excluded is not entered, so
// nothing in it can be included again.
func (r *rules) ignored(name string, dir bool) bool {
	for ; r != nil; r = r.above {
		below, ok := strings.CutPrefix(name, r.dir)
		if !ok {
			continue
		}
		for i := len(r.own) - 1; i >= 0; i-- {
			rule := r.own[i]
			if rule.dirsOnly && !dir {
				continue
			}
			if doublestar.MatchUnvalidated(rule.pattern, below) {
				return !rule.negated
			}
		}
	}
	return false
}

// skippedFolder tells whether a folder is never entered: it is hidden, or holds
// what a version control system or an interpreter keeps for itself.
func skippedFolder(name string) bool {
	if name == ".github" || name == ".gitlab" {
		return false
	}
	return strings.HasPrefix(name, ".") || name == "CVS" || name == "__pycache__"
}
