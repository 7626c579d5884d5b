package adversary

import "strings"

// auxiliaries change places with the subject in a question.
var auxiliaries = map[string]bool{"is": true, "are": true, "was": true, "were": true, "can": true, "may": true, "must": true, "will": true, "should": true}

// plainVerbs are verbs that a question with "do" or "does" is made of. Words that
// are more often nouns in the form with s are not among them.
var plainVerbs = wordSet(`
	accept allow apply arrive bear become begin belong block bring carry charge close collect come connect
	consist consume contain cost cover create default delete depend die drop earn emit end enter exceed
	expire fail fill finish fit fly generate get give go grow guarantee handle happen have hold ignore include
	increase install keep last lapse leave let lie limit live load lock lose make maintain measure meet move
	need occupy offer open overwrite pay permit poll post produce provide publish purge queue reach read
	receive refresh refuse reject remain remove renew repeat replace report require reset respond retain retry
	return rotate run save seat send serve shut sleep spread start stay stop store supply support switch take
	treat trigger try use wait wake weigh work write`)

// bareVerb returns the bare form of a verb, and whether it stands in the third
// person: "takes", not "take".
func bareVerb(word string) (bare string, third, ok bool) {
	if word == "has" {
		return "have", true, true
	}
	if plainVerbs[word] {
		return word, false, true
	}
	for _, ending := range [...]struct{ cut, put string }{{"ies", "y"}, {"es", ""}, {"s", ""}} {
		if stem, found := strings.CutSuffix(word, ending.cut); found && plainVerbs[stem+ending.put] {
			return stem + ending.put, true, true
		}
	}
	return "", false, false
}

// attributes are nouns that a thing has one value of: "the weight of X".
var attributes = wordSet(`
	accuracy age allowance altitude amount availability bandwidth budget capacity charge cost credit cutoff
	deadline default delay delimiter depth deposit diameter discount distance duration expiry fee frequency
	height interval latency lease length life lifetime limit maximum minimum notice number overhead
	penalty percentage period port precision premium price quota radius range rate ratio retention salary
	size speed temperature threshold timeout turnaround value version voltage volume warranty weight width`)

// hasAttribute tells whether the head of a noun phrase is an attribute.
func hasAttribute(phrase string) bool { return attributes[lastWord(headOf(strings.ToLower(phrase)))] }

// headOf is a noun phrase up to its first preposition: its last word is the head.
func headOf(phrase string) string {
	for _, cut := range [...]string{" of ", " for ", " in ", " on ", " per ", " with ", " from ", " at "} {
		phrase, _, _ = strings.Cut(phrase, cut)
	}
	return phrase
}

// collective nouns take the verb of a plural.
var collective = wordSet("staff people children police")

// articles may begin a noun phrase.
var articles = wordSet("a an the each every our your all any")

// vague refer to something outside the sentence.
var vague = wordSet(`
	it its they them their theirs this these that those he she him her his which who whom whose what here there
	next previous current existing provided given specified resulting corresponding such same other others another above below following latter former former one ones so then thus`)

// prepositions may begin what comes after a value.
var prepositions = wordSet("a an of for from per in on with at before after by to each without during into until under between inside outside against")

// notNouns begin a sentence, and no subject.
var notNouns = wordSet(`
	note please otherwise however instead therefore hence moreover furthermore example examples e.g i.e first second
	finally usually often sometimes always never currently today later next unless although because whenever
	according given depending unlike despite due let see use make add run set try don't do not nothing nobody
	something someone everything everyone most some many few several two three four five six seven eight nine ten both either neither
	ensure only also even just still yet maybe perhaps more less support supports`)

func wordSet(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(s) {
		out[w] = true
	}
	return out
}
