package prompted_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/openai"
	"github.com/assay-rag/assay/prompted"
)

// liveModel is the model of the live server, which ASSAY_LIVE_URL names.
func liveModel(t *testing.T) llm.Model {
	t.Helper()
	url := os.Getenv("ASSAY_LIVE_URL")
	if url == "" {
		t.Skip("ASSAY_LIVE_URL names no server")
	}
	model, err := openai.New(os.Getenv("ASSAY_LIVE_MODEL"), &openai.Options{BaseURL: url, Timeout: 10 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// liveQuestions are questions about sections of the sample documents, with what a
// right answer holds; "" means that there is none to be found there.
var liveQuestions = []struct {
	question string
	sections []string // file#heading
	want     string
}{
	{"Do I need to have worked here for a year before I can take parental leave?", []string{"handbook/parental-leave.md#What you receive"}, "No"},
	{"How many weeks of full pay does the second carer get?", []string{"handbook/parental-leave.md#What you receive", "handbook/leave.md#Sick leave"}, "8 weeks"},
	{"What is the limit for a hotel in London?", []string{"handbook/expenses.md#Limits"}, "220"},
	{"How far ahead do I have to enter a holiday of a week?", []string{"handbook/leave.md#Booking"}, "two weeks"},
	{"How many days of paid time off do full-time staff get?", []string{"handbook/leave-2023.md#Paid time off", "handbook/leave.md#Paid time off"}, "28"},
	{"How long may I work from another country?", []string{"handbook/remote-work.md#At home", "handbook/remote-work.md#Abroad"}, "40 days"},
	{"Wie viele Tage im Jahr darf ich aus einem anderen Land arbeiten?", []string{"handbook/remote-work.md#Abroad"}, "40 Tage"},
	{"Wie lange muss die pH-Sonde vor der ersten Messung gewässert werden?", []string{"product/quick-start-de.md#Vor dem ersten Einsatz"}, "20 Minuten"},
	{"What happens to a parcel without an RMA number?", []string{"support/rma-process.md#Numbers", "support/rma-process.md#Steps"}, "grey shelf"},
	{"How do I ask to work from abroad?", []string{"handbook/remote-work.md#Abroad"}, "30 days"},
	{"May I work from another country for two weeks?", []string{"handbook/remote-work.md#Abroad"}, "Yes"},
	{"Who pays for a gym membership?", []string{"handbook/expenses.md#What we don't pay", "handbook/expenses.md#Company cards"}, ""},
	{"What does the Heron 2 weigh?", []string{"product/kite-gateway.md#Specifications"}, ""},
}

// section reads a section of a sample document as a passage.
func section(t *testing.T, name string) assay.Passage {
	t.Helper()
	file, heading, _ := strings.Cut(name, "#")
	data, err := os.ReadFile(filepath.Join("..", "examples", "brackwater", filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	document := string(data)
	field := func(before string) string {
		_, rest, _ := strings.Cut(document, before)
		value, _, _ := strings.Cut(rest, "\n")
		return strings.TrimSpace(value)
	}
	_, rest, found := strings.Cut(document, "# "+heading+"\n")
	if !found {
		t.Fatalf("%s has no heading %q", file, heading)
	}
	text, _, _ := strings.Cut(rest, "\n#")
	date, err := time.Parse(time.DateOnly, field("\nupdated:"))
	if err != nil {
		t.Fatal(err)
	}
	return assay.Passage{
		Document: file, Title: field("\ntitle:"), Heading: []string{heading}, Text: text, End: len(text),
		Date: date, DateFrom: assay.DateFromDocument,
	}
}

// A live model is asked questions about the sample documents. What must hold of any
// model is tested; how often a small one is right is only told.
func TestLiveGenerator(t *testing.T) {
	model := liveModel(t)
	generator := prompted.NewGenerator(model, &prompted.GeneratorOptions{MaxTokens: 300})
	right, cited, said := 0, 0, 0
	for _, c := range liveQuestions {
		r := assay.DraftRequest{Query: assay.Query{Question: c.question, Asked: c.question}}
		for _, name := range c.sections {
			p := section(t, name)
			r.Evidence = append(r.Evidence, assay.StripsOf(p)...)
		}
		if strings.Contains(c.sections[0], "2023") { // as a grader finds
			r.Conflicts = []assay.Conflict{{A: 1, B: 4, Stale: true, Note: "25 days (2023-01-01) against 28 days (2026-01-01)"}}
		}
		var told []assay.Segment
		var text strings.Builder
		r.OnSegment = func(s assay.Segment) { told = append(told, s) }
		r.OnText = func(piece string) { text.WriteString(piece) }
		d, err := generator.Draft(t.Context(), r)
		if err != nil {
			t.Errorf("%s: %v", c.question, err)
			continue
		}
		if lay(assay.Draft{Segments: told}) != lay(assay.Draft{Segments: d.Segments}) {
			t.Errorf("%s: told %q, but the draft is %q", c.question, lay(assay.Draft{Segments: told}), lay(d))
		}
		whole := ""
		for _, s := range d.Segments {
			whole += s.Text + " "
			said++
			if len(s.Cites) > 0 && !slices.ContainsFunc(s.Cites, func(i int) bool { return i < 0 || i >= len(r.Evidence) }) {
				cited++
			}
		}
		ok := strings.Contains(whole, c.want) && (c.want != "") == (len(d.Segments) > 0)
		if ok {
			right++
		}
		t.Logf("%-5v %s\n%q\ntold as %q", ok, c.question, lay(d), text.String())
	}
	t.Logf("%d of %d right; %d of %d sentences cite evidence that exists", right, len(liveQuestions), cited, said)
}
