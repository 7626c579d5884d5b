package evaluator

import (
	"slices"
	"sort"
	"strings"

	"github.com/assay-rag/assay/text"
)

// proposals lists searches to make, the most promising first.
func (w *rewriting) proposals() []string {
	expand := []string{w.expanded(), w.substituted(), w.otherForms()}
	focus := []string{w.focused()}
	loosen := []string{w.known(), w.subject(), w.rarest(3), w.rarest(2)}
	if w.found == 0 {
		return slices.Concat(expand, loosen, focus, []string{w.names(), w.rarest(1), w.withKind()})
	}
	return slices.Concat(expand, []string{w.subject()}, focus, []string{w.rarest(3), w.rarest(2), w.withKind()})
}

// join makes a search of words, without repetition.
func join(words []string) string {
	var out []string
	seen := map[string]bool{}
	for _, word := range strings.Fields(strings.Join(words, " ")) {
		if !seen[word] && len(out) < maxWords {
			seen[word] = true
			out = append(out, word)
		}
	}
	return strings.Join(out, " ")
}

// alternatives returns the keys of related words in the order of the question.
func (w *rewriting) keys() []string {
	low := strings.ToLower(w.question)
	var keys []string
	for k, list := range w.related {
		if len(list) > 0 && strings.Contains(low, k) {
			keys = append(keys, k)
		}
	}
	sort.Slice(keys, func(i, j int) bool {
		a, b := strings.Index(low, keys[i]), strings.Index(low, keys[j])
		return a < b || (a == b && keys[i] < keys[j])
	})
	return keys
}

// expanded adds to the words what the collection shows to stand for them.
func (w *rewriting) expanded() string {
	keys := w.keys()
	if len(keys) == 0 {
		return ""
	}
	var words []string
	for _, word := range w.words {
		if word.count > 0 {
			words = append(words, word.surface)
		}
	}
	for _, k := range keys {
		words = append(words, w.related[k][:min(perKey, len(w.related[k]))]...)
	}
	return join(words)
}

// substituted puts the first alternative in the place of each word that has one.
func (w *rewriting) substituted() string {
	keys := w.keys()
	if len(keys) == 0 {
		return ""
	}
	replaced := map[string]string{}
	for _, k := range keys {
		for i, part := range strings.Fields(text.Fold(k)) {
			if replaced[part] = ""; i == 0 {
				replaced[part] = w.related[k][0]
			}
		}
	}
	var words []string
	for _, word := range w.words {
		if other, ok := replaced[word.surface]; ok {
			words = append(words, other)
		} else if word.count > 0 {
			words = append(words, word.surface)
		}
	}
	return join(words)
}

// otherForms puts beside each word the forms of it that the collection holds:
// "reimbursement" for "reimburse".
func (w *rewriting) otherForms() string {
	if len(w.forms) == 0 {
		return ""
	}
	var words []string
	for _, word := range w.words {
		if word.count > 0 {
			words = append(words, word.surface)
		}
		forms := w.forms[word.surface]
		words = append(words, forms[:min(perKey, len(forms))]...)
	}
	return join(words)
}

// subject is the question without its frame.
func (w *rewriting) subject() string {
	var words []string
	for _, word := range w.words {
		if !word.frame || word.named {
			words = append(words, word.surface)
		}
	}
	return join(words)
}

// known leaves out what the collection doesn't hold.
func (w *rewriting) known() string {
	var words []string
	for _, word := range w.words {
		if word.count > 0 {
			words = append(words, word.surface)
		}
	}
	return join(words)
}

// focused keeps what no passage covered, with what stands for it, beside the
// rarest word.
func (w *rewriting) focused() string {
	if w.missing == "" {
		return ""
	}
	missing := termSet(text.Analyze(w.missing, w.language))
	var words []string
	anchor := w.rarest(1)
	for _, word := range w.words {
		if word.surface == anchor {
			words = append(words, anchor)
		} else if missing[word.term] && word.count > 0 {
			words = append(words, word.surface)
			words = append(words, w.related[word.surface]...)
			words = append(words, w.forms[word.surface]...)
		}
	}
	if len(words) < 2 {
		return "" // one word alone finds whatever holds it
	}
	return join(words)
}

// rarest keeps the n rarest words that the collection holds; where it doesn't
// tell, names and then the longest words.
func (w *rewriting) rarest(n int) string {
	var kept []queryWord
	for _, word := range w.words {
		if word.count > 0 && (!word.frame || word.named) {
			kept = append(kept, word)
		}
	}
	order := slices.Clone(kept)
	sort.SliceStable(order, func(i, j int) bool {
		a, b := order[i], order[j]
		switch {
		case w.counted && a.count != b.count:
			return a.count < b.count
		case a.named != b.named:
			return a.named
		}
		return len(a.surface) > len(b.surface)
	})
	order = order[:min(n, len(order))]
	var words []string
	for _, word := range kept {
		if slices.ContainsFunc(order, func(o queryWord) bool { return o.term == word.term }) {
			words = append(words, word.surface)
		}
	}
	return join(words)
}

// names keeps the names alone.
func (w *rewriting) names() string {
	var words []string
	for _, word := range w.words {
		if word.named && word.count > 0 {
			words = append(words, word.surface)
		}
	}
	return join(words)
}

// kindWords are what texts that answer a kind of question often hold, the surest
// sign first.
var kindWords = map[kind][]string{
	kindHowTo:      {"steps", "instructions", "guide"},
	kindDefinition: {"definition", "glossary", "overview"},
	kindNumber:     {"maximum", "limit", "number"},
	kindDate:       {"date", "deadline", "schedule"},
	kindWho:        {"contact", "responsible", "owner"},
	kindWhere:      {"location", "address"},
	kindWhy:        {"reason"},
	kindList:       {"overview", "list"},
	kindYesNo:      {"policy", "allowed"},
}

// withKind adds to the rarest words a word that texts of the kind asked for
// hold.
func (w *rewriting) withKind() string {
	rarest := w.rarest(3)
	if w.kindWord == "" || rarest == "" {
		return ""
	}
	return join([]string{rarest, w.kindWord})
}

// framePhrase is the beginning of a question that is not about its subject.
var framePhrase = lazily(`(?i)^.{0,30}?\b(?:what(?: is|'s|’s) the (?:\w+ )?(?:procedure|process|way|method|workflow|policy|rule|rules)(?: for| to| on| about)?|what are the (?:steps|rules|ways)(?: for| to)?|(?:tell|show|explain|help) me (?:about|how to|how)?|want to know|like to know|find out|(?:is there|are there) (?:any|a|an) (?:way|policy|rule|information)(?: to| on| about| for)?|what happens (?:if|when|to))\b`)
