package prompted

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-rag/assay/text"
)

// thoughts passes on what a model says aloud, as it comes, without what it thinks
// between <think> and </think>, wherever in a reply that stands. A tag in backticks is
// text, so that an answer may speak of one.
type thoughts struct {
	said   func(text string) // wants what is said aloud
	forget func()            // all that was said so far was thought: its <think> stood in the prompt

	held   string // a tag that isn't complete
	inside bool   // of thoughts
	quoted bool   // a backtick stands right before
}

// thoughtTags are the names of the tags, the longest first.
var thoughtTags = []string{"thinking", "reasoning", "think"}

// write takes in more of a reply.
func (t *thoughts) write(piece string) {
	t.held += piece
	for t.held != "" {
		if i := strings.IndexByte(t.held, '<'); i != 0 {
			if i < 0 {
				i = len(t.held)
			}
			t.pass(i)
			continue
		}
		length, closes, partial := thoughtTag(t.held)
		switch {
		case partial:
			return
		case length == 0, t.quoted, !closes && t.inside:
			t.pass(1)
			continue
		case closes && !t.inside:
			t.forget()
		}
		t.inside = !closes
		t.held = t.held[length:]
	}
}

// end passes on what was held for a tag that never came.
func (t *thoughts) end() { t.pass(len(t.held)) }

// pass passes on the first n bytes held, or drops them within thoughts.
func (t *thoughts) pass(n int) {
	text := t.held[:n]
	t.held = t.held[n:]
	if text == "" {
		return
	}
	t.quoted = strings.HasSuffix(text, "`") && !t.inside
	if !t.inside {
		t.said(text)
	}
}

// thoughtTag reads the tag that a text begins with. partial tells that more of the
// text could make it one.
func thoughtTag(s string) (length int, closes, partial bool) {
	for _, tag := range thoughtTags {
		for _, form := range []string{"<" + tag + ">", "</" + tag + ">"} {
			switch {
			case len(s) >= len(form) && strings.EqualFold(s[:len(form)], form):
				return len(form), form[1] == '/', false
			case len(s) < len(form) && strings.EqualFold(s, form[:len(s)]):
				partial = true
			}
		}
	}
	return 0, false, partial
}

// wrapping passes on a text as it comes, without what some models put around a whole
// answer: a fence, an object with the answer in it, or both. What begins like one of
// these is held until it is clear that something stands beside it, or to the end.
type wrapping struct {
	said func(text string) // wants the text

	held []rune    // from the beginning on
	code codeLines // of what is held
	off  bool      // nothing is held any more
}

// write takes in more of a text.
func (w *wrapping) write(piece string) {
	for at, r := range piece {
		if w.off {
			w.said(piece[at:])
			return
		}
		w.held = append(w.held, r)
		w.code.next(r)
		if !w.mayWrap() {
			w.release(string(w.held))
		}
	}
}

// end passes on what was held, without its wrapping.
func (w *wrapping) end() {
	if !w.off {
		w.release(unwrapped(string(w.held)))
	}
}

// forget begins anew.
func (w *wrapping) forget() { *w = wrapping{said: w.said} }

func (w *wrapping) release(text string) {
	w.held, w.off = nil, true
	w.said(text)
}

// mayWrap tells whether what is held may still be a whole answer in a wrapping.
func (w *wrapping) mayWrap() bool {
	begins := strings.TrimLeftFunc(string(w.held[:min(len(w.held), longestOpening)]), unicode.IsSpace)
	if inner, ok := strings.CutPrefix(begins, "{"); ok {
		inner = strings.TrimSpace(inner)
		return inner == "" || inner[0] == '"'
	}
	if !strings.Contains(begins, "\n") {
		return opensText(begins)
	}
	return opensText(begins) && (w.code.within() || !w.code.begun) // nothing stands after the fence
}

// longestOpening is more than the opening of a wrapping has, in runes.
const longestOpening = 64

// textFences are what may stand behind a fence around a text. Any other fence is
// around code.
var textFences = []string{"", "json", "text", "txt", "markdown", "md"}

// opensText tells whether a text begins like a fence around a text, as far as it goes.
func opensText(s string) bool {
	line, _, whole := strings.Cut(s, "\n")
	for _, fence := range [...]string{"```", "~~~"} { // one of which may have come in part
		for _, name := range textFences {
			if opening := fence + name; strings.TrimSpace(line) == opening || !whole && strings.HasPrefix(opening, line) {
				return true
			}
		}
	}
	return false
}

// unwrapped is a text without the wrapping around it, or as it is where it has none.
func unwrapped(s string) string {
	inner, fenced := unfenced(strings.TrimSpace(s))
	if answer, ok := answerIn(inner); ok {
		return answer
	}
	if fenced && (isProse(inner) || !strings.ContainsFunc(inner, isWordRune)) {
		return inner
	}
	return s
}

// unfenced takes off the fence around a text, whose end may be cut off.
func unfenced(s string) (inner string, ok bool) {
	fence := text.Fence(s)
	_, inner, ok = strings.Cut(s, "\n")
	if fence == "" || !ok {
		return s, false
	}
	inner, after, _ := strings.Cut(inner, "\n"+fence)
	if strings.TrimSpace(after) != "" {
		return s, false
	}
	return strings.TrimSpace(inner), true
}

// isProse tells whether a text ends as sentences, marks, tables and NO_ANSWER do, and
// as code hardly ever does.
func isProse(s string) bool {
	last, _ := utf8.DecodeLastRuneInString(s)
	return strings.ContainsRune(stops+"]】|", last) && !json.Valid([]byte(s)) || saysNoAnswer(unit{text: s})
}

// member is a text or null in an object, with its name. It may be cut off.
var member = lazily(`[{,]\s*"([^"\\]*)"\s*:\s*(?:null|"((?:[^"\\]|\\.)*))`)

// answerIn reads the answer in an object that is all of a text, or whose end is cut off:
// what goes by one of the labels, or else by "text". An object of which something is said
// is no wrapping.
func answerIn(s string) (answer string, ok bool) {
	if !strings.HasPrefix(s, "{") {
		return "", false
	}
	if _, size := mend(s); size > 0 && strings.TrimSpace(s[size:]) != "" {
		return "", false
	}
	members := member().FindAllStringSubmatch(s, -1)
	for _, names := range [...][]string{labels, {"text"}} {
		for _, m := range members {
			if !slices.Contains(names, strings.ReplaceAll(bare(m[1]), "_", " ")) {
				continue
			}
			var texts []string
			quoted, _ := mend(`["` + m[2] + `"]`)
			if json.Unmarshal(quoted, &texts) == nil && len(texts) == 1 {
				return texts[0], true
			}
		}
	}
	return "", false
}
