package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-rag/assay"
)

// wordings are what libraries say to programmers, and what that means to a person.
var wordings = []struct {
	said *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`json: unknown field`), `there is no field`},
	{regexp.MustCompile(`unexpected EOF|unexpected end of JSON input`), `it ends in the middle`},
	{regexp.MustCompile(`context deadline exceeded`), `the time was up`},
	{regexp.MustCompile(`context canceled|(?:interrupt|terminated) signal received`), `it was interrupted`},
	{regexp.MustCompile(`dial tcp \S+: connect: `), ``},
	{regexp.MustCompile(`dial tcp: lookup (\S+)(?: on \S+)?: no such host`), `there is no host $1`},
	{regexp.MustCompile(`expected duration but got ("[^"]*").*`), `must be a time such as 5s or 2m, and is $1`},
	{regexp.MustCompile(`expected a float but got ("[^"]*").*`), `must be a number, and is $1`},
	{regexp.MustCompile(`expected a valid \d+ bit int but got ("[^"]*")`), `must be a whole number, and is $1`},
	{regexp.MustCompile(`^[a-z]+(?: [a-z]+)+: (budget spent)`), `$1`},
	{regexp.MustCompile(`\b(?:openai|anthropic) new(?: embedder)?: `), ``},
}

// wrongType is what readers of JSON and YAML say of a value of another type than a
// Go program has for it, and wrongKind what they say of its form.
var (
	wrongType = regexp.MustCompile(`(?:json: )?cannot unmarshal (\S+) into Go (?:struct field \w+\.(\S+)|value) of type (\S+(?: \{.*\})?)`)
	wrongKind = regexp.MustCompile(`(\w+) was used where (\w+) is expected`)
)

// plainly puts an error's text into words for a person.
func plainly(text string) string {
	text = wrongType.ReplaceAllStringFunc(text, func(said string) string {
		m := wrongType.FindStringSubmatch(said)
		return fmt.Sprintf("%s is %s, and must be %s", cmp.Or(strings.ToLower(m[2]), "it"), typeName(m[1]), typeName(m[3]))
	})
	text = wrongKind.ReplaceAllStringFunc(text, func(said string) string {
		m := wrongKind.FindStringSubmatch(said)
		return fmt.Sprintf("there is %s, and must be %s", typeName(m[1]), typeName(m[2]))
	})
	for _, w := range wordings {
		text = w.said.ReplaceAllString(text, w.to)
	}
	return text
}

// typeName is what a person calls a type of Go, JSON or YAML.
func typeName(t string) string {
	t = strings.TrimPrefix(t, "*")
	switch {
	case strings.HasPrefix(t, "[]"), t == "array", t == "sequence":
		return "a list"
	case t == "string":
		return "text"
	case t == "bool":
		return "true or false"
	case strings.HasPrefix(t, "int"), strings.HasPrefix(t, "uint"), strings.HasPrefix(t, "float"), t == "number":
		return "a number"
	case t == "null":
		return "nothing"
	}
	return "names with values"
}

// timeOver is what errors say where the time for an answer was up.
var timeOver = regexp.MustCompile(`context deadline exceeded|the time was over`)

// readable are notes in plain words. That the budget is spent is noted by all who meet
// its end: one note of them says so, the last, which tells what came of it.
func readable(notes []assay.Note) []assay.Note {
	spent := func(n assay.Note) bool { return n.Code == assay.ReasonBudget }
	out := []assay.Note{}
	bound := ""
	for i, n := range notes {
		if spent(n) && slices.ContainsFunc(notes[i+1:], spent) {
			bound = n.Text // the first says which
			continue
		}
		if bound != "" {
			n.Text = timeOver.ReplaceAllLiteralString(n.Text, bound)
		}
		n.Text = plainly(n.Text)
		out = append(out, n)
	}
	return out
}
