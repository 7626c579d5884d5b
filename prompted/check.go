package prompted

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// checkForm is the form of a reply on claims. Two sentences are named at the most: asked
// for a list, a small model may count on to the end of its reply.
var checkForm = schemaOf("support", `{"type":"object","additionalProperties":false,
"required":["claims"],"properties":{
"claims":{"type":"array","items":{"type":"object","additionalProperties":false,
"required":["claim","evidence","also","support"],"properties":{
"claim":{"type":"integer"},"evidence":{"type":"integer"},"also":{"type":"integer"},
"support":{"type":"string","enum":["full","partial","none","contradicted"]}}}}}}`)

type checkReply struct {
	Claims list[supportReply] `json:"claims"`
}

type supportReply struct {
	Claim    id      `json:"claim"`
	Evidence numbers `json:"evidence"`
	Also     numbers `json:"also"`
	Support  words   `json:"support"`
}

// tokensPerClaim is about what a reply takes for a claim, at the most.
const tokensPerClaim = 100

// supports are what the judge's labels come to. The scores are a judgement: the
// label is all that the model says, and a number from it would be no better founded.
var supports = map[string]assay.Finding{
	"full":         {Support: assay.Supported, Score: 0.95},
	"partial":      {Support: assay.PartiallySupported, Score: 0.5},
	"none":         {Support: assay.Unsupported, Score: 0.05},
	"contradicted": {Support: assay.Contradicted, Score: 0.02},
}

// Check implements [assay.Checker] by one call for all claims.
func (j *Judge) Check(ctx context.Context, claims []string, evidence []assay.Strip) ([]assay.Finding, error) {
	out := make([]assay.Finding, len(claims))
	if len(claims) == 0 {
		return out, nil
	}
	if len(evidence) == 0 {
		for i := range out {
			out[i].Support = assay.Unsupported
		}
		return out, nil
	}
	c := checking{claims: claims, evidence: evidence, findings: out}
	for i := range out {
		out[i].Support = assay.SupportUndetermined
	}
	err := ask(ctx, j.model, checkPrompt(claims, evidence), c.take)
	if err != nil && !slices.ContainsFunc(out, func(f assay.Finding) bool { return f.Support != assay.SupportUndetermined }) {
		return out, wrapped("check the claims", err)
	}
	return out, nil
}

func checkPrompt(claims []string, strips []assay.Strip) prompt {
	var listed strings.Builder
	for i, c := range claims {
		listed.WriteString("CLAIM " + strconv.Itoa(i+1) + " | " + indented(strings.TrimSpace(c)) + "\n")
	}
	data := struct {
		Mark             fence
		Evidence, Claims string
		N                int
	}{Evidence: evidence(grouped(strips)), Claims: listed.String(), N: len(claims)}
	data.Mark = newFence(data.Evidence, data.Claims)
	return prompt{
		system: render("judge_check.system", nil), user: render("judge_check.user", data), schema: checkForm,
		maxTokens: len(claims) * tokensPerClaim,
	}
}

// checking is what the judge has said of claims so far.
type checking struct {
	claims   []string
	evidence []assay.Strip
	findings []assay.Finding
}

// take keeps what a reply says of each claim, by its number alone, and says what it
// doesn't say.
func (c *checking) take(r checkReply) error {
	said := make([][]supportReply, len(c.findings))
	for _, s := range r.Claims {
		if i := int(s.Claim) - 1; 0 <= i && i < len(said) {
			said[i] = append(said[i], s)
		}
	}
	var problems []string
	for i, replies := range said {
		if problem := c.keep(i, replies); problem != "" {
			problems = append(problems, fmt.Sprintf("claim %d: %s", i+1, problem))
		}
	}
	if problems != nil {
		return errors.New(strings.Join(problems, "; "))
	}
	return nil
}

// keep makes the finding on a claim of what was said of it. What is supported, or
// contradicted, is so by evidence that exists and that shares a word with the claim:
// else the judge goes by something else than it was shown.
func (c *checking) keep(i int, said []supportReply) (problem string) {
	if len(said) == 0 {
		return "it is left out"
	}
	f, ok := supports[said[0].Support.label()]
	if !ok {
		return "its support is none of full, partial, none and contradicted"
	}
	for _, other := range said[1:] {
		if other.Support.label() != said[0].Support.label() {
			return "it is there several times"
		}
	}
	if f.Support != assay.Unsupported {
		f.Evidence = positions(slices.Concat(said[0].Evidence, said[0].Also), len(c.evidence))
		strips := make([]*assay.Strip, len(f.Evidence))
		for k, at := range f.Evidence {
			strips[k] = &c.evidence[at]
		}
		switch {
		case len(strips) == 0:
			return "no evidence is named for it"
		case !shares(c.claims[i], strips):
			return "the evidence named for it speaks of something else"
		}
	}
	c.findings[i] = f
	return ""
}

// positions are those of the numbers that exist, each once, counted from 0.
func positions(numbers []int, of int) []int {
	var out []int
	for _, n := range numbers {
		if 1 <= n && n <= of && !slices.Contains(out, n-1) {
			out = append(out, n-1)
		}
	}
	return out
}

// shares tells whether what a judge says, or judges, has a word in common with the
// strips that it names for it, or with the titles of their passages. Where it has
// none, the judge has made it up, or was told to: a model of 1.5B finds "4 weeks" in a
// sentence on coffee. It is true where words can't tell: for a bare yes or no, and
// between languages.
func shares(said string, strips []*assay.Strip) bool {
	if len(strips) == 0 || yesOrNo(said) {
		return true
	}
	var named strings.Builder
	for _, s := range strips {
		named.WriteString(s.Passage.Title + "\n" + strings.Join(s.Passage.Heading, "\n") + "\n" + s.Text + "\n")
	}
	ours, theirs := text.Detect(said), text.Detect(named.String())
	if ours != "" && theirs != "" && ours != theirs {
		return true
	}
	terms := map[string]bool{}
	for _, t := range text.Analyze(named.String(), theirs) {
		terms[t.Term] = true
	}
	wanted := text.Analyze(said, theirs)
	for _, t := range wanted {
		if terms[t.Term] {
			return true
		}
	}
	return len(wanted) == 0
}

// yesOrNo tells whether a text begins with a yes or a no, in one of a few languages.
func yesOrNo(s string) bool {
	first, _, _ := strings.Cut(text.Fold(strings.TrimSpace(s)), " ")
	switch strings.Trim(first, ".,;:!，。、") {
	case "yes", "no", "ja", "nein", "nee", "oui", "non", "si", "sim", "nao", "да", "нет", "はい", "いいえ", "是", "是的", "不", "不是", "否", "네", "아니요":
		return true
	}
	return false
}
