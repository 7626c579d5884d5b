package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/openai"
	"github.com/assay-rag/assay/prompted"
)

// model finds out what the model of an endpoint can do.
func (x *exam) model(ctx context.Context, p remote, c *config) {
	if !x.present(ctx, &p) {
		return
	}
	client, err := p.client()
	if err != nil {
		x.add(finding{What: "settings", State: bad, Says: message(err)})
		return
	}
	timeout, err := c.duration("call_timeout")
	if err != nil {
		x.add(finding{What: "settings", State: bad, Says: message(err)})
		return
	}
	// One attempt each: what fails now and then is what this is to find out.
	model := llm.Resilient(client, &llm.ResilientOptions{Attempts: 1, Timeout: timeout})
	if !x.answers(ctx, model) {
		return
	}
	x.schema(ctx, model)
	x.streams(ctx, model)
	x.logProbs(ctx, model)
	x.takes(ctx, model)
	x.judges(ctx, model)
	x.price(p, c)
}

// present finds out whether the endpoint can be reached and has the model.
func (x *exam) present(ctx context.Context, p *remote) bool {
	names, err := p.models(ctx)
	kind := llm.KindOf(err)
	switch {
	case err == nil && p.model == "" && len(names) == 1:
		p.model = names[0]
		x.Model = p.model
		x.add(finding{What: "reachable", State: good, Says: "it has one model: " + p.model})
	case err == nil && p.model == "":
		x.add(finding{What: "reachable", State: bad, Says: fmt.Sprintf("it has %d models, and none is named", len(names)), Do: "choose one with --model: " + some(names)})
		return false
	case err == nil && slices.Contains(names, p.model):
		x.add(finding{What: "reachable", State: good, Says: "and it has the model"})
	case err == nil:
		x.add(finding{What: "reachable", State: degraded, Says: "but the model is not among those it lists", Do: "it has " + some(names)})
	case kind == llm.Unauthorised, kind == llm.Unreachable, kind == llm.TimedOut:
		do := ""
		if kind == llm.Unauthorised && p.keyFrom == "" {
			do = "set " + p.keyAt
		} else if kind == llm.Unauthorised {
			do = "the key is from " + p.keyFrom
		}
		x.add(finding{What: "reachable", State: bad, Says: message(err), Do: do})
		return false
	default:
		x.add(finding{What: "reachable", State: degraded, Says: "it doesn't list its models: " + message(err)})
	}
	return p.model != "" || err == nil
}

