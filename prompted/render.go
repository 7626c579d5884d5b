package prompted

import (
	"embed"
	"fmt"
	"strings"
	"text/template"
)

//go:embed templates/*.tmpl
var templateFiles embed.FS

// templates are the prompts, each named by its file without ".tmpl".
var templates = template.Must(template.New("").Option("missingkey=error").ParseFS(templateFiles, "templates/*.tmpl"))

// render fills a template, and trims the space around it. The templates and their
// data are both part of the program: one that can't be filled is a fault in it.
func render(name string, data any) string {
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, name+".tmpl", data); err != nil {
		panic(fmt.Sprintf("prompted: the template %s: %v", name, err))
	}
	return strings.TrimSpace(b.String())
}
