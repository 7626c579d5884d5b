package eval

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/assay-rag/assay"
)

// attack is a question that would be more than text on a page that doesn't escape it.
const attack = `</title></table><script>alert("1")</script><img src=x onerror=alert(2)> & price`

// attacked is a report of two systems on such questions, with a name to match.
func attacked(t *testing.T) *GateReport {
	t.Helper()
	set := gateSet(25)
	set.Name = "made <b>"
	for i := range set.Gate {
		set.Gate[i].Question = fmt.Sprintf("%s %d \u202eturned", attack, i)
	}
	grader := graderFunc(func(q string, p assay.Passage) (assay.Grade, error) {
		if strings.Contains(p.Text, "passage 5 ") {
			return assay.Grade{Score: 0.8}, nil
		}
		return oracle(q, p)
	})
	always := AlwaysGate()
	always.Name = `<always>"`
	r, err := Gate(t.Context(), set, []GateSystem{{Name: "words", Grader: grader}, always}, &Options{Worst: 2, Resamples: 50})
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Systems {
		r.Systems[i].Time = 1.25
	}
	return r
}

func htmlOf(t *testing.T, r Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteHTML(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestHTMLGolden(t *testing.T) {
	r := attacked(t)
	for i := range r.Systems {
		r.Systems[i].Curves = fewPoints(r.Systems[i].Curves)
	}
	golden(t, "gate.html", []byte(htmlOf(t, r)))
}

// elements are those of a page, by a parser as browsers have it.
func elements(t *testing.T, text string) []*html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var out []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			out = append(out, n)
		}
	}
	return out
}

// pages are reports of every kind there is, one by one and together.
func pages(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{"attacked": htmlOf(t, attacked(t))}
	all := []Report{attacked(t)}
	for name, r := range reports(t) {
		out[name] = htmlOf(t, r)
		all = append(all, r)
	}
	out["together"] = htmlOf(t, Summarise(all))
	return out
}

func TestHTMLNeedsNothingElse(t *testing.T) {
	known := map[string]bool{
		"html": true, "head": true, "meta": true, "title": true, "style": true, "body": true, "h1": true, "h2": true, "p": true, "b": true, "br": true,
		"div": true, "section": true, "table": true, "thead": true, "tbody": true, "tr": true, "th": true, "td": true, "a": true, "span": true,
		"figure": true, "figcaption": true, "svg": true, "line": true, "polyline": true, "rect": true, "circle": true, "text": true,
	}
	for name, text := range pages(t) {
		for _, n := range elements(t, text) {
			if !known[n.Data] {
				t.Errorf("%s has an element %s", name, n.Data)
			}
			for _, a := range n.Attr {
				switch {
				case a.Key == "href" && strings.HasPrefix(a.Val, "#report-"):
				case a.Key == "href", a.Key == "src", a.Key == "style", strings.HasPrefix(a.Key, "on"):
					t.Errorf("%s: %s has %s=%q", name, n.Data, a.Key, a.Val)
				}
			}
		}
		for _, loads := range []string{"url(", "@import", "://", "ZgotmplZ", "NaN"} {
			if strings.Contains(text, loads) {
				t.Errorf("%s: the page has %s", name, loads)
			}
		}
	}
}

func TestHTMLEscapes(t *testing.T) {
	text := htmlOf(t, attacked(t))
	if strings.Contains(text, "<script") || strings.Contains(text, "<img") || strings.Contains(text, "\u202e") {
		t.Error("a question is more than text")
	}
	for _, want := range []string{"&lt;script&gt;alert(&#34;1&#34;)", "made &lt;b&gt;", "&lt;always&gt;"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

func TestHTMLPlots(t *testing.T) {
	count := map[string]int{}
	for _, n := range elements(t, htmlOf(t, attacked(t))) {
		for _, a := range n.Attr {
			if a.Key == "class" {
				for _, class := range strings.Fields(a.Val) {
					count[class]++
				}
			}
		}
	}
	want := map[string]int{
		"plot": 7, // three of both systems, two of each
		"zone": 2 * 101,
		"mark": 4,
		"bar":  2 + 1,                       // the words give three scores, two of them in one bin
		"seen": (4 + 2) + (3 + 1) + (2 + 1), // points of ROC, risk and reliability
	}
	for class, n := range want {
		if count[class] != n {
			t.Errorf("%d of class %s, want %d", count[class], class, n)
		}
	}
}

func TestHTMLLinesUp(t *testing.T) {
	p := plot{}
	if got := across(0) + " " + across(1) + " " + down(0) + " " + down(1); got != "52.0 384.0 250.0 22.0" {
		t.Errorf("the axes are at %s", got)
	}
	if len(p.AcrossTicks()) != 6 || p.AcrossTicks()[5].Label != "1.0" {
		t.Errorf("ticks are %v", p.AcrossTicks())
	}
	c := curve{Points: []point{{X: 0, Y: 1}, {X: 0.5, Y: 0}}}
	if c.Path() != "52.0,22.0 218.0,250.0" {
		t.Errorf("the path is %s", c.Path())
	}
	if b := (bar{From: 0.4, To: 0.4, Height: 0.5}); b.Width() != "2.0" || b.Tall() != "114.0" {
		t.Errorf("a bar of one score is %s by %s", b.Width(), b.Tall())
	}
}

func TestHTMLStylesDiffer(t *testing.T) {
	seen := map[string]int{}
	for n := range styles * dashes {
		if m, ok := seen[styleOf(n)]; ok {
			t.Errorf("systems %d and %d look the same", m, n)
		}
		seen[styleOf(n)] = n
	}
}

func TestHTMLTogetherLeadsToSections(t *testing.T) {
	text := pages(t)["together"]
	for i := range len(reports(t)) + 1 {
		if !strings.Contains(text, fmt.Sprintf(`<section id="report-%d">`, i+1)) {
			t.Errorf("there is no section %d", i+1)
		}
	}
	if !strings.Contains(text, `<td><a href="#report-1">gate</a></td><td>made &lt;b&gt;</td><td>50</td><td>AUROC</td><td>words</td>`) {
		t.Error("the summary has no row of the first report")
	}
}

func TestHTMLSaysWhenItCannotBeWritten(t *testing.T) {
	if err := WriteHTML(&fullDisk{100}, attacked(t)); err == nil || !strings.Contains(err.Error(), "eval report: ") || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("error is %v", err)
	}
}
