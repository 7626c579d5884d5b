package evaluator

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// corpus is a Vocabulary over a few passages.
type corpus struct {
	passages []string
	related  map[string][]string
	err      error
}

func (c corpus) Frequencies(_ context.Context, _ string, terms []string) (int, []int, error) {
	counts := make([]int, len(terms))
	for _, p := range c.passages {
		held := map[string]bool{}
		for _, t := range text.Analyze(p, "en") {
			held[t.Term] = true
		}
		for i, t := range terms {
			if held[t] {
				counts[i]++
			}
		}
	}
	return len(c.passages), counts, c.err
}

func (c corpus) Related(_ context.Context, _ string, words string) (map[string][]string, error) {
	out := map[string][]string{}
	for k, v := range c.related {
		if strings.Contains(strings.ToLower(words), k) {
			out[k] = v
		}
	}
	return out, c.err
}

var handbook = corpus{
	passages: []string{
		"Paid time off is 26 days a year.", "Reimbursement of travel costs takes two weeks.", "Extension of a contract needs a form.",
		"Employees report illness to their manager.", "The gateway has a red light.", "Managers approve travel.", "Probes need care, the gateway none.",
	},
	related: map[string][]string{"pto": {"paid time off"}, "gatway": {"gateway"}},
}

func TestRewrite(t *testing.T) {
	for _, c := range []struct {
		name, question string
		tried          []assay.SearchRound
		want           string
	}{
		{"an acronym of the corpus", "How much PTO do I get?", []assay.SearchRound{{Found: 0}}, "paid time off"},
		{"a correction", "gatway red light", []assay.SearchRound{{Found: 2}}, "red light gateway"},
		{"another form of a word", "How do I extend a contract?", []assay.SearchRound{{Found: 3}}, "extension contract"},
		{"fewer words after nothing", "gateway quux frobnicate", []assay.SearchRound{{Found: 0}}, "gateway"},
		{"the rarest after much", "gateway light employees travel", []assay.SearchRound{{Found: 50}}, "gateway light employees"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i := range c.tried {
				c.tried[i].Words, c.tried[i].Origin = c.question, assay.OriginIndex
			}
			got, err := newEvaluator(t, handbook).Rewrite(context.Background(), assay.Query{Question: c.question}, c.tried)
			if err != nil || got != c.want {
				t.Errorf("Rewrite(%q) = %q, %v; want %q", c.question, got, err, c.want)
			}
		})
	}
}

// TestRewriteEnds rewrites until nothing is left: every search is new, whatever
// the order of its words, and there is an end.
func TestRewriteEnds(t *testing.T) {
	for _, vocabulary := range []assay.Vocabulary{nil, handbook} {
		for _, question := range []string{
			"How do I install a gatway?", "what is the procedure for PTO", "Can you tell me how to reimburse travel costs of employees?",
			"the", "???", "gateway", "Wie viele Urlaubstage habe ich?", "期間は何日ですか", strings.Repeat("word gateway light ", 300),
		} {
			for _, found := range []int{0, 50} {
				e := newEvaluator(t, vocabulary)
				tried := []assay.SearchRound{{Words: question, Origin: assay.OriginIndex, Found: found, Missing: "nothing on gateway"}}
				seen := map[string]bool{terms(question): true}
				for range 50 {
					words, err := e.Rewrite(context.Background(), assay.Query{Question: question}, tried)
					if err != nil {
						t.Fatal(err)
					}
					if words == "" {
						break
					}
					if key := terms(words); key == "" || seen[key] {
						t.Fatalf("%.40q: %q was tried already, after %v", question, words, tried)
					}
					seen[terms(words)] = true
					tried = append(tried, assay.SearchRound{Words: words, Origin: assay.OriginIndex, Found: found})
				}
				if len(tried) > 40 {
					t.Errorf("%.40q: %d searches and no end", question, len(tried))
				}
			}
		}
	}
}

func terms(s string) string {
	var out []string
	for _, t := range text.Analyze(s, text.Detect(s)) {
		out = append(out, t.Term)
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " ")
}

func TestRewriteWithoutVocabularyDropsTheFrame(t *testing.T) {
	e := newEvaluator(t, nil)
	q := assay.Query{Question: "Can you tell me what the procedure for returning a sonde is?"}
	got, err := e.Rewrite(context.Background(), q, []assay.SearchRound{{Words: q.Question, Origin: assay.OriginIndex, Found: 4}})
	if err != nil || !strings.Contains(got, "sonde") || strings.Contains(got, "tell") || strings.Contains(got, "procedure") {
		t.Errorf("Rewrite = %q, %v", got, err)
	}
}

func TestRewriteReportsAFailingVocabulary(t *testing.T) {
	broken := errors.New("the disk is gone")
	e := newEvaluator(t, corpus{passages: handbook.passages, err: broken})
	if _, err := e.Rewrite(context.Background(), assay.Query{Question: "gateway light"}, nil); !errors.Is(err, broken) {
		t.Errorf("error %v, want one that wraps %v", err, broken)
	}
}

func TestDerivations(t *testing.T) {
	for word, want := range map[string]string{
		"reimburse": "reimbursement", "reimbursement": "reimburse", "install": "installation", "configure": "configuration",
		"approve": "approval", "renewal": "renew", "extend": "extension", "submit": "submission", "notify": "notification",
		"authenticate": "authentication", "subscribe": "subscription", "available": "availability",
	} {
		if got := derivations(word); !slices.Contains(got, want) {
			t.Errorf("derivations(%q) = %v, without %q", word, got, want)
		}
	}
	for _, word := range []string{"trial", "fee", "factory", "employees"} {
		if got := derivations(word); slices.Contains(got, "tri") || slices.Contains(got, "factorication") || slices.Contains(got, "employeement") {
			t.Errorf("derivations(%q) = %v", word, got)
		}
	}
}
