package evaluator

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-rag/assay"
)

var update = flag.Bool("update", false, "write the golden file anew")

// TestFeatures compares what is measured of a few pairs with a golden file, so
// that a change of a feature shows, and with it that the weights must be fitted
// again.
func TestFeatures(t *testing.T) {
	e := newEvaluator(t, nil)
	ctx := context.Background()
	passage, strip, claim := FeatureNames()
	var out bytes.Buffer
	write := func(title string, names []string, x []float64) {
		fmt.Fprintf(&out, "%s\n", title)
		for i, v := range x {
			if v != 0 {
				fmt.Fprintf(&out, "  %-16s %.4f\n", names[i], v)
			}
		}
	}
	for _, c := range []struct {
		question string
		at       int
	}{
		{"How many weeks of parental leave do I get?", 0}, {"How many weeks of parental leave do I get?", 1},
		{"Who founded Northwind Robotics?", 5}, {"When was Contoso founded?", 5}, {"What is a pick station?", 6},
		{"How do I connect to the VPN?", 3},
	} {
		write(c.question+" / "+desk[c.at].Document, passage, e.PassageFeatures(ctx, assay.Query{Question: c.question}, desk[c.at]))
	}
	s := assay.Strip{Passage: desk[5], Text: "The company makes warehouse robots.", Start: 91, End: 126}
	write("What does Northwind Robotics make? / strip", strip,
		e.StripFeatures(ctx, assay.Query{Question: "What does Northwind Robotics make?"}, []assay.Strip{s})[0])
	for _, c := range []string{
		"Employees get 26 weeks of parental leave.", "Employees get 20 weeks of parental leave.", "Alcohol is reimbursed.",
		"Question: Where are backups stored? Answer: Frankfurt",
	} {
		write(c, claim, e.ClaimFeatures(c, factStrips()))
	}
	const golden = "testdata/features.golden"
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("features changed (-want +got); fit the weights again and run with -update:\n%s", diff)
	}
}

func TestFeaturesStayInRange(t *testing.T) {
	e := newEvaluator(t, nil)
	for _, q := range []string{"How many weeks of parental leave do I get?", "leave leave leave", "AES-256?", "x", "?"} {
		for _, p := range append([]assay.Passage{{}, {Text: "\n\n"}, {Title: "leave"}}, desk...) {
			for i, v := range e.PassageFeatures(context.Background(), assay.Query{Question: q}, p) {
				name := passageFeatureNames()[i]
				logarithm := i == fNovel || i == fRepeats || i == fSupporting || i == fLength || i == fTerms || i == fTelling || i == fMissingWeight
				if !(v >= 0) || !logarithm && v > 1.000001 {
					t.Errorf("%q on %.20q: %s is %v", q, p.Text, name, v)
				}
			}
		}
	}
}

func TestLikeness(t *testing.T) {
	for _, c := range []struct {
		a, b string
		like bool
	}{
		{"parent", "parental", true}, {"encrypt", "encryption", true}, {"recieve", "receive", true}, {"passwort", "password", true},
		{"urlaub", "jahresurlaub", true}, {"house", "horse", false}, {"leave", "lease", false}, {"cat", "cats", false},
		{"station", "nation", false}, {"です", "ます", false}, {"form", "platform", false},
	} {
		if got := likeness(c.a, c.b); (got > 0) != c.like || got > 1 || got != likeness(c.b, c.a) {
			t.Errorf("%s, %s: %v and %v", c.a, c.b, got, likeness(c.b, c.a))
		}
	}
}

func TestSynonymsAreSymmetric(t *testing.T) {
	table := synonymTable()
	for a, set := range table {
		for b := range set {
			if !table[b][a] || a == b {
				t.Errorf("%s stands for %s", a, b)
			}
		}
	}
	if len(table) < 300 {
		t.Errorf("only %d terms: the groups were not read", len(table))
	}
}

// TestVocabularyWeighs holds that the collection's own counts decide what is
// telling in it.
func TestVocabularyWeighs(t *testing.T) {
	v := corpus{}
	for range 400 {
		v.passages = append(v.passages, "Brackwater sells sondes.")
	}
	v.passages = append(v.passages, "The anchor of a buoy.")
	e := newEvaluator(t, v)
	weights, known := e.weigh(context.Background(), "", []string{"sond", "anchor", "photosynthesi"})
	if !(weights[0] < weights[1] && weights[1] < weights[2]) {
		t.Errorf("weights %v, want them to rise", weights)
	}
	if len(known) != 3 || !known[1] || known[2] {
		t.Errorf("known %v", known)
	}
}

func BenchmarkGrade(b *testing.B) {
	e := newEvaluator(b, nil)
	var passages []assay.Passage
	for i := range 10 {
		var body bytes.Buffer
		for n := 0; body.Len() < 1000; n++ {
			fmt.Fprintf(&body, "%s In case %d.%d another rule holds. ", desk[(i+n)%len(desk)].Text, i, n)
		}
		passages = append(passages, assay.Passage{Document: fmt.Sprint(i), Title: "Handbook", Text: body.String(), Language: "en"})
	}
	ctx := context.Background()
	for _, c := range []struct {
		name  string
		fresh bool
	}{{"first", true}, {"again", false}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if c.fresh {
					e.analyses = newMemo[analysisKey, *analysis](textsKept)
				}
				if _, err := e.Grade(ctx, assay.Query{Question: "How many weeks of parental leave do employees get?"}, passages); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkGradeStrips(b *testing.B) {
	e := newEvaluator(b, nil)
	var strips []assay.Strip
	for i := 0; len(strips) < 30; i++ {
		p := desk[i%len(desk)]
		for _, s := range newAnalysis(p.Text, "en").sentences {
			strips = append(strips, assay.Strip{Passage: p, Text: s.Of(p.Text), Start: s.Start, End: s.End})
		}
	}
	strips = strips[:30]
	b.ReportAllocs()
	for b.Loop() {
		e.analyses = newMemo[analysisKey, *analysis](textsKept)
		if _, err := e.GradeStrips(context.Background(), assay.Query{Question: "How many weeks of parental leave do employees get?"}, strips); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	e := newEvaluator(b, nil)
	strips := factStrips()
	claims := []string{"Employees get 26 weeks of parental leave.", "Backups are kept for 30 days.", "Passwords must have at least 8 characters."}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Check(context.Background(), claims, strips); err != nil {
			b.Fatal(err)
		}
	}
}
