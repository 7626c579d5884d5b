package prompted

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/text"
)

// prompt is one rendered question to a model.
type prompt struct {
	system, user string
	schema       *schema // nil: a text is wanted
	maxTokens    int
}

// request is the prompt as a request.
func (p prompt) request() llm.Request {
	r := llm.Request{
		Messages:  []llm.Message{{Role: llm.System, Text: p.system}, {Role: llm.User, Text: p.user}},
		MaxTokens: p.maxTokens,
	}
	if p.schema != nil {
		r.Schema = &p.schema.Schema
	}
	return r
}

// schema is a schema with the keys that it requires, in its order.
type schema struct {
	llm.Schema
	keys []string
}

// schemaOf makes a schema of its JSON text, which is part of the program.
func schemaOf(name, text string) *schema {
	var s struct{ Required []string }
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		panic(fmt.Sprintf("prompted: the schema %s: %v", name, err))
	}
	return &schema{llm.Schema{Name: name, JSON: json.RawMessage(text)}, s.Required}
}

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

// languages are the names of those that text.Detect tells.
var languages = map[string]string{
	"am": "Amharic", "ar": "Arabic", "be": "Belarusian", "bg": "Bulgarian", "bn": "Bengali", "bo": "Tibetan", "ca": "Catalan", "cs": "Czech", "da": "Danish",
	"de": "German", "el": "Greek", "en": "English", "es": "Spanish", "et": "Estonian", "fa": "Persian", "fi": "Finnish", "fr": "French", "ga": "Irish",
	"gu": "Gujarati", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "hy": "Armenian", "id": "Indonesian",
	"it": "Italian", "ja": "Japanese", "ka": "Georgian", "km": "Khmer", "kn": "Kannada", "ko": "Korean", "lo": "Lao", "lt": "Lithuanian",
	"lv": "Latvian", "ml": "Malayalam", "my": "Burmese", "nb": "Norwegian", "nl": "Dutch", "no": "Norwegian", "pa": "Punjabi", "pl": "Polish",
	"pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "si": "Sinhala", "sk": "Slovak", "sl": "Slovenian", "sr": "Serbian",
	"sv": "Swedish", "ta": "Tamil", "te": "Telugu", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu", "vi": "Vietnamese",
	"zh": "Chinese",
}

// languageOf names the language to answer in: that of the words that the user chose.
func languageOf(q assay.Query) string {
	name, known := languages[text.Detect(cmp.Or(q.Asked, q.Question))]
	if !known {
		return "the language of the question"
	}
	return name
}

// ask asks for a JSON object of the prompt's schema and reads it as a T. accept says
// what is wrong with it, in words that the model can act on; it may be called
// several times, the last time for the best reply there is, and keeps what it can
// use. An error means that the last reply was not accepted.
func ask[T any](ctx context.Context, m llm.Model, p prompt, accept func(T) error) error {
	r := p.request()
	r.Accept = once(func(reply llm.Reply) error {
		switch reply.Finish {
		case llm.FinishRefused:
			return errors.New("the model refused")
		case llm.FinishFiltered:
			return errors.New("the server's filter stopped the model")
		}
		value, err := read[T](reply, p.schema)
		if err != nil {
			return err
		}
		return accept(value)
	})
	_, err := llm.Ask(ctx, llm.Repaired(m), r)
	return err
}

// once judges a reply only once where those around the model ask about the same one
// again, one after the other: the bill's decorator and the one that repairs.
func once(judge func(llm.Reply) error) func(llm.Reply) error {
	var last llm.Reply
	var wrong error
	known := false
	return func(r llm.Reply) error {
		if !known || r.Text != last.Text || r.Reasoning != last.Reasoning || r.Finish != last.Finish {
			last, wrong, known = r, judge(r), true
		}
		return wrong
	}
}

// wrapped says what the model could not do, in plain words: the notes of an answer
// show it.
func wrapped(task string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the model could not %s: %w", task, err)
}

// repairedCost is what a prompt comes to at the worst, with so many tokens of data in
// it: it is asked, and once more with the reply that could not be used.
func repairedCost(p prompt, data int) assay.Cost {
	in := p.request().EstimateTokens() + data
	return assay.Cost{Calls: 2, In: 2*in + p.maxTokens + repairTokens, Out: 2 * p.maxTokens}
}

// repairTokens is about what it takes to say what is wrong with a reply.
const repairTokens = 80

// tokensPerHeader is about what the line above the strips of a passage takes.
const tokensPerHeader = 30
