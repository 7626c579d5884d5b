package prompted

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
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
