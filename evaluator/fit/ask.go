package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/encoder"
	"github.com/assay-rag/assay/encoder/crossminilm"
	"github.com/assay-rag/assay/encoder/minilm"
	"github.com/assay-rag/assay/evaluator"
	"github.com/assay-rag/assay/index"
	"github.com/assay-rag/assay/text"
)

// askedSets are the sets whose rows have an answer string and whose questions
// one passage answers.
var askedSets = []string{
	"covidqa", "fairytaleqa", "multispanqa", "nq_oracle", "quotesum", "squad1_train_part", "timeqa_human",
}

// longestAnswer bounds a gold answer, in words: a longer one is a sentence, which
// a right answer need not repeat to the letter.
const longestAnswer = 12

// asking is a question to ask, with all the answers that count as right.
type asking struct {
	question, set, group string
	golds                []string
	covered              bool // a passage that answers is in the index
	held                 bool // kept to report on
}

// outcome is how a question ended.
type outcome struct {
	asking
	answer *assay.Answer
	right  bool // the answer shown holds a gold answer
}

// covers decides by the group whether its passages are in the index: half are.
func covers(set, group string, seed uint64) bool { return hash(set+"\x00"+group, seed+1)%2 == 0 }

// questions picks those to ask, at most perSet of a set, from the documents that
// the weights of the words were not fitted on; the network was trained on most.
func questions(rows []answerRow, perSet int, seed uint64) []asking {
	at, taken := map[string]int{}, map[string]int{}
	var out []asking
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b answerRow) int { return cmp.Compare(hash(a.Question, seed), hash(b.Question, seed)) })
	for _, r := range rows {
		if r.Label != 1 || !slices.Contains(askedSets, r.Set) || partOf(r.Set, r.Group, seed) == partFit {
			continue
		}
		if !plainAnswer(r.Answer) || !holds(r.Text, r.Answer) { // an answer by quotation can't hold what no passage says
			continue
		}
		key := r.Set + "\x00" + r.Question
		if i, known := at[key]; known {
			out[i].golds = append(out[i].golds, r.Answer)
			continue
		}
		if taken[r.Set] == perSet {
			continue
		}
		taken[r.Set]++
		at[key] = len(out)
		out = append(out, asking{
			question: r.Question, set: r.Set, group: r.Group, golds: []string{r.Answer},
			covered: covers(r.Set, r.Group, seed), held: hash(r.Set+"\x00"+r.Group, seed+2)%2 == 0,
		})
	}
	return out
}

// plainAnswer tells whether a text that holds the answer can be told by its
// words.
func plainAnswer(answer string) bool {
	words := len(text.Words(answer))
	return len(answer) >= answerLetters && answer != "yes" && answer != "no" && words > 0 && words <= longestAnswer
}

// holds tells whether a text contains the gold answer, word for word, whatever
// its letter case, articles and punctuation; of a list, every item.
func holds(shown, gold string) bool {
	shown = plainWords(shown)
	found := false
	for item := range strings.SplitSeq(gold, "; ") {
		words := plainWords(item)
		if words == " " {
			continue
		}
		if !strings.Contains(shown, words) {
			return false
		}
		found = true
	}
	return found
}

// plainWords is the words of a text in plain letters, articles out, a space
// before and after each.
func plainWords(s string) string {
	var b strings.Builder
	b.WriteByte(' ')
	for _, w := range text.Words(s) {
		switch word := text.Fold(w.Of(s)); word {
		case "a", "an", "the":
		default:
			b.WriteString(word)
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// fill puts the passages of the asked sets into an index: those that answer, of
// the groups that are covered, and all others beside them. What answers a
// question of an uncovered group is left out wherever it stands.
func fill(ctx context.Context, x *index.Index, folder string, rows []answerRow, seed uint64) (passages int, err error) {
	root, err := x.Root(ctx, assay.DefaultCollection, folder)
	if err != nil {
		return 0, err
	}
	seen := map[string]bool{}
	for _, r := range rows {
		if r.Label == 1 && !covers(r.Set, r.Group, seed) {
			seen[r.Text] = true
		}
	}
	var docs []assay.Document
	var pieces [][]assay.Passage
	for _, r := range rows {
		if r.Text == "" || seen[r.Text] || !slices.Contains(askedSets, r.Set) {
			continue
		}
		seen[r.Text] = true
		id := fmt.Sprintf("%s/%s/%d", root, r.Set, passages)
		docs = append(docs, assay.Document{ID: id, Text: r.Text, Language: "en"})
		pieces = append(pieces, []assay.Passage{{Document: id, Text: r.Text, End: len(r.Text)}})
		passages++
	}
	const batch = 500
	for i := 0; i < len(docs); i += batch {
		end := min(i+batch, len(docs))
		if err := x.Put(ctx, assay.DefaultCollection, root, docs[i:end], pieces[i:end]); err != nil {
			return 0, err
		}
	}
	return passages, nil
}

// builtIn is the evaluator as the command has it: the network in the program reads
// along.
func builtIn(v assay.Vocabulary) (*evaluator.Evaluator, error) {
	base, err := encoder.Load(minilm.Source(), nil)
	if err != nil {
		return nil, err
	}
	network, err := crossminilm.Load(base, encoder.Options{})
	if err != nil {
		return nil, err
	}
	return evaluator.New(v, &evaluator.Options{Reader: network, Embedder: base})
}

// askAll asks the questions of an engine with the parts that are built in.
func askAll(ctx context.Context, rows []answerRow, asked []asking, seed uint64) (_ []outcome, err error) {
	dir, err := os.MkdirTemp("", "assay-fit-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	x, err := index.Open(ctx, dir, nil)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	passages, err := fill(ctx, x, dir, rows, seed)
	if err != nil {
		return nil, err
	}
	fmt.Printf("asking %d questions over %d passages\n", len(asked), passages)
	judge, err := builtIn(x)
	if err != nil {
		return nil, err
	}
	engine, err := assay.New(judge.Parts(x), nil)
	if err != nil {
		return nil, err
	}
	type ended struct {
		outcome
		err error
	}
	var out []outcome
	for _, e := range parallel(asked, func(q asking) ended {
		a, err := engine.Ask(ctx, assay.Query{Question: q.question})
		if err != nil {
			return ended{err: fmt.Errorf("ask %q: %w", q.question, err)}
		}
		right := a.Outcome != assay.Abstained && slices.ContainsFunc(q.golds, func(g string) bool { return holds(a.Text, g) })
		return ended{outcome: outcome{q, a, right}}
	}) {
		if e.err != nil {
			return nil, e.err
		}
		out = append(out, e.outcome)
	}
	return out, nil
}
