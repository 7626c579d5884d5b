package evaluator

import (
	"strings"
	"unicode"

	"github.com/assay-rag/assay/text"
)

// kind is the kind of answer that a question asks for.
type kind string

// The kinds of question. A question in a language without a table here is
// kindOther, which asks for nothing in particular.
const (
	kindHowTo      kind = "how-to"     // steps to take
	kindDefinition kind = "definition" // what a thing is
	kindNumber     kind = "number"     // a quantity, an amount, a duration
	kindDate       kind = "date"       // a point in time
	kindYesNo      kind = "yes-no"
	kindWho        kind = "who"
	kindWhere      kind = "where"
	kindWhy        kind = "why"
	kindList       kind = "list" // several things
	kindOther      kind = "other"
)

// cue is a run of folded words that shows the kind of a question. A word may
// name alternatives with "|".
type cue struct {
	words string
	kind  kind
}

// leads are cues that count wherever a clause of the question holds them; the
// earliest in the question wins, and of those the first in this table. English,
// then German, French and Spanish.
var leads = compile([]cue{
	{"how many|much|long|often|old|far|big|large|tall|high|fast|soon|late|wide|deep|heavy|frequently|quickly|close", kindNumber},
	{"how come", kindWhy},
	{"how", kindHowTo},
	{"what|which year|date|day|month|time|decade|century|weekday", kindDate},
	{"what|which percentage|percent|number|amount|age|price|size|proportion|fraction|share", kindNumber},
	{"what|which city|country|place|state|room|building|location|continent|town|region|folder|directory|county", kindWhere},
	{"what|which person|people|team|manager|employee|author|role|president|king|queen|actor|actress|singer", kindWho},
	{"what is|are|was|were the procedure|process|way|ways|steps|step|method|workflow", kindHowTo},
	{"what steps", kindHowTo},
	{"what do|should|must i|we|you|one do", kindHowTo},
	{"what is|was|are the number|amount|cost|price|fee|rate|percentage|limit|maximum|minimum|max|min|size|length|duration|population|height|weight|distance|salary|age|budget|speed|quota|timeout|allowance", kindNumber},
	{"what is|was the date|deadline|year|day|birthday", kindDate},
	{"what is|was|are the reason|reasons|cause|causes|purpose", kindWhy},
	{"what caused|causes", kindWhy},
	{"what does|do|did * mean", kindDefinition},
	{"what does|do|did * stand for", kindDefinition},
	{"what is|are|was meant by", kindDefinition},
	{"what is|are|was the definition|meaning", kindDefinition},
	{"what are|were the", kindList},
	{"what|which kinds|types|sorts|options|items|things|documents|features|languages|formats|platforms|countries|members", kindList},
	{"what is|are|was|were", kindDefinition}, // narrowed by definition below
	{"who|whom|whose", kindWho},
	{"where", kindWhere},
	{"when is|are|was|were|do|does|did|will|can|could|should|must|may|has|have|had|would|shall", kindDate},
	{"until|since|by when", kindDate},
	{"why", kindWhy},
	{"for what reason", kindWhy},
	{"what", kindOther},
	{"which", kindOther},
	{"steps to|for", kindHowTo},

	{"wie viel|viele|lange|oft|hoch|gross|alt|weit|lang|schnell|teuer", kindNumber},
	{"wieviel|wieviele", kindNumber},
	{"wie", kindHowTo},
	{"was ist|sind|bedeutet|heisst", kindDefinition},
	{"was kostet|kosten", kindNumber},
	{"wer|wem|wen|wessen", kindWho},
	{"wo|wohin|woher", kindWhere},
	{"wann", kindDate},
	{"warum|weshalb|wieso", kindWhy},
	{"welches jahr", kindDate},
	{"welchem|welchen jahr|datum|tag|monat", kindDate},
	{"welche", kindList},

	{"combien", kindNumber},
	{"qu est ce qu|que", kindDefinition},
	{"c est quoi", kindDefinition},
	{"est ce que|qu", kindYesNo},
	{"comment", kindHowTo},
	{"qui", kindWho},
	{"où", kindWhere}, // not "ou", which is "or"
	{"quand", kindDate},
	{"pourquoi", kindWhy},
	{"quelle|quel annee|date|jour|heure|mois", kindDate},
	{"quels|quelles", kindList},

	{"cuanto|cuantos|cuanta|cuantas", kindNumber},
	{"por que", kindWhy},
	{"que es|son|significa", kindDefinition},
	{"como", kindHowTo},
	{"quien|quienes", kindWho},
	{"donde|adonde", kindWhere},
	{"cuando", kindDate},
	{"cuales", kindList},
})

// openings are cues that count only where a clause begins: imperatives, and the
// verbs that make a clause a yes-or-no question.
var openings = compile([]cue{
	{"define", kindDefinition},
	{"explain what", kindDefinition},
	{"meaning|definition of", kindDefinition},
	{"list|enumerate", kindList},
	{"name the|all|every|some", kindList},
	{"give me all|a|the list|every", kindList},
	{"show me how", kindHowTo},
	{"whether|if", kindYesNo}, // after an indirect frame only; see clauses
	{"is|are|was|were|am|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|had|isn|aren|don|doesn|didn|can't|won|cannot", kindYesNo},
	{"ist|sind|hat|haben|habe|kann|konnen|darf|durfen|muss|mussen|soll|sollte|gibt|wird|werden|bekomme|bekommt|gilt|gelten", kindYesNo},
	{"peut|peux|puis|dois|doit|faut|y a", kindYesNo},
	{"puedo|puede|pueden|debo|debe|hay|tengo|tiene|existe", kindYesNo},
})

