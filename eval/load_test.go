package eval

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
)

func load(t *testing.T, path string) *Set {
	t.Helper()
	set, err := Load(filepath.Join("testdata", path), 1)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// gateRows writes the items as "question | documents | label | group".
func gateRows(items []GateItem) []string {
	var out []string
	for _, it := range items {
		var docs []string
		for _, p := range it.Passages {
			docs = append(docs, p.Document)
		}
		out = append(out, fmt.Sprintf("%s | %s | %v | %s", it.Question, strings.Join(docs, ", "), it.Positive, it.Group))
	}
	return out
}

func supportRows(items []SupportItem) []string {
	var out []string
	for _, it := range items {
		out = append(out, fmt.Sprintf("%s | %s | %v | %s", it.Claim, joinStrips(it.Evidence), it.Positive, it.Group))
	}
	return out
}

func retrievalRows(pool *Pool) []string {
	if pool == nil {
		return nil
	}
	var out []string
	for _, q := range pool.Questions {
		for _, g := range q.Gold {
			out = append(out, fmt.Sprintf("%s | %s | %s", q.Question, g.Document, g.Text))
		}
	}
	return out
}

// otherRows writes the items of the tasks that few sets have.
func otherRows(set *Set) []string {
	var out []string
	for _, it := range set.Strips {
		for i, s := range it.Strips {
			out = append(out, fmt.Sprintf("strip | %s | %s | %v | %s", it.Question, s.Text, it.Helps[i], it.Group))
		}
	}
	for _, it := range set.Useful {
		out = append(out, fmt.Sprintf("useful | %s | %s | %d | %s", it.Question, it.Answer, it.Rating, it.Group))
	}
	for _, it := range set.Route {
		out = append(out, fmt.Sprintf("route | %s | %v | %s | %s", it.Question, it.Retrieve, it.Group, it.Kind))
	}
	return out
}

func TestLoad(t *testing.T) {
	for _, c := range []struct {
		path, name                      string
		gate, support, retrieval, other []string
	}{
		{path: "squad.json", name: "squad2", gate: []string{
			"When was the old harbour built? | Harbour of Lund | true | Harbour of Lund",
			"Who paid for the piers? | Harbour of Lund | false | Harbour of Lund",
			"How often does the ferry leave? | Harbour of Lund | true | Harbour of Lund",
			"What does the mill grind? | Wind mill | true | Wind mill",
			"How much rye does the mill grind in a year? | Wind mill | false | Wind mill",
		}, retrieval: []string{
			"When was the old harbour built? | Harbour of Lund | The old harbour was built in 1703 and has two stone piers.",
			"How often does the ferry leave? | Harbour of Lund | A ferry leaves for the islands every second hour.",
			"What does the mill grind? | Wind mill | The mill grinds rye from September on.",
		}},
		{path: "clapnq", name: "clapnq", gate: []string{
			"how long is the coast path | Coast path | true | Coast path",
			"who laid the first stone of the tower | Tower | true | Tower",
			"how high is the tower | Tower (2) | false | Tower",
		}, retrieval: []string{
			"how long is the coast path | Coast path | The path is 84 km long .",
			"who laid the first stone of the tower | Tower | The mayor laid the first stone .",
		}, other: []string{
			"strip | how long is the coast path | The path is 84 km long . | true | Coast path",
		}},
		{path: "clapnq/unanswerable.jsonl", name: "clapnq", gate: []string{
			"how high is the tower | Tower | false | Tower",
		}},
		{path: "wice/claim.jsonl", name: "wice-pages", support: []string{
			"The bridge opened in 1931. | (meta data) TITLE: Bridges It was opened in 1931. It is red. | true | Red bridge",
			"The bridge opened in 1931 and was painted by hand. | (meta data) TITLE: Bridges It was opened in 1931. | false | Red bridge",
		}, other: []string{
			"strip | The bridge opened in 1931. | (meta data) TITLE: Bridges | false | Red bridge",
			"strip | The bridge opened in 1931. | It was opened in 1931. | true | Red bridge",
			"strip | The bridge opened in 1931. | It is red. | false | Red bridge",
			"strip | The bridge opened in 1931 and was painted by hand. | (meta data) TITLE: Bridges | false | Red bridge",
			"strip | The bridge opened in 1931 and was painted by hand. | It was opened in 1931. | true | Red bridge",
		}},
		{path: "expertqa.jsonl", name: "expertqa", support: []string{
			"A bridge may stand a hundred years. | [1] bridges.example Bridges stand for a century. Some are older. | true | How long may a bridge stand?",
			"All bridges are red. | Some bridges are red. | false | How long may a bridge stand?",
		}, other: []string{
			"useful | How long may a bridge stand? | It depends. | 1 | How long may a bridge stand?",
			"useful | How long may a bridge stand? | A hundred years [1]. | 4 | How long may a bridge stand?",
		}},
		{path: "ramdocs.jsonl", name: "ramdocs", gate: []string{
			"What does Ann Berg play? | line 1, document 1 | true | What does Ann Berg play?",
			"What does Ann Berg play? | line 1, document 3 | false | What does Ann Berg play?",
			"Where is the mill? | line 2, document 1 | true | Where is the mill?",
			"Where is the mill? | line 2, document 2 | false | Where is the mill?",
		}},
		{path: "mtrag.jsonl", name: "mtrag-un", gate: []string{
			"Where does it run? | d1, d2 | true | c1",
			// Those of its own collection, the one with its word first.
			"Who paid for the toolchain? | d1, d2, d3 | false | c2",
			"What does a bot cost in Lund? | d3 | true | c3",
			"Who is the king? | d5 | true | c5",
		}},
		{path: "retrievalqa.jsonl", name: "retrievalqa", other: []string{
			"route | Who won on Sunday? | true | Who won on Sunday? | newsqa",
		}},
		{path: "own_strips.jsonl", name: "own-strips", other: []string{
			"strip | When does the pool open? | The pool opens at nine. | true | When does the pool open?",
			"strip | When does the pool open? | The sauna is free. | false | When does the pool open?",
		}},
		{path: "own_useful.jsonl", name: "own-useful", other: []string{
			"useful | When does the pool open? | At nine. | 5 | When does the pool open?",
			"useful | Is the sauna free? | There is a sauna. | 2 | sauna",
		}},
		{path: "own_route.jsonl", name: "own-route", other: []string{
			"route | When does the pool open? | true | When does the pool open? | ",
			"route | Good morning! | false | Good morning! | small talk",
		}},
		{path: "own_gate.csv", name: "own-gate", gate: []string{
			"When does the pool open? | line 2, passage 1 | true | When does the pool open?",
			"Is the \"big\" sauna\nfree? | line 3, passage 1 | true | Is the \"big\" sauna\nfree?",
			"2024 | line 5, passage 1 | false | 2024",
		}},
		{path: "wice/oracle_claim.jsonl", name: "wice-chunks", support: []string{
			"The bridge is 4 km long. | It was opened in 1931. It is red. | false | Red bridge",
		}},
		{path: "begin", name: "begin", support: []string{
			`it has "32 pieces | Chess has 32 pieces. It is "old. | true | Chess has 32 pieces. It is "old.`,
			`i like it | Chess has 32 pieces. It is "old. | false | Chess has 32 pieces. It is "old.`,
			`it runs two hours | The film runs 90 minutes. | false | The film runs 90 minutes.`,
		}},
		{path: "own_gate.jsonl", name: "own-gate", gate: []string{
			"When does the pool open? | Pool | true | When does the pool open?",
			"When does the pool open? | line 1, passage 2 | false | When does the pool open?",
			"Is the sauna free? | line 3, passage 1, line 3, passage 2 | true | sauna",
			"May I bring a dog? | line 4, passage 1 | false | May I bring a dog?",
		}},
		{path: "own_retrieval.jsonl", name: "own-retrieval", retrieval: []string{
			"May I bring a dog? | rules.md | Dogs stay outside.",
			"What does the sauna cost? | prices.md | The sauna costs 4 euros.",
		}},
		{path: "own_support.jsonl", name: "own-support", support: []string{
			"The sauna costs 4 euros. | The sauna costs 4 euros. The pool is free. | true | The sauna costs 4 euros.\nThe pool is free.",
			"The sauna costs 5 euros. | The sauna costs 4 euros. The pool is free. | false | The sauna costs 4 euros.\nThe pool is free.",
			"The moon is full. |  | false | none",
		}},
	} {
		t.Run(c.path, func(t *testing.T) {
			set := load(t, c.path)
			if set.Name != c.name {
				t.Errorf("it is taken for %q, want %q", set.Name, c.name)
			}
			for task, rows := range map[Task][2][]string{
				TaskGate:      {gateRows(set.Gate), c.gate},
				TaskSupport:   {supportRows(set.Support), c.support},
				TaskRetrieval: {retrievalRows(set.Retrieval), c.retrieval},
			} {
				if !slices.Equal(rows[0], rows[1]) {
					t.Errorf("%s items:\n%s\nwant:\n%s", task, strings.Join(rows[0], "\n"), strings.Join(rows[1], "\n"))
				}
				if fits := slices.Contains(set.Tasks(), task); fits != (len(rows[1]) > 0) {
					t.Errorf("fits %s: %v", task, fits)
				}
			}
			if got := otherRows(set); !slices.Equal(got, c.other) {
				t.Errorf("other items:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(c.other, "\n"))
			}
			checkPlaces(t, set)
		})
	}
}

func TestLoadKindsAndHistory(t *testing.T) {
	set := load(t, "mtrag.jsonl")
	if h := set.Gate[0].History; len(h) != 1 || h[0] != (assay.Turn{Question: "What is a toolchain?", Answer: "A chain of tools."}) {
		t.Errorf("the history is %+v", h)
	}
	if got := set.Gate[1].Kind; got != "unanswerable" {
		t.Errorf("the kind is %q", got)
	}
	if got := load(t, "own_gate.csv").Gate[0].Kind; got != "hours" {
		t.Errorf("the kind of a row of one's own is %q", got)
	}
}

// checkPlaces holds all passages and strips against the text that they claim to
// be of.
func checkPlaces(t *testing.T, set *Set) {
	t.Helper()
	documents := map[string]string{}
	if set.Retrieval != nil {
		for i, d := range set.Retrieval.Documents {
			if _, ok := documents[d.ID]; ok {
				t.Errorf("two documents are called %q", d.ID)
			}
			if d.ID == "" || d.Text == "" {
				t.Errorf("document %d has the ID %q and the text %q", i, d.ID, d.Text)
			}
			documents[d.ID] = d.Text
			for _, p := range set.Retrieval.Passages[i] {
				if p.Document != d.ID || p.Title != d.Title {
					t.Errorf("a passage of %q says that it is of %q", d.ID, p.Document)
				}
			}
		}
	}
	within := func(p assay.Passage) {
		if p.Text == "" {
			t.Errorf("a passage of %q has no text", p.Document)
		}
		if d, ok := documents[p.Document]; ok && d[p.Start:p.End] != p.Text {
			t.Errorf("passage %q stands at %d:%d of its document, which reads %q", p.Text, p.Start, p.End, d[p.Start:p.End])
		}
	}
	if set.Retrieval != nil {
		for _, q := range set.Retrieval.Questions {
			for _, p := range q.Gold {
				within(p)
			}
		}
		for _, passages := range set.Retrieval.Passages {
			for _, p := range passages {
				within(p)
			}
		}
	}
	for _, it := range set.Support {
		for _, s := range it.Evidence {
			if got := s.Passage.Text[s.Start-s.Passage.Start : s.End-s.Passage.Start]; got != s.Text {
				t.Errorf("strip %q stands where the passage reads %q", s.Text, got)
			}
		}
	}
}

func TestLoadPopQA(t *testing.T) {
	set := load(t, "popqa.jsonl")
	var positives, negatives []string
	for _, it := range set.Gate {
		row := it.Question + " | " + it.Passages[0].Title
		if it.Positive {
			positives = append(positives, row)
		} else {
			negatives = append(negatives, row)
		}
	}
	if want := []string{
		"What is Ada Holm's occupation? | Ada Holm",
		"What is Bo Lind's occupation? | Bo Lind (pilot)", // none is called as the subject: the first that supports
		"What is Cay Berg's occupation? | Cay Berg",
		"In what city was Dan Ek born? | Dan Ek",
	}; !slices.Equal(positives, want) {
		t.Errorf("positives are %q, want %q", positives, want)
	}
	if len(negatives) != 3 {
		t.Fatalf("negatives are %q; want one for each question on an occupation, none for the lone birthplace", negatives)
	}
	for i, subject := range []string{"Ada Holm", "Bo Lind", "Cay Berg"} {
		title := strings.SplitN(negatives[i], " | ", 2)[1]
		if !strings.Contains(negatives[i], subject+"'s") || strings.HasPrefix(title, subject) || title == "Baker" || title == "Pilot" || title == "Dan Ek" {
			t.Errorf("negative %q is not another entity of the same relation", negatives[i])
		}
	}
	if got := len(set.Retrieval.Documents); got != 6 {
		t.Errorf("%d documents are pooled, want 6 (one is shared)", got)
	}
	if want := positives; !slices.Equal(want, func() (got []string) {
		for _, q := range set.Retrieval.Questions {
			got = append(got, q.Question+" | "+q.Gold[0].Title)
		}
		return got
	}()) {
		t.Errorf("the gold of retrieval is not the own passage")
	}
	byChance := func(seed uint64) []string {
		again, err := Load("testdata/popqa.jsonl", seed)
		if err != nil {
			t.Fatal(err)
		}
		return gateRows(again.Gate)
	}
	if !slices.Equal(byChance(1), gateRows(set.Gate)) {
		t.Error("the same seed gave other negatives")
	}
	differs := false
	for seed := range uint64(20) {
		differs = differs || !slices.Equal(byChance(seed), gateRows(set.Gate))
	}
	if !differs {
		t.Error("twenty seeds gave the same negatives")
	}
}

func TestLoadErrors(t *testing.T) {
	for _, c := range []struct{ name, file, content, want string }{
		{"empty", "x.jsonl", "", "x.jsonl is empty"},
		{"not JSON", "x.jsonl", "hello", "x.jsonl:1: not a JSON object"},
		{"unknown", "x.jsonl", `{"b": 1, "a": 2}`, "not a known set (its keys: a, b); known are SQuAD"},
		{"a list", "x.json", `[1]`, "x.json:1: not a JSON object"},
		{"unknown table", "x.tsv", "a\tb\n1\t2\n", "not a known set (its keys: a, b)"},
		{"no items", "x.json", `{"data": []}`, "has no items"},
		{"broken squad", "x.json", "{\"data\": [\n{\"title\": 3}]}", "x.json:2: not SQuAD 2.0"},
		{"squad without context", "x.json", "{\"data\": [\n{\"title\": \"A\", \"paragraphs\": [{\"context\": \"\"}]}]}", `x.json:2: article "A": paragraph 1 has no context`},
		{"squad without title", "x.json", `{"data": [{"title": "", "paragraphs": []}]}`, "x.json:1: article 1 has no title"},
		{"squad without question", "x.json", "{\"data\": [{\"title\": \"A\", \"paragraphs\": [{\"context\": \"B\", \"qas\": [\n{\"id\": \"q7\", \"question\": \" \"}]}]}]}", `x.json:2: article "A": question "q7" has no text`},
		{"broken second row", "x.jsonl", `{"input":"a","passages":[{"text":"b"}],"output":[{"answer":"c"}]}` + "\n\n" + `{"input":`, "x.jsonl:3: not a row of this set"},
		{"clapnq without passages", "x.jsonl", `{"input":"a","passages":[],"output":[]}`, "x.jsonl:1: a row of CLAPNQ needs"},
		{"clapnq without text", "x.jsonl", `{"input":"a","passages":[{"title":"b","text":" "}],"output":[{}]}`, "x.jsonl:1: passage 1 has no text"},
		{"popqa without text", "x.jsonl", `{"question":"a","subj":"s","prop":"b","paragraphs":[{"title":"t"}]}`, "x.jsonl:1: paragraph 1 has no title or no text"},
		{"popqa without subject", "x.jsonl", `{"question":"a","prop":"b","paragraphs":[{"title":"t"}]}`, "x.jsonl:1: a row of PopQA needs"},
		{"wice without evidence", "x.jsonl", `{"claim":"a","label":"supported","evidence":[],"meta":{}}`, "x.jsonl:1: a row of WiCE needs"},
		{"wice with another label", "x.jsonl", `{"claim":"a","label":"maybe","evidence":["b"],"meta":{}}`, `x.jsonl:1: label "maybe" is none of true, false`},
		{"begin with another label", "x.tsv", "knowledge\tresponse\tbegin_label\na.\tb\tFully\n", `x.tsv:2: begin_label "Fully" is none of`},
		{"begin with a cell too few", "x.tsv", "knowledge\tresponse\tbegin_label\na.\tb\n", "x.tsv:2: 2 columns where the header has 3"},
		{"begin with an empty response", "x.tsv", "knowledge\tresponse\tbegin_label\na.\t\tGeneric\n", "x.tsv:2: the response is empty"},
		{"gate without text", "x.jsonl", `{"question":"a","passages":[{"text":"","label":true}]}`, `x.jsonl:1: passage 1 has no "text"`},
		{"gate without question", "x.jsonl", `{"question":"","passages":[{"text":"b"}]}`, "x.jsonl:1: a row for the gate needs"},
		{"gate half labelled", "x.jsonl", `{"question":"a","passages":[{"text":"b","label":true},{"text":"c"}]}`, "x.jsonl:1: label either the row or every one of its 2 passages"},
		{"gate not labelled", "x.jsonl", `{"question":"a","passages":[{"text":"b"}]}`, "label either the row or every one"},
		{"gate labelled twice", "x.jsonl", `{"question":"a","label":true,"passages":[{"text":"b","label":true}]}`, "label either the row or every one"},
		{"gate with another label", "x.jsonl", `{"question":"a","passages":[{"text":"b","label":0.5}]}`, "x.jsonl:1: passage 1: label 0.5 is none of true, false, 1, 0"},
		{"gate with null", "x.jsonl", `{"question":"a","label":null,"passages":[{"text":"b"}]}`, "label null is none of"},
		{"retrieval without gold", "x.jsonl", `{"documents":[{"id":"a","text":"b"}],"question":"c"}`, `x.jsonl:1: a row for retrieval needs "question" and "gold"`},
		{"retrieval with unknown gold", "x.jsonl", `{"documents":[{"id":"a","text":"b"}]}` + "\n" + `{"question":"c","gold":["z"]}`, `x.jsonl:2: gold "z" is not the id`},
		{"retrieval with two of one id", "x.jsonl", `{"documents":[{"id":"a","text":"b"},{"id":"a","text":"c"}]}`, `x.jsonl:1: document "a" was given before with another text`},
		{"retrieval without id", "x.jsonl", `{"documents":[{"text":"b"}]}`, `x.jsonl:1: document 1 needs "id" and "text"`},
		{"strips without one that helps", "x.jsonl", `{"question":"a","strips":[{"text":"b","label":false}]}`, "x.jsonl:1: no strip helps"},
		{"strips without a label", "x.jsonl", `{"question":"a","strips":[{"text":"b"}]}`, "x.jsonl:1: strip 1: the label is missing"},
		{"strips without text", "x.jsonl", `{"question":"a","strips":[{"text":" ","label":true}]}`, `x.jsonl:1: strip 1 has no "text"`},
		{"rating of 6", "x.jsonl", `{"question":"a","answer":"b","rating":6}`, "x.jsonl:1: a row for ratings needs"},
		{"route without a label", "x.jsonl", `{"question":"a","retrieve":"often"}`, `x.jsonl:1: "retrieve": label "often" is none of true, false, 1, 0`},
		{"expertqa with another support", "x.jsonl", `{"question":"a","annotator_id":"b","answers":{"c":{"claims":[{"claim_string":"d","evidence":["e"],"support":"So so"}]}}}`, `x.jsonl:1: support "So so" is none of`},
		{"expertqa with a claim of marks", "x.jsonl", `{"question":"a","annotator_id":"b","answers":{"c":{"claims":[{"claim_string":"[1]","evidence":["e"],"support":"Complete"}]}}}`, "x.jsonl:1: claim 1 of c has no text"},
		{"ramdocs with another type", "x.jsonl", `{"question":"a","gold_answers":[],"documents":[{"text":"b","type":"odd"}]}`, `x.jsonl:1: type "odd" of document 1`},
		{"mtrag with another answerability", "x.jsonl", `{"conversation_id":"a","contexts":[],"answerability":["MAYBE"],"input":[{"speaker":"user","text":"b"}]}`, `x.jsonl:1: answerability "MAYBE"`},
		{"mtrag with nothing to lend", "x.jsonl", `{"conversation_id":"a","contexts":[],"answerability":["UNANSWERABLE"],"Collection":"c","input":[{"speaker":"user","text":"b"}]}`, `no passage of the collection "c"`},
		{"wice with a sentence that isn't", "x.jsonl", `{"claim":"a","label":"supported","evidence":["b"],"meta":{},"supporting_sentences":[[1]]}`, "x.jsonl:1: supporting sentence 1 is not among the 1"},
		{"table without rows", "x.csv", "", "x.csv is empty"},
		{"table with a cell too many", "x.csv", "question,retrieve\na,1,2\n", "x.csv:2: not a row of the table: wrong number of fields"},
		{"table with a wrong label", "x.csv", "question,retrieve\n\"a\nb\",1\nc,often\n", `x.csv:4: "retrieve": label "often" is none of`},
		{"support without claim", "x.jsonl", `{"claim":"","evidence":"b","label":true}`, "x.jsonl:1: a row for support needs"},
		{"support without label", "x.jsonl", `{"claim":"a","evidence":"b"}`, "x.jsonl:1: the label is missing"},
		{"support with odd evidence", "x.jsonl", `{"claim":"a","evidence":3,"label":true}`, "x.jsonl:1: not a row of this set"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), c.file)
			if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Load(path, 1)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestLoadFolders(t *testing.T) {
	for path, want := range map[string]string{
		"testdata/mixed":   "b.jsonl is own-gate, the files before it are squad2",
		"testdata/wice":    "oracle_claim.jsonl is wice-chunks, the files before it are wice-pages",
		"testdata/nowhere": "nowhere",
		t.TempDir():        "has no .json, .jsonl, .tsv or .csv file",
	} {
		if _, err := Load(path, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want one with %q", path, err, want)
		}
	}
}

func TestLoadSkipsByteOrderMark(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	row := "\ufeff" + `{"claim":"a","evidence":"b","label":true}` + "\r\n"
	if err := os.WriteFile(path, []byte(row), 0o600); err != nil {
		t.Fatal(err)
	}
	if set, err := Load(path, 1); err != nil || len(set.Support) != 1 {
		t.Errorf("got %v, %v", set, err)
	}
}

// TestPublicSets reads the real sets, where a person has them. The counts are of
// the files, so they hold for any part of a set.
func TestPublicSets(t *testing.T) {
	root := os.Getenv("ASSAY_DATA")
	if root == "" {
		t.Skip("ASSAY_DATA is not set: give it the folder that holds squad2, clapnq, popqa, wice and begin")
	}
	for path, want := range map[string][]Task{
		"squad2":                  {TaskGate, TaskRetrieval, TaskEndToEnd},
		"clapnq":                  {TaskGate, TaskStrips, TaskRetrieval, TaskEndToEnd},
		"popqa":                   {TaskGate, TaskRoute, TaskRetrieval, TaskEndToEnd},
		"wice/claim.jsonl":        {TaskStrips, TaskSupport},
		"wice/oracle_claim.jsonl": {TaskSupport},
		"begin":                   {TaskSupport},
		"expertqa":                {TaskSupport, TaskUseful},
		"mtrag-un":                {TaskGate, TaskEndToEnd},
	} {
		set, err := Load(filepath.Join(root, path), 1)
		if err != nil {
			t.Error(err)
			continue
		}
		if !slices.Equal(set.Tasks(), want) {
			t.Errorf("%s fits %v, want %v", path, set.Tasks(), want)
		}
		checkPlaces(t, set)
		labels := map[bool]int{}
		for _, it := range set.Gate {
			labels[it.Positive]++
		}
		for _, it := range set.Support {
			labels[it.Positive]++
		}
		if labels[true] == 0 || labels[false] == 0 {
			t.Errorf("%s has labels %v, want both", path, labels)
		}
		t.Logf("%s: %s, %d positive, %d negative", path, set.Name, labels[true], labels[false])
		if p := set.Retrieval; p != nil {
			t.Logf("%s: %d documents, %d questions", path, len(p.Documents), len(p.Questions))
		}
	}
}

func FuzzLoad(f *testing.F) {
	for _, path := range []string{
		"squad.json", "clapnq/answerable.jsonl", "popqa.jsonl", "wice/claim.jsonl", "begin/one.tsv",
		"own_gate.jsonl", "own_retrieval.jsonl", "own_support.jsonl", "own_strips.jsonl", "own_useful.jsonl", "own_route.jsonl",
		"expertqa.jsonl", "ramdocs.jsonl", "mtrag.jsonl", "retrievalqa.jsonl",
	} {
		data, err := os.ReadFile(filepath.Join("testdata", path))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(filepath.Ext(path) == ".tsv", data)
	}
	f.Fuzz(func(t *testing.T, tsv bool, data []byte) {
		path := "x.jsonl"
		if tsv {
			path = "x.tsv"
		}
		l := &loader{pool: newPoolBuilder(), seed: 1}
		if l.add(&file{path, data}) != nil {
			return
		}
		set, err := l.finished(path)
		if err != nil {
			return
		}
		if len(set.Tasks()) == 0 {
			t.Error("a set without items was loaded")
		}
		checkPlaces(t, set)
		for _, it := range set.Gate {
			if it.Question == "" || len(it.Passages) == 0 {
				t.Errorf("item %+v has no question or no passage", it)
			}
		}
	})
}
