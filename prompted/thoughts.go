package prompted

import "strings"

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
