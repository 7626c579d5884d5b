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
	errNoObject = errors.New("it holds no whole JSON object of the form that was asked for")
	errSeveral  = errors.New("it holds several JSON objects that say different things")
)

// read takes the one JSON object of a schema out of a reply, wherever it stands:
// alone, in a fence, among prose, after thoughts, within another object, or in the
// field for thoughts where the text is empty. An object with none of the schema's
// keys, such as the schema itself, is none.
func read[T any](reply llm.Reply, s *schema) (value T, err error) {
	said := reply.Text
	if strings.TrimSpace(said) == "" {
		said = reply.Reasoning
	}
	var first json.RawMessage
	err = errNoObject
	for _, object := range objectsIn(said, s.keys) {
		var v T
		switch wrong := json.Unmarshal(object, &v); {
		case wrong != nil:
			if first == nil {
				err = wrong
			}
		case first == nil:
			first, value, err = object, v, nil
		case !same(first, object):
			var none T
			return none, errSeveral
		}
	}
	return value, err
}

// maxTries is how many brackets of a reply are tried for the beginning of a JSON
// value, so that no reply takes long to read.
const maxTries = 256

// objectsIn finds the JSON objects in a text that have one of the keys.
func objectsIn(said string, keys []string) []json.RawMessage {
	if whole := strings.TrimSpace(said); !strings.HasPrefix(whole, "{") || !json.Valid([]byte(whole)) {
		said = withoutThoughts(said) // in a whole object, "<think>" is a word like any other
	}
	var found []json.RawMessage
	for range maxTries {
		open := strings.IndexAny(said, "{[")
		if open < 0 {
			break
		}
		said = said[open:]
		value, size := mend(said)
		if value == nil {
			size = 1
		}
		found = append(found, objectsWithin(value, keys, maxWrapped)...)
		said = said[size:]
	}
	return found
}

// maxWrapped is how many objects an answer may stand within: {"result": {"answer": …}}.
const maxWrapped = 3

// objectsWithin are the objects with one of the keys that a value is or holds. A
// bare list of objects is taken as what the first key stands for.
func objectsWithin(value json.RawMessage, keys []string, depth int) []json.RawMessage {
	var members map[string]json.RawMessage
	var elements []map[string]json.RawMessage
	switch {
	case depth == 0:
	case json.Unmarshal(value, &members) == nil:
		if len(keys) == 0 || hasKey(members, keys) {
			return []json.RawMessage{value}
		}
		var found []json.RawMessage
		for _, member := range members {
			if bytes.HasPrefix(member, []byte("{")) {
				found = append(found, objectsWithin(member, keys, depth-1)...)
			}
		}
		return found
	case json.Unmarshal(value, &elements) != nil || len(elements) == 0 || len(keys) == 0:
	case len(elements) == 1 && hasKey(elements[0], keys):
		return []json.RawMessage{bytes.TrimSpace(value[1 : len(value)-1])}
	default:
		name, _ := json.Marshal(keys[0])
		return []json.RawMessage{bytes.Join([][]byte{{'{'}, name, {':'}, value, {'}'}}, nil)}
	}
	return nil
}

// hasKey tells whether an object has one of the keys, in whatever case.
func hasKey(members map[string]json.RawMessage, keys []string) bool {
	for _, key := range keys {
		if _, ok := members[key]; ok {
			return true
		}
		for name := range members {
			if strings.EqualFold(name, key) {
				return true
			}
		}
	}
	return false
}

// same tells whether two objects are the same but for white space.
func same(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// withoutThoughts leaves out what a model thought aloud, and what stands before the
// last message of several.
func withoutThoughts(said string) string {
	var aloud strings.Builder
	t := thoughts{said: func(text string) { aloud.WriteString(text) }, forget: aloud.Reset}
	t.write(said)
	t.end()
	said = aloud.String()
	const message = "<|message|>"
	if i := strings.LastIndex(said, message); i >= 0 {
		said = said[i+len(message):]
	}
	return said
}
