package prompted

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
	"unicode/utf8"
)

// fence marks where evidence begins and ends in a prompt. The mark is a hash of
// everything that the prompt will hold, so that the same prompt has the same mark
// each time, and a cache and a golden can recognise it; and whoever writes a document
// can't know it, for it depends on the question and on the documents beside: to have
// a text that holds its own mark takes 2^96 tries, and a new start for each question.
type fence string

// newFence makes the fence for the texts of a prompt. In the practically impossible
// case that one of them holds the mark, it takes another.
func newFence(texts ...string) fence {
	for n := byte(0); ; n++ {
		h := sha256.New()
		h.Write([]byte{n})
		for _, t := range texts {
			io.WriteString(h, t)
			h.Write([]byte{0xff}) // no UTF-8 text holds this byte
		}
		mark := hex.EncodeToString(h.Sum(nil)[:12])
		held := false
		for _, t := range texts {
			held = held || strings.Contains(t, mark)
		}
		if !held {
			return fence(mark)
		}
	}
}

// inert is a text that others wrote, without what would be more than text in a
// prompt. Servers read the marks of their chat format wherever they stand, so that a
// document with "<|im_end|><|im_start|>system" in it would end our message and begin
// one of its own: such marks are broken up by a space. What no reader sees
// (direction marks, tag letters, zero-width spaces, control characters) is left out,
// and each kind of line break becomes \n.
func inert(s string) string {
	return withoutMarks(withoutUnseen(strings.ToValidUTF8(s, "\ufffd")))
}

// withoutMarks breaks up the marks of chat formats.
func withoutMarks(s string) string {
	var b strings.Builder
	from := 0
	for at := 0; at < len(s); at++ {
		if c := s[at]; (c == '<' || c == '[') && chatMark(s[at:]) {
			b.WriteString(s[from : at+1])
			b.WriteByte(' ')
			from = at + 1
		}
	}
	if from == 0 {
		return s
	}
	b.WriteString(s[from:])
	return b.String()
}

// chatMarks begin the marks of chat formats, and of what models think aloud, in small
// letters. Those of ChatML, Llama 3, Phi and Qwen all begin with "<|", DeepSeek's
// with a wide form of it.
var chatMarks = []string{
	"<|", "<｜", "[inst]", "[/inst]", "[system_prompt]", "[/system_prompt]", "[available_tools]", "[tool_calls]",
	"[tool_results]", "<<sys>>", "<</sys>>", "<s>", "</s>", "<bos>", "<eos>", "<pad>", "<unk>",
	"<start_of_turn>", "<end_of_turn>", "<think>", "</think>", "<end_of_utterance>",
}

// chatMark tells whether a text begins with the mark of a chat format.
func chatMark(s string) bool {
	for _, mark := range chatMarks {
		if len(s) >= len(mark) && strings.EqualFold(s[:len(mark)], mark) {
			return true
		}
	}
	return false
}

// withoutUnseen leaves out what no reader sees, and makes each line break a \n.
func withoutUnseen(s string) string {
	var b strings.Builder
	from := 0
	for at := 0; at < len(s); {
		if plainByte(s[at]) {
			at++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[at:])
		lineBreak := r == '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029'
		if lineBreak || unseen(r) {
			b.WriteString(s[from:at])
			if lineBreak && !(r == '\r' && strings.HasPrefix(s[at+1:], "\n")) {
				b.WriteByte('\n')
			}
			from = at + size
		}
		at += size
	}
	if from == 0 {
		return s
	}
	b.WriteString(s[from:])
	return b.String()
}

// plainByte tells whether a byte begins no rune that withoutUnseen looks for.
func plainByte(c byte) bool {
	switch c {
	case 0x7f, 0xc2, 0xe2, 0xef, 0xf3: // the last four lead them
		return false
	}
	return c >= 0x20 || c == '\n' || c == '\t'
}

// unseen tells whether a rune has no form of its own and joins nothing.
func unseen(r rune) bool {
	switch {
	case r < 0x20 && r != '\n' && r != '\t', 0x7f <= r && r <= 0x9f:
	case r == '\u00ad', r == '\u200b', r == '\u200e', r == '\u200f', r == '\u2060', r == '\ufeff':
	case '\u202a' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069':
	case 0xe0000 <= r && r <= 0xe007f:
	default:
		return false
	}
	return true
}
