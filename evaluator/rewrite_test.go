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

// TestOtherForms asks for the forms of a word in a collection that holds them
// and, as a trap, terms that are only beginnings of words.
func TestOtherForms(t *testing.T) {
	vocabulary := corpus{passages: []string{
		"Submission of forms; extension, subscription and notification; prescription, delivery.",
		"Absence, shipment, agreement, argument, application, maintenance, response, response of the staff.",
		"elem registry registryment vari const tri steps fin sect globe valuation acc accidental person publish",
	}}
	for word, want := range map[string][]string{
		"submit": {"submission"}, "submitted": {"submission"}, "extends": {"extension"}, "subscribe": {"subscription"}, "notify": {"notification"},
		"prescribe": {"prescription"}, "deliver": {"delivery"}, "absent": {"absence"}, "ship": {"shipment"}, "agree": {"agreement"}, "argue": {"argument"},
		"apply": {"application"}, "maintaining": {"maintenance"}, "respond": {"response"}, "value": {"valuation"},
		// No other word, or none that the collection holds.
		"element": nil, "registry": nil, "variable": nil, "trial": nil, "finance": nil, "people": nil, "employees": nil, "instrument": nil, "public": nil, "section": nil, "global": nil, "accident": nil, "steps": nil,
		"permit": nil, "hires": nil, "reality": nil,
		// The same stem finds them.
		"install": nil, "reimburse": nil, "configure": nil, "calibrate": nil,
	} {
		e := newEvaluator(t, vocabulary)
		w, err := e.rewriting(context.Background(), assay.Query{Question: word}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.forms[word]; !slices.Equal(got, want) {
			t.Errorf("the forms of %q are %q, want %q", word, got, want)
		}
	}
}

func TestDerivations(t *testing.T) {
	for word, want := range map[string]string{
		"reimburse": "reimbursement", "reimbursement": "reimburse", "configure": "configuration", "extend": "extension", "submit": "submission",
		"notify": "notification", "authenticate": "authentication", "calibration": "calibrate", "subscription": "subscribe", "employ": "employment",
	} {
		if got := derivations(word, terms(word)); !slices.Contains(got, want) {
			t.Errorf("derivations(%q) = %v, without %q", word, got, want)
		}
	}
	for _, word := range []string{"fee", "factory", "registry", "element", "menu"} {
		if got := derivations(word, terms(word)); len(got) > 0 {
			t.Errorf("derivations(%q) = %v", word, got)
		}
	}
}

// TestFamilies keeps out pairs that a stemmer finds to be one word, and terms
// that aren't known.
func TestFamilies(t *testing.T) {
	w := rewriting{e: newEvaluator(t, nil)}
	for pair := range strings.SplitSeq(families, ",") {
		verb, noun, ok := strings.Cut(strings.TrimSpace(pair), " ")
		if a, b := terms(verb), terms(noun); !ok || a == b || !w.isWord(a) || !w.isWord(b) {
			t.Errorf("%q: terms %q and %q", pair, a, b)
		}
	}
}

func TestRewriteTakesKnownWordsAsTheyAre(t *testing.T) {
	near := map[string][]string{"cost": {"const"}, "trial": {"triage"}, "hires": {"hides"}, "gatway": {"gateway"}, "pto": {"paid time off"}}
	vocabulary := corpus{passages: []string{"const hides in triage", "The gateway is red.", "paid time off (PTO) is long"}, related: near}
	for question, bad := range map[string]string{
		"What does the const cost hide?": "const const", "Is there a red trial gateway?": "triage", "Who hires for the red gateway?": "hides",
	} {
		for _, found := range []int{0, 5} {
			e := newEvaluator(t, vocabulary)
			tried := []assay.SearchRound{{Words: question, Origin: assay.OriginIndex, Found: found}}
			for range 8 {
				words, err := e.Rewrite(context.Background(), assay.Query{Question: question}, tried)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(words, bad) {
					t.Errorf("%q: searched for %q", question, words)
				}
				tried = append(tried, assay.SearchRound{Words: words, Origin: assay.OriginIndex, Found: found})
			}
		}
	}
	for question, want := range map[string]string{"the red gatway": "red gateway", "How long is PTO?": "long pto paid time off"} {
		got, err := newEvaluator(t, vocabulary).Rewrite(context.Background(), assay.Query{Question: question}, []assay.SearchRound{{Words: question, Origin: assay.OriginIndex, Found: 5}})
		if err != nil || got != want {
			t.Errorf("Rewrite(%q) = %q, %v; want %q", question, got, err, want)
		}
	}
}

// TestRewriteAddsOneWordOfTheKind: one that the collection holds, behind all
// that the question's own words offer.
func TestRewriteAddsOneWordOfTheKind(t *testing.T) {
	question := "How do I install the gateway?"
	for guide, want := range map[string]string{
		"The guide tells.": "install gateway guide", "Instructions in a guide.": "install gateway instructions", "Nothing.": "",
	} {
		vocabulary := corpus{passages: []string{"Install the gateway.", guide}}
		tried := []assay.SearchRound{{Words: question, Origin: assay.OriginIndex, Found: 5}}
		last := ""
		for {
			words, err := newEvaluator(t, vocabulary).Rewrite(context.Background(), assay.Query{Question: question}, tried)
			if err != nil {
				t.Fatal(err)
			}
			if words == "" {
				break
			}
			last = words
			tried = append(tried, assay.SearchRound{Words: words, Origin: assay.OriginIndex, Found: 5})
		}
		if strings.Contains(last, "gateway ") != (want != "") || want != "" && last != want {
			t.Errorf("%q: the last search is for %q, want %q", guide, last, want)
		}
	}
}
