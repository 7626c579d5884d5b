package evaluator

import (
	"context"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// How a question is made to stand alone without a model: how far back it may lean,
// and how many words it takes from there. Judgements.
const (
	turnsBack    = 4
	wordsCarried = 8
)

// Condense puts a follow-up question together with the words of what it leans on,
// where it leans on the turns before: it begins with "and" or "what about", has a
// pronoun that nothing in it explains, or says hardly anything by itself. "And for
// fathers?" after "How long is parental leave?" is "How long is parental leave, and
// for fathers?", and "How is it paid?" is "How is it paid? (parental leave)". That is
// what is searched and graded by: the words, in no better a sentence. It never
// returns an error.
func (e *Evaluator) Condense(_ context.Context, q assay.Query) (string, error) {
	before := ""
	for _, t := range q.History[max(0, len(q.History)-turnsBack):] {
		if !smallTalk(t.Question) && len(t.Question) <= longestCarried {
			before = e.condensed(before, t.Question)
		}
	}
	return e.condensed(before, q.Question), nil
}

// longestCarried is the longest question that others lean on, in bytes: a longer one
// is a text with a question in it.
const longestCarried = 500

// condensed is a question with what it takes from the one before it.
func (e *Evaluator) condensed(before, question string) string {
	if before == "" {
		return question
	}
	language := text.Detect(question)
	if language == "" {
		language = text.Detect(before + " " + question)
	}
	switch e.leaning(question, language) {
	case leansOnForm:
		return strings.TrimRight(before, "?!. ？。") + ", " + withoutCapital(question)
	case leansOnWords:
		if carried := e.carried(before, question, language); carried != "" {
			return question + " (" + carried + ")"
		}
	}
	return question
}

// leaning is how a question leans on the one before it.
type leaning int

const (
	standsAlone  leaning = iota
	leansOnForm          // it is a part of a question: "and for fathers?"
	leansOnWords         // it is a whole one, about something that it doesn't name
)

// leaning tells how a question leans on the one before it, as far as its words show.
func (e *Evaluator) leaning(question, language string) leaning {
	if smallTalk(question) {
		return standsAlone
	}
	words := questionWords(question)
	if n := longestOf(ellipses, words); n > 0 {
		if rest := strings.Join(words[n:], " "); kindOf(rest) == kindOther {
			return leansOnForm
		}
		return leansOnWords
	}
	telling := 0
	for _, t := range text.Analyze(question, language) {
		if !e.isFrame(t.Term) {
			telling++
		}
	}
	if telling < 2 && kindOf(question) != kindDefinition || e.hasPronoun(question, language) {
		return leansOnWords
	}
	return standsAlone
}

// longestOf is how many words the longest of the phrases takes that they begin with.
func longestOf(all map[string]bool, words []string) int {
	for n := min(len(words), 5); n > 0; n-- {
		if all[strings.Join(words[:n], " ")] {
			return n
		}
	}
	return 0
}

// ellipses begin what goes on from another question.
var ellipses = phrases(`
and
and what about
and how about
what about
how about
but
but what about
or
also
so
then
und
und was ist mit
und wie ist es mit
und wie sieht es mit
was ist mit
wie sieht es mit
wie steht es mit
aber
oder
et
et pour
y
e
en
`)

// hasPronoun tells whether a question has a pronoun with too little before it for
// that to be what it stands for.
func (e *Evaluator) hasPronoun(question, language string) bool {
	pronouns := pronounsOf[language]
	tokens := text.Analyze(question, language)
	words := text.Words(question)
	folded := make([]string, len(words)+2) // so that each has a next one
	for i, w := range words {
		folded[i] = text.Fold(w.Of(question))
	}
	at := func(i int) string {
		if i < 0 {
			return ""
		}
		return folded[min(i, len(folded)-1)]
	}
	telling := 0
	for i, w := range words {
		for telling < len(tokens) && tokens[telling].Start < w.Start {
			telling++
		}
		if telling > 1 {
			return false
		}
		if rule, ok := pronouns[folded[i]]; ok && (rule == nil || rule(w.Of(question), at(i-1), at(i+1), at(i+2))) {
			return true
		}
	}
	return false
}

// pronounRule tells whether a word is a pronoun there, by itself as it is written and
// by the words around it, folded.
type pronounRule func(word, before, next, second string) bool

// pronounsOf are the words of a language that stand for another; nil for a rule is
// always.
var pronounsOf = map[string]map[string]pronounRule{
	"en": rules(map[string]pronounRule{
		"its they them their theirs he him his she her hers these those ones former latter": nil,
		"it": func(_, _, next, second string) bool { // "is it safe to …"
			return second != "to" && second != "that" && second != "for" && second != "if" && next != "to"
		},
		"this": func(_, _, next, _ string) bool { return !oneOf(next, times) },
		"that": func(_, before, next, _ string) bool { return next == "" || oneOf(before, beforeThat) },
		"there": func(_, before, next, _ string) bool {
			return !oneOf(before, beForms) && !oneOf(next, beForms)
		},
		"same": nil, "such": nil,
		"one": func(_, before, next, _ string) bool { return next == "" || before == "which" || before == "that" },
	}),
	"de": rules(map[string]pronounRule{
		"er ihn ihm sein seine seinen seinem seiner seines deren dessen denen diese dieser dieses diesen diesem jene jener jenes dort dafür davon damit dazu " +
			"darüber dabei daran darauf daraus dagegen darin danach derselbe dieselbe dasselbe solche": nil,
		"es": func(_, before, next, _ string) bool { return before != "gibt" && next != "gibt" },
		"sie ihr ihre ihren ihrem ihrer ihres ihnen": func(word, _, _, _ string) bool { // not who is spoken to
			return word == strings.ToLower(word)
		},
		"der die das den dem": func(_, _, next, _ string) bool {
			return next == "" || oneOf(next, []string{"ist", "war", "sind", "geht", "gilt", "kostet", "dauert", "heisst", "bedeutet", "macht"})
		},
	}),
}

var (
	times      = []string{"year", "month", "week", "morning", "evening", "time", "day"}
	beforeThat = strings.Fields("about of for with is was are does did do like than in on after before from at how why to by")
	beForms    = strings.Fields("is are was were be been has have had will would can could should may might must isn't aren't wasn't weren't")
)

// rules gives each of the words of a key its rule.
func rules(of map[string]pronounRule) map[string]pronounRule {
	out := map[string]pronounRule{}
	for words, rule := range of {
		for _, w := range strings.Fields(words) {
			out[text.Fold(w)] = rule
		}
	}
	return out
}

// carried are the telling words of the question before, in their order, without those
// that the question has.
func (e *Evaluator) carried(before, question, language string) string {
	has := termSet(text.Analyze(question, language))
	var out []string
	for _, t := range text.Analyze(before, language) {
		if !has[t.Term] && !e.isFrame(t.Term) {
			has[t.Term] = true
			out = append(out, t.Of(before))
		}
	}
	return strings.Join(out[:min(len(out), wordsCarried)], " ")
}

// isFrame tells whether a term only says what kind of answer is wanted.
func (e *Evaluator) isFrame(term string) bool { return e.frame[term] || germanFrame()[term] }

// germanFrame are the terms of German questions that frameWords are of English ones.
var germanFrame = sync.OnceValue(func() map[string]bool {
	return termSet(text.Analyze("lange dauert dauern viel viele vielen oft groß hoch weit alt spät Person Leute Art Tag Jahr Monat Zeit Grund bitte sagen", "de"))
})

// withoutCapital is a sentence as it goes on from another one.
func withoutCapital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[n:]
}
