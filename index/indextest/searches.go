package indextest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

func filter(h *harness) {
	root := h.root("default", "/srv/f")
	year := func(y int) time.Time { return time.Date(y, 6, 1, 0, 0, 0, 0, time.UTC) }
	h.put("default", root,
		assay.Document{ID: "f/a/old.md", Title: "Old", Text: "The limit is ten.", Language: "en", Date: year(2019), Version: "1", Meta: map[string]string{"team": "red", "odd": "a'b\"c", "groups": "hr"}},
		assay.Document{ID: "f/a/new.md", Title: "New", Text: "The limit is twelve.", Language: "en", Date: year(2024), Version: "2", Meta: map[string]string{"team": "blue", "groups": "board, hr"}},
		assay.Document{ID: "f/b/none.md", Title: "None", Text: "The limit is eleven.", Language: "fr", Meta: map[string]string{"team": "red", "floor": "2", "groups": "board\xff"}},
		assay.Document{ID: "f/a%/like.md", Title: "Like", Text: "The limit is nine.", Language: "en", Date: year(1901)})
	for _, test := range []struct {
		name   string
		filter assay.Filter
		want   []string
	}{
		{"equal", assay.Filter{Equal: map[string]string{"team": "red"}}, []string{"f/a/old.md", "f/b/none.md"}},
		{"two equal", assay.Filter{Equal: map[string]string{"team": "red", "floor": "2"}}, []string{"f/b/none.md"}},
		{"exactly equal", assay.Filter{Equal: map[string]string{"team": "Red"}}, nil},
		{"unknown field", assay.Filter{Equal: map[string]string{"colour": "red"}}, nil},
		{"quotes", assay.Filter{Equal: map[string]string{"odd": "a'b\"c", "groups": "hr"}}, []string{"f/a/old.md"}},
		{"injection", assay.Filter{Equal: map[string]string{"team' OR 1=1 --": "red"}}, nil},
		{"language", assay.Filter{Equal: map[string]string{"language": "fr"}}, []string{"f/b/none.md"}},
		{"version", assay.Filter{Equal: map[string]string{"version": "2"}}, []string{"f/a/new.md"}},
		{"path", assay.Filter{PathPrefix: "f/a/"}, []string{"f/a/old.md", "f/a/new.md"}},
		{"path with a per cent sign", assay.Filter{PathPrefix: "f/a%"}, []string{"f/a%/like.md"}},
		{"after", assay.Filter{After: year(2019)}, []string{"f/a/old.md", "f/a/new.md"}},
		{"just after", assay.Filter{After: year(2019).Add(1)}, []string{"f/a/new.md"}},
		{"before", assay.Filter{Before: year(2024)}, []string{"f/a/old.md", "f/a%/like.md"}},
		{"between", assay.Filter{After: year(2018), Before: year(2020)}, []string{"f/a/old.md"}},
		{"a group", assay.Filter{Groups: []string{"hr"}}, []string{"f/a/old.md", "f/a/new.md", "f/a%/like.md"}},
		{"one of two groups", assay.Filter{Groups: []string{"x", "board"}}, []string{"f/a/new.md", "f/a%/like.md"}},
		{"a group that no document names", assay.Filter{Groups: []string{"board, hr"}}, []string{"f/a%/like.md"}},
		{"of no group", assay.Filter{Groups: []string{}}, []string{"f/a%/like.md"}},
		{"all at once", assay.Filter{Equal: map[string]string{"team": "red"}, PathPrefix: "f/a", After: year(2000)}, []string{"f/a/old.md"}},
	} {
		got := documents(h.search(assay.Search{Words: "What is the limit?", Filter: test.filter, K: 10}))
		h.wants(test.name, got, test.want...)
	}
}

// filterBeforeCut puts the one document that passes behind many that don't and
// that match better: a filter after the cut would find nothing.
func filterBeforeCut(h *harness) {
	root := h.root("default", "/srv/f")
	var docs []assay.Document
	for i := range 1200 {
		docs = append(docs, doc(fmt.Sprintf("f/%04d.md", i), "Permit permit permit."))
	}
	late := doc("f/zz.md", "Long before anybody thought of it there was a permit, or so it is said in the town.")
	late.Meta = map[string]string{"team": "red"}
	h.put("default", root, append(docs, late)...)
	got := h.search(assay.Search{Words: "permit", Filter: assay.Filter{Equal: map[string]string{"team": "red"}}, K: 1})
	h.wants("a filter that few pass", documents(got), "f/zz.md")
	got = h.search(assay.Search{Words: "permit", Filter: assay.Filter{PathPrefix: "f/"}, K: 5000})
	if len(got) > 5000 || len(got) == 0 {
		h.Errorf("a filter that all pass finds %d", len(got))
	}
}