// some are the first of many names.
func some(names []string) string {
	const most = 12
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// answers finds out whether the model answers at all, and says what it used.
func (x *exam) answers(ctx context.Context, m llm.Model) bool {
	reply, spent, ok := x.asked(ctx, "answers", m, says("Reply with the one word: ready", 200))
	if !ok {
		return false
	}
	f := finding{What: "answers", State: good, Says: fmt.Sprintf("“%s”", shorten(reply.Text, 40)), Took: spent}
	if strings.TrimSpace(reply.Text) == "" {
		f = finding{What: "answers", State: bad, Says: "with nothing", Took: spent, Do: "name another model, or one that thinks less: it may have thought until the limit of its reply"}
	}
	x.add(f)
	if reply.Tokens.Estimated {
		x.add(finding{What: "usage", State: degraded, Says: "it doesn't report what a call used: tokens are estimated"})
	} else {
		x.add(finding{What: "usage", State: good, Says: fmt.Sprintf("it reports %d tokens in, %d out", reply.Tokens.In, reply.Tokens.Out)})
	}
	return f.State != bad
}

// schema finds out whether the model keeps to a JSON schema.
func (x *exam) schema(ctx context.Context, m llm.Model) {
	r := says("Which of the numbers 3 and 8 is even? Give it as number, and say in reason why.", 200)
	r.Schema = &llm.Schema{Name: "even", JSON: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["number","reason"],"properties":{"number":{"type":"integer"},"reason":{"type":"string"}}}`)}
	reply, spent, ok := x.asked(ctx, "JSON schema", m, r)
	if !ok {
		return
	}
	var value struct {
		Number *int    `json:"number"`
		Reason *string `json:"reason"`
	}
	switch err := json.Unmarshal([]byte(reply.Text), &value); {
	case err == nil && value.Number != nil && value.Reason != nil:
		x.add(finding{What: "JSON schema", State: good, Says: "it is obeyed", Took: spent})
	default:
		x.add(finding{
			What: "JSON schema", State: degraded, Says: "it is not: " + shorten(reply.Text, 60), Took: spent,
			Do: "replies are read all the same where that can be done without guessing; others are asked for once more, then they count as undetermined",
		})
	}
}

// streams finds out whether text comes in pieces.
func (x *exam) streams(ctx context.Context, m llm.Model) {
	r := says("Count from one to twenty in words.", 200)
	r.Stream = true
	pieces, began, first, whole := 0, time.Now(), time.Duration(0), time.Duration(0)
	var out int
	for c, err := range m.Generate(ctx, r) {
		if err != nil {
			x.add(finding{What: "streaming", State: bad, Says: message(err), Do: "leave it out: --stream off"})
			return
		}
		if c.Text != "" {
			if pieces++; pieces == 1 {
				first = time.Since(began)
			}
		}
		if c.Reply != nil {
			whole, out = time.Since(began), c.Reply.Tokens.Out
		}
	}
	f := finding{What: "streaming", State: good, Says: fmt.Sprintf("%d pieces, the first after %s, then %s", pieces, took(float64(first.Microseconds())/1000), speed(out, whole-first))}
	if pieces < 3 {
		f.State, f.Says = degraded, "the text comes in one piece"
	}
	x.add(f)
}

// logProbs finds out whether the server tells the log-probabilities of tokens.
func (x *exam) logProbs(ctx context.Context, m llm.Model) {
	r := says("Is the sky blue? Reply yes or no.", 5)
	r.LogProbs = 2
	reply, err := llm.Ask(ctx, m, r)
	f := finding{What: "probabilities", State: good, Says: "it tells the log-probabilities of tokens"}
	if err != nil || len(reply.LogProbs) == 0 {
		f.State, f.Says = degraded, "it tells no log-probabilities of tokens; only models that emit reflection tokens need them"
	}
	x.add(f)
}

// longestPrompt is about what the longest prompt in use has, in tokens: ten passages
// to be graded.
const longestPrompt = 4500

// takes finds out whether the context holds the longest prompt, and how fast it is
// read. What must be found stands at its beginning, which is what is cut.
func (x *exam) takes(ctx context.Context, m llm.Model) {
	var b strings.Builder
	b.WriteString("The word to remember is marigold.\n")
	for n := 1; llm.EstimateTokens(b.String()) < longestPrompt; n++ {
		fmt.Fprintf(&b, "Line %d of the inventory lists %d boxes of paper on shelf %d.\n", n, n*7%90, n%13)
	}
	b.WriteString("Which word is to be remembered? Reply with that word alone.")
	began := time.Now()
	reply, err := llm.Ask(llm.WithMeter(ctx, llm.NewMeter(llm.Budget{Tokens: llm.Unlimited})), llm.Metered(m, llm.MeterOptions{}), says(b.String(), 20))
	spent := time.Since(began)
	f := finding{What: "context", State: good, Took: took(float64(spent.Microseconds()) / 1000)}
	switch {
	case llm.KindOf(err) == llm.TooLong:
		f.State, f.Says, f.Do = bad, message(err), "give the server a context of 8192 tokens (llama-server -c 8192, Ollama num_ctx), or let it grade one passage a call: judge_calls: each"
	case err != nil:
		f.State, f.Says = bad, message(err)
	default:
		f.Says = fmt.Sprintf("it takes a prompt of %d tokens, at %s", reply.Tokens.In, speed(reply.Tokens.In, spent))
		if !strings.Contains(strings.ToLower(reply.Text), "marigold") {
			f.State, f.Says = degraded, f.Says+", but it doesn't find what stands at its beginning"
		}
		if spent > 20*time.Second {
			f.State, f.Do = degraded, "to grade ten passages with it takes as long: leave that to the built-in evaluator (judge: off or unsure)"
		}
	}
	x.add(f)
}

// price finds out whether the price is known.
func (x *exam) price(p remote, c *config) {
	price := llm.ListPrices().With(c.prices).For(p.model)
	if price == nil {
		x.add(finding{What: "price", State: degraded, Says: "it isn't known: costs are shown as unknown, and max_cost can't hold", Do: "say it in " + configName + ": prices: {" + p.model + ": {in: 0.4, out: 1.6}}, in US dollars for a million tokens"})
		return
	}
	x.add(finding{What: "price", State: good, Says: fmt.Sprintf("$%g for a million tokens in, $%g out", price.In, price.Out)})
}

// embedder finds out whether an embedding model can be used.
func (x *exam) embedder(ctx context.Context, p remote, c *config) {
	began := time.Now()
	m, err := openai.NewEmbedder(ctx, p.model, 0, p.embedding(c))
	if err != nil {
		x.add(finding{What: "embeds", State: bad, Says: message(err)})
		return
	}
	texts := []string{"The cat sleeps on the sofa.", "A feline naps on the couch.", "Interest rates rose by a quarter point."}
	vectors, err := m.EmbedPassages(ctx, texts)
	if err != nil {
		x.add(finding{What: "embeds", State: bad, Says: message(err)})
		return
	}
	x.add(finding{What: "embeds", State: good, Says: fmt.Sprintf("vectors of %d dimensions", m.Dim()), Took: took(float64(time.Since(began).Microseconds()) / 1000)})
	near, far := cosine(vectors[0], vectors[1]), cosine(vectors[0], vectors[2])
	f := finding{What: "meaning", State: good, Says: fmt.Sprintf("like to like %.2f, to unlike %.2f", near, far)}
	if near <= far {
		f.State, f.Says = bad, fmt.Sprintf("what means the same is no nearer (%.2f) than what doesn't (%.2f)", near, far)
		f.Do = "name a model made for embeddings"
	}
	x.add(f)
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

// The pairs whose answer is known: passages for a question, and claims on evidence.
var (
	knownQuestion = "How long is the warranty on the pump?"
	knownPassages = []struct {
		text  string
		helps bool
	}{
		{"The pump has a warranty of 24 months from the day of delivery.", true},
		{"The canteen opens at noon and serves soup on Fridays.", false},
		{"Claims under the two-year pump warranty are sent to the service desk with the serial number.", true},
		{"Pumps are shipped in a crate of untreated pine.", false},
	}
	knownEvidence = []string{"The pump has a warranty of 24 months from the day of delivery.", "The filter is changed every six months by the customer."}
	knownClaims   = []struct {
		text    string
		carried bool
	}{
		{"The pump is under warranty for two years.", true},
		{"The pump is under warranty for five years.", false},
		{"Customers change the filter twice a year.", true},
		{"The pump weighs 12 kg.", false},
	}
)

// judges finds out how the model judges the pairs, as it would in use.
func (x *exam) judges(ctx context.Context, m llm.Model) {
	judge := prompted.NewJudge(m, nil)
	right, undetermined := 0, 0
	var wrong []string
	count := func(is, want, known bool, what string) {
		switch {
		case !known:
			undetermined++
		case is == want:
			right++
		default:
			wrong = append(wrong, what)
		}
	}
	began := time.Now()
	var passages []assay.Passage
	for i, p := range knownPassages {
		passages = append(passages, assay.Passage{Document: fmt.Sprintf("d%d", i), Text: p.text, End: len(p.text)})
	}
	graded, err := judge.Grade(ctx, assay.Query{Question: knownQuestion, Asked: knownQuestion}, passages)
	for i, p := range knownPassages {
		known := err == nil && !graded.Grades[i].Undetermined
		count(known && graded.Grades[i].Score >= 0.5, p.helps, known, "passage “"+shorten(p.text, 40)+"”")
	}
	var claims []string
	var evidence []assay.Strip
	for _, c := range knownClaims {
		claims = append(claims, c.text)
	}
	for i, text := range knownEvidence {
		evidence = append(evidence, assay.Strip{Passage: assay.Passage{Document: fmt.Sprintf("e%d", i), Text: text, End: len(text)}, Text: text, End: len(text)})
	}
	found, err := judge.Check(ctx, claims, evidence)
	for i, c := range knownClaims {
		known := err == nil && found[i].Support != assay.SupportUndetermined
		count(known && found[i].Support == assay.Supported, c.carried, known, "claim “"+shorten(c.text, 40)+"”")
	}
	f := finding{What: "judging", State: good, Says: fmt.Sprintf("%d of 8 pairs right, %d undetermined", right, undetermined), Took: took(float64(time.Since(began).Microseconds()) / 1000)}
	if right < 8 {
		f.State = degraded
		f.Do = "leave judging to the built-in evaluator (judge: off), or name a stronger judge_model"
		if len(wrong) > 0 {
			f.Says += "; wrong: " + strings.Join(wrong, ", ")
		}
	}
	x.add(f)
}