// frames are the polite beginnings before an indirect question.
var frames = compile([]cue{
	{"can|could|would|will you please tell|explain|show|describe me|us", ""},
	{"can|could|would|will you please tell|explain|show|describe", ""},
	{"can|could|would|will you tell|explain|show|describe me|us", ""},
	{"can|could|would|will you tell|explain|show|describe", ""},
	{"do|does you|anyone|anybody|someone know", ""},
	{"please tell|explain|show|describe me|us", ""},
	{"please", ""},
	{"tell|show me|us", ""},
	{"i want|need to know|find|understand out", ""},
	{"i want|need to know|understand", ""},
	{"i would|d like to know|understand", ""},
	{"i am|m wondering", ""},
	{"i wonder", ""},
	{"konnen sie|du mir sagen", ""},
	{"kannst du mir sagen", ""},
	{"pouvez vous me dire", ""},
	{"puedes|puede decirme", ""},
})

// pattern is a compiled cue: one set of alternatives a word; "*" stands for one
// to four words.
type pattern struct {
	words [][]string
	kind  kind
}

func compile(cues []cue) []pattern {
	out := make([]pattern, len(cues))
	for i, c := range cues {
		out[i].kind = c.kind
		for _, w := range strings.Fields(c.words) {
			out[i].words = append(out[i].words, strings.Split(w, "|"))
		}
	}
	return out
}

// match returns how many of the words the pattern takes, 0 where it does not
// fit at their beginning.
func (p pattern) match(words []string) int { return matchWords(p.words, words) }

func matchWords(want [][]string, words []string) int {
	for i, alternatives := range want {
		if alternatives[0] == "*" {
			for skip := 1; skip <= 4 && i+skip < len(words); skip++ {
				if n := matchWords(want[i+1:], words[i+skip:]); n > 0 {
					return i + skip + n
				}
			}
			return 0
		}
		if i >= len(words) || !oneOf(words[i], alternatives) {
			return 0
		}
	}
	return len(want)
}

func oneOf(word string, alternatives []string) bool {
	for _, a := range alternatives {
		if a == word {
			return true
		}
	}
	return false
}

// kindOf tells what kind of answer the question asks for. It reads the last
// sentence that has a question mark, or else the whole text.
func kindOf(question string) kind {
	parts := clauses(questionSentence(question))
	for _, words := range parts {
		for at := range words {
			rest := words[at:]
			for _, p := range leads {
				if p.match(rest) > 0 {
					return narrowed(p.kind, rest)
				}
			}
			if at > 0 {
				continue
			}
			for _, p := range openings {
				if p.match(rest) > 0 {
					return p.kind
				}
			}
		}
	}
	for _, words := range parts {
		if len(words) > 0 && words[0] == "when" {
			return kindDate
		}
	}
	return kindOther
}

// narrowed takes back what the table says too freely: "what is X" asks for a
// definition only where X is short and no property of something else ("the
// capital of France").
func narrowed(k kind, words []string) kind {
	if k != kindDefinition || len(words) < 3 || words[0] != "what" || !oneOf(words[1], []string{"is", "are", "was", "were"}) {
		return k
	}
	rest := words[2:]
	if oneOf("s", rest) { // a property: "what is the plan's limit", "what is Ada's job"
		return kindOther
	}
	if oneOf(rest[0], []string{"meant", "the"}) && len(rest) > 1 && oneOf(rest[1], []string{"by", "definition", "meaning"}) {
		return k
	}
	if rest[0] == "the" || oneOf(rest[0], []string{"my", "our", "your", "their", "his", "her", "its"}) || len(rest) > 5 {
		return kindOther
	}
	return k
}

// questionSentence is the last sentence with a question mark, or all of s.
func questionSentence(s string) string {
	end := strings.LastIndexAny(s, "?？")
	if end < 0 {
		return s
	}
	start := strings.LastIndexAny(s[:end], ".!?;\n")
	if start >= 0 && end-start < 4 { // "really??"
		start = -1
	}
	sentence := s[start+1 : end]
	if strings.ContainsFunc(sentence, unicode.IsLetter) {
		return sentence
	}
	return s
}

// clauses cuts a sentence into clauses of folded words: at commas, colons and
// dashes between words, without indirect frames and without leading
// subordinate clauses ("if I am ill, …").
func clauses(s string) [][]string {
	var out [][]string
	cut := func(r rune) bool { return strings.ContainsRune(",;:.!?？¿¡()–—\n", r) }
	for _, part := range strings.FieldsFunc(s, cut) {
		words := questionWords(part)
		framed := false
		for _, f := range frames {
			if n := f.match(words); n > 0 && n < len(words) {
				words, framed = words[n:], true
				break
			}
		}
		if len(words) == 0 {
			continue
		}
		if !framed && oneOf(words[0], []string{"if", "whether"}) && len(words) > 1 {
			continue
		}
		for len(words) > 1 && oneOf(words[0], []string{"and", "or", "but", "so", "then", "hi", "hello", "hey", "und", "et", "y"}) {
			words = words[1:]
		}
		out = append(out, words)
	}
	return out
}

// questionWords are the folded words of s, contractions taken apart: "what's" is
// "what is".
func questionWords(s string) []string {
	apart := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }
	words := strings.FieldsFunc(strings.ToLower(s), apart)
	for i, w := range words {
		if w == "où" {
			continue
		}
		words[i] = text.Fold(w)
		if w == "s" && i > 0 && oneOf(words[i-1], []string{"what", "who", "where", "when", "how", "why"}) {
			words[i] = "is"
		}
	}
	return words
}