func collections(h *harness) {
	a, b := h.root("first", "/srv/x"), h.root("second", "/srv/x")
	h.put("first", a, doc("x/d.md", "Alpha lives here."))
	h.put("second", b, doc("x/d.md", "Beta lives here."))
	find := func(collection, words string) []string {
		return documents(h.search(assay.Search{Words: words, Collection: collection, K: 10}))
	}
	h.wants("alpha in the first", find("first", "alpha"), "x/d.md")
	h.wants("alpha in the second", find("second", "alpha"))
	h.wants("in one that isn't there", find("third", "alpha beta"))
	h.must(h.store.Remove(h.ctx, "first", a, []string{"x/d.md"}))
	h.wants("beta after alpha is removed", find("second", "beta"), "x/d.md")
}

func operators(h *harness) {
	h.handbook()
	for _, words := range []string{
		`"parental leave"`, `parental AND leave`, `parental NOT leave`, `(parental`, `parental)`, `parental*`, `title: parental`,
		`parental:leave`, `^parental`, `-parental`, `+parental`, `{title} : parental`, `NEAR(parental leave, 2)`, `parental"`, `'parental`,
		"parental;DROP TABLE documents", "parental\x00leave", "parental \xff\xfe", `parental \`, "%parental%", "[parental]", "parental OR",
	} {
		if got := h.find(words); !slices.Contains(got, "handbook/leave.md") {
			h.Errorf("%q finds %q", words, got)
		}
	}
	for _, words := range []string{`"`, `*`, `()`, `AND`, `:`, `NOT`, `"" OR ""`, `--`, "\x00", "\xff", "^", "{", "OR NOT AND"} {
		h.find(words) // must not fail
	}
	h.wants("after all that", h.find("parental hotel"), "handbook/leave.md", "handbook/travel.md")
}

func scripts(h *harness) {
	root := h.root("default", "/srv/s")
	in := func(id, language, text string) assay.Document {
		return assay.Document{ID: id, Title: "x", Text: text, Language: language}
	}
	h.put("default", root,
		in("s/zh", "zh", "员工每年享有十五天带薪年假。"),
		in("s/ja", "ja", "有給休暇は毎年二十日間付与されます。"),
		in("s/ko", "ko", "직원은 매년 십오일의 연차휴가를 받습니다."),
		in("s/ru", "ru", "Сотрудники получают двадцать восемь дней отпуска."),
		in("s/de", "de", "Die Mitarbeiter erhalten dreißig Urlaubstage im Jahr."),
		in("s/el", "el", "Οι εργαζόμενοι δικαιούνται είκοσι ημέρες άδειας."),
		in("s/none", "", "Employees get twenty-five days of holiday."))
	for words, want := range map[string]string{
		"带薪年假有几天？": "s/zh", "有給休暇は何日ですか": "s/ja", "연차휴가": "s/ko", "отпуск": "s/ru", "Urlaubstage": "s/de",
		"αδειας": "s/el", "holidays": "s/none",
	} {
		if got := h.find(words); len(got) == 0 || got[0] != want {
			h.Errorf("%s finds %q, want %s first", words, got, want)
		}
	}
}

func k(h *harness) {
	root := h.root("default", "/srv/k")
	var docs []assay.Document
	for i := range 70 {
		docs = append(docs, doc(fmt.Sprintf("k/%02d.md", i), fmt.Sprintf("Permit %d is needed.", i)))
	}
	h.put("default", root, docs...)
	for _, n := range []int{1, 3, 10, 50, 70, 100} {
		got := h.search(assay.Search{Words: "permit", K: n})
		if len(got) != min(n, 70) {
			h.Errorf("k = %d gives %d", n, len(got))
		}
		if again := h.search(assay.Search{Words: "permit", K: n}); !slices.Equal(documents(got), documents(again)) {
			h.Errorf("k = %d gives other documents the second time", n)
		}
	}
}

func nothing(h *harness) {
	h.wants("an empty store", h.find("parental"))
	h.handbook()
	for _, words := range []string{"", "   \n", "zzyzx qwxv", "!!!", "🦆", strings.Repeat("qwxv ", 20_000)} {
		h.wants(fmt.Sprintf("%.10q", words), h.find(words))
	}
	got := h.find(strings.Repeat("unknown words and ", 5000) + "parental")
	h.wants("100 kB with one known word", got, "handbook/leave.md")
	root := h.root("default", "/srv/handbook")
	h.put("default", root, doc("handbook/empty.md", ""))
	h.wants("with an empty document", h.find("parental"), "handbook/leave.md")
}

func stopWords(h *harness) {
	root := h.root("default", "/srv/w")
	h.put("default", root,
		doc("w/hamlet.md", "To be or not to be, that is the question."),
		doc("w/other.md", "It is not to be thought that the bridge is open or closed to all."),
		doc("w/none.md", "Bridges open."))
	if got := h.find("to be or not to be"); len(got) == 0 || got[0] != "w/hamlet.md" {
		h.Errorf("a question of stop words finds %q", got)
	}
	h.wants("stop words beside another", h.find("is it closed or not"), "w/other.md")
}

// copies puts the same passage into several documents, and some that only look so.
func copies(h *harness) {
	root := h.root("default", "/srv/c")
	dated := func(id string, year int, text string) assay.Document {
		d := doc(id, text)
		d.Date, d.DateFrom = time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC), assay.DateFromDocument
		return d
	}
	h.put("default", root,
		dated("c/2019.md", 2019, "Sabbaticals last 20 weeks."),
		dated("c/2024.md", 2024, "SABBATICALS last\n20 weeks!"),
		dated("c/2022.md", 2022, "Sabbaticals last 26 weeks."),
		dated("c/2023.md", 2023, "Sabbaticals must last 20 weeks."),
		dated("c/2021.md", 2021, "Sabbaticals must not last 20 weeks."))
	got := h.search(assay.Search{Words: "sabbaticals weeks", K: 10})
	h.wants("copies folded", documents(got), "c/2024.md", "c/2022.md", "c/2023.md", "c/2021.md")
	for _, p := range got {
		want := ""
		if p.Document == "c/2024.md" {
			want = "c/2019.md"
		}
		if strings.Join(p.Copies, " ") != want {
			h.Errorf("%s has the copies %q", p.Document, p.Copies)
		}
	}
}

