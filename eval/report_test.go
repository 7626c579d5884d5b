package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm"
)

var update = flag.Bool("update", false, "write the goldens anew")

// reports are of made sets, with times that don't change.
func reports(t *testing.T) map[string]Report {
	t.Helper()
	set := gateSet(25)
	for i := range set.Gate {
		set.Gate[i].Kind = []string{"rye", "wheat"}[i/40] // ten of wheat: too few
	}
	noisy := graderFunc(func(q string, p assay.Passage) (assay.Grade, error) {
		switch {
		case strings.Contains(p.Text, "passage 3 "):
			return assay.Grade{}, errors.New("reply \x1b[31mcut off\nafter 3 tokens")
		case strings.Contains(p.Text, "5 about"):
			return assay.Grade{Score: 0.8}, nil
		}
		return oracle(q, p)
	})
	paid := scorer(func(ctx context.Context, _ string, texts []string) ([]float64, error) {
		llm.MeterFrom(ctx).Settle(llm.Usage{Calls: 2, Tokens: 600, Money: 0.001})
		return slices.Repeat([]float64{0.5}, len(texts)), nil
	})
	gate, err := Gate(t.Context(), set, []GateSystem{{Name: "words", Grader: noisy}, {Name: "judge", Version: "large", Grader: paid}, AlwaysGate()}, &Options{Worst: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i := range gate.Systems {
		gate.Systems[i].Time = 1.25
		gate.Systems[i].Curves = fewPoints(gate.Systems[i].Curves)
	}
	support, err := Support(t.Context(), supportSet(8), checked(verbatim), &Options{Worst: 1})
	if err != nil {
		t.Fatal(err)
	}
	support.Systems[0].Time = 0.5
	support.Systems[0].Curves = fewPoints(support.Systems[0].Curves)
	lengths := stripsBy{score: func(text string) float64 { return 1 / float64(len(text)) }}
	strips, err := Strips(t.Context(), stripSet(t), []GateSystem{{Name: "short", Grader: lengths}, AlwaysGate()}, &Options{Worst: 1})
	if err != nil {
		t.Fatal(err)
	}
	useful, err := Useful(t.Context(), usefulSet(), []UsefulSystem{{Name: "length", Version: "1", Rater: raterFunc(func(answer string) (int, error) { return len(answer), nil })}, AlwaysUseful()}, &Options{Worst: 1})
	if err != nil {
		t.Fatal(err)
	}
	route, err := Route(t.Context(), load(t, "own_route.jsonl"), []RouteSystem{AlwaysRoute()}, &Options{Worst: 1})
	if err != nil {
		t.Fatal(err)
	}
	strips.Systems[0].Time, strips.Systems[1].Time = 0.25, 0
	useful.Systems[0].Time, useful.Systems[1].Time = 0.25, 0
	route.Systems[0].Time = 0
	retrieval, err := Retrieval(t.Context(), load(t, "squad.json"), func(_ context.Context, _ []assay.Document, passages [][]assay.Passage) ([]RetrievalSystem, error) {
		first := passages[0][0]
		return []RetrievalSystem{{"BM25", rankerOf(passages)}, fixed("first", first)}, nil
	}, []int{1, 5}, &Options{Worst: 2})
	if err != nil {
		t.Fatal(err)
	}
	retrieval.BuildTime = 12
	for i := range retrieval.Systems {
		retrieval.Systems[i].QueryTime = QueryTime{0.25, 0.75}
	}
	return map[string]Report{"gate": gate, "strips": strips, "support": support, "useful": useful, "route": route, "retrieval": retrieval}
}

// fewPoints keeps a golden short.
func fewPoints(c Curves) Curves {
	c.ROC, c.Reliability, c.RiskCoverage, c.Sweep = c.ROC[:2], c.Reliability[:1], c.RiskCoverage[:1], c.Sweep[35:36]
	return c
}

func TestReportGoldens(t *testing.T) {
	for name, r := range reports(t) {
		var table, object bytes.Buffer
		if err := r.WriteTable(&table); err != nil {
			t.Fatal(err)
		}
		if err := WriteJSON(&object, r); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".txt", table.Bytes())
		golden(t, name+".json", object.Bytes())
		if i := bytes.IndexFunc(table.Bytes(), func(r rune) bool { return r < ' ' && r != '\n' }); i >= 0 {
			t.Errorf("%s: control character %q in the table", name, table.Bytes()[i])
		}
		if !json.Valid(object.Bytes()) {
			t.Errorf("%s: not JSON", name)
		}
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (run with -update if that is meant):\n%s", path, got)
	}
}

// fullDisk takes some bytes, then fails.
type fullDisk struct{ room int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if len(p) > d.room {
		return 0, errors.New("disk full")
	}
	d.room -= len(p)
	return len(p), nil
}

func TestReportSaysWhenItCannotBeWritten(t *testing.T) {
	for name, r := range reports(t) {
		for _, room := range []int{0, 100} {
			if err := r.WriteTable(&fullDisk{room}); err == nil || !strings.Contains(err.Error(), "eval report: disk full") {
				t.Errorf("%s with room for %d bytes: error is %v", name, room, err)
			}
		}
	}
}

func TestOneLine(t *testing.T) {
	for _, c := range []struct {
		in   string
		most int
		want string
	}{
		{"a\n\tb  c", 10, "a b c"},
		{"red \x1b[31m text\x07", 20, "red [31m text"},
		{"123456789012", 10, "1234567890…"},
		{"1234567890", 10, "1234567890"},
		{"日本語のテキストです。長い", 10, "日本語のテキストです…"},
	} {
		if got := oneLine(c.in, c.most); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.in, got, c.want)
		}
	}
}
