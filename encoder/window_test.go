package encoder

import (
	"slices"
	"strings"
	"testing"
)

// TestWindowsCover: whatever the length, the windows of a text, and those of a pair,
// have each of its tokens, in order, and none is longer than it may be.
func TestWindowsCover(t *testing.T) {
	e, err := Load(Dir("testdata/tiny"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 700 {
		var b batch
		long := strings.Repeat("room ", n)
		e.addText(&b, 0, long)
		seen := 0
		for _, q := range b.sequences {
			seen += q.len() - 2
			if q.len() > e.maxTokens {
				t.Fatalf("%d tokens: a window of %d", n, q.len())
			}
		}
		if seen != n {
			t.Fatalf("%d tokens: the windows of the text have %d", n, seen)
		}
		for _, first := range []int{0, 7, 32} {
			checkPair(t, e, first, n)
		}
	}
}

// checkPair reads off the windows of a pair which tokens of the second text they
// hold: their places are told apart by what stands there.
func checkPair(t *testing.T, e *Encoder, first, n int) {
	t.Helper()
	words := strings.Fields("a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 6 7 8 9 the room kept by desk item")
	var second []string
	for i := range n {
		second = append(second, words[(i*i+i/len(words))%len(words)])
	}
	var b batch
	if err := e.addPair(&b, 0, Pair{A: strings.Repeat("who ", first), B: strings.Join(second, " ")}); err != nil {
		t.Fatal(err)
	}
	want := e.tokenizer.tokens(nil, strings.Join(second, " "))
	at, end := 0, 0 // where the present window starts, and how far the ones before have read
	for i, q := range b.sequences {
		if q.len() > e.maxTokens {
			t.Fatalf("%d and %d tokens: a window of %d", first, n, q.len())
		}
		part := b.tokens[q.start+2+first : q.end-1]
		for at+len(part) <= len(want) && !slices.Equal(part, want[at:at+len(part)]) {
			at++
		}
		if i == 0 && at != 0 || at > end || at+len(part) > len(want) {
			t.Fatalf("%d and %d tokens: window %d starts at %d, and the ones before end at %d", first, n, i, at, end)
		}
		end = at + len(part)
	}
	if end != len(want) {
		t.Fatalf("%d and %d tokens: the windows end at %d", first, n, end)
	}
}
