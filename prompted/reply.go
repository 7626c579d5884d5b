package prompted

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/assay-rag/assay/llm"
)

// What is wrong with a reply that can't be read.
var (
	errNoObject = errors.New("it holds no whole JSON object")
	errSeveral  = errors.New("it holds several JSON objects that say different things")
)

// read takes the JSON object out of a reply, wherever it stands: alone, in a fence,
// among prose, after thoughts, or in the field for thoughts where the text is empty.
func read[T any](reply llm.Reply) (value T, err error) {
	object, err := objectIn(reply.Text)
	if strings.TrimSpace(reply.Text) == "" && reply.Reasoning != "" {
		object, err = objectIn(reply.Reasoning)
	}
	if err != nil {
		return value, err
	}
	err = json.Unmarshal(object, &value)
	return value, err
}

// objectIn finds the one JSON object in a text. One that is cut off is none: what
// its end would have said isn't ours to guess.
func objectIn(text string) (json.RawMessage, error) {
	if whole := strings.TrimSpace(text); strings.HasPrefix(whole, "{") && json.Valid([]byte(whole)) {
		return json.RawMessage(whole), nil // "<think>" in it is a word like any other
	}
	text = withoutThoughts(text)
	var found json.RawMessage
	for at := 0; ; {
		open := strings.IndexByte(text[at:], '{')
		if open < 0 {
			break
		}
		at += open
		object, ok := objectAt(text[at:])
		if !ok {
			at++
			continue
		}
		if found != nil && !same(found, object) {
			return nil, errSeveral
		}
		found = object
		at += len(object)
	}
	if found == nil {
		return nil, errNoObject
	}
	return found, nil
}

// objectAt reads the JSON object that a text begins with.
func objectAt(text string) (json.RawMessage, bool) {
	var object json.RawMessage
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&object); err != nil {
		return nil, false
	}
	return object, true
}

// same tells whether two objects are the same but for white space.
func same(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// withoutThoughts leaves out what a model thought aloud: up to the last </think>, and
// from a <think> that nothing closes.
func withoutThoughts(text string) string {
	for _, tag := range []string{"think", "thinking", "reasoning"} {
		if i := strings.LastIndex(text, "</"+tag+">"); i >= 0 {
			text = text[i+len(tag)+3:]
		}
		if i := strings.Index(text, "<"+tag+">"); i >= 0 {
			text = text[:i]
		}
	}
	return text
}