// vocabulary looks at what the store knows of words, where it does.
func vocabulary(h *harness) {
	v, ok := h.store.(assay.Vocabulary)
	if !ok {
		h.Skip("the store is no Vocabulary")
	}
	root := h.handbook()
	terms := []string{text.Analyze("desk", "en")[0].Term, text.Analyze("parental", "en")[0].Term, "qwxv"}
	frequencies := func() string {
		n, counts, err := v.Frequencies(h.ctx, "default", terms)
		h.must(err)
		return fmt.Sprint(n, counts)
	}
	if got := frequencies(); got != "5 [2 1 0]" {
		h.Errorf("passages and frequencies are %s, want 5 [2 1 0]", got)
	}
	h.put("default", root, doc("handbook/sla.md", "The service level agreement (SLA) promises an answer within a day."))
	related := func(words string) map[string][]string {
		r, err := v.Related(h.ctx, "default", words)
		h.must(err)
		return r
	}
	for words, want := range map[string][2]string{
		"What is the SLA?":                  {"sla", "service level agreement"},
		"which Service Level Agreement now": {"service level agreement", "SLA"},
		"how many laptosp":                  {"laptosp", "laptops"},
	} {
		if got := related(words); !slices.Contains(got[want[0]], want[1]) {
			h.Errorf("%q is related to %q, want %q for %q", words, got, want[1], want[0])
		}
	}
	if got := related("parental leave at the desk in 2024"); len(got) > 0 {
		h.Errorf("known words are related to %q", got)
	}
	h.must(h.store.Remove(h.ctx, "default", root, []string{"handbook/sla.md"}))
	if got := related("SLA"); len(got) > 0 {
		h.Errorf("after the removal SLA is related to %q", got)
	}
	h.must(h.store.Remove(h.ctx, "default", root, []string{"handbook/travel.md"}))
	if got := frequencies(); got != "3 [1 1 0]" {
		h.Errorf("after removals, passages and frequencies are %s, want 3 [1 1 0]", got)
	}
}
