package wire

import (
	"errors"
	"strings"
	"testing"

	"github.com/assay-rag/assay/llm"
)

// talk says the pieces and returns what the caller hears, at most some chunks of it.
func talk(r llm.Request, most int, pieces []string, end llm.Reply, failed error) (heard []string, reply *llm.Reply, said int, err error) {
	n := 0
	new(Client).Generate(r, func(c llm.Chunk, e error) bool {
		n++
		if c.Text != "" {
			heard = append(heard, c.Text)
		}
		reply, err = c.Reply, e
		return n < most
	}, func(t *Talk) (llm.Reply, error) {
		for _, p := range pieces {
			said++
			if p == "" && !t.Alive() || p != "" && !t.Say(p) {
				break
			}
		}
		return end, failed
	})
	return heard, reply, said, err
}

func TestTalkStops(t *testing.T) {
	for _, c := range []struct {
		stop    string // several by |
		pieces  string // several by |
		heard   string
		said    int // how many pieces the server could say
		stopped bool
	}{
		{"", "a|b|c", "abc", 3, false},
		{"END", "one EN|D two|three", "one ", 2, true},
		{"END", "one EN|T two", "one ENT two", 2, false},
		{"END", "E|N|E|N|D|x", "EN", 5, true},
		{"END", "one EN", "one EN", 1, false},
		{"\n\n", "a\n|\nb", "a", 2, true},
		{"bc|b", "abcd", "a", 1, true},
		{"bcd|b", "a|b|c", "a", 2, true},
		{"abc|x", "ab|y|x", "aby", 3, true},
		{"END", "END", "", 1, true},
	} {
		r := llm.Request{Stream: true, Stop: strings.FieldsFunc(c.stop, func(r rune) bool { return r == '|' }), Prompt: "p"}
		heard, reply, said, err := talk(r, 99, strings.Split(c.pieces, "|"), llm.Reply{Finish: llm.FinishLength}, nil)
		if text := strings.Join(heard, ""); err != nil || reply == nil || text != c.heard || reply.Text != text || said != c.said {
			t.Errorf("%q at %q: heard %q, %d pieces said, %+v, %v", c.pieces, c.stop, heard, said, reply, err)
		} else if (reply.Finish == llm.FinishStop) != c.stopped {
			t.Errorf("%q at %q: it ends as %s", c.pieces, c.stop, reply.Finish)
		}
	}
}

// TestTalkOfACallerWhoLeaves: no piece is said after that, and no error told.
func TestTalkOfACallerWhoLeaves(t *testing.T) {
	for most := 1; most <= 3; most++ {
		_, reply, said, err := talk(llm.Request{Stream: true, Prompt: "p"}, most, []string{"a", "", "b", "c"}, llm.Reply{}, errors.New("late"))
		if said != most || reply != nil || err != nil {
			t.Errorf("leaving at %d: %d pieces were said, %v, %v", most, said, reply, err)
		}
	}
	if _, _, said, err := talk(llm.Request{Stream: true, Prompt: "p"}, 99, []string{"a", "b"}, llm.Reply{}, errors.New("late")); said != 2 || err == nil {
		t.Errorf("staying: %d pieces, %v", said, err)
	}
}

func TestTalkCuts(t *testing.T) {
	r := llm.Request{Prompt: "p", Stop: []string{"c"}}
	tokens := []llm.TokenLogProb{{Token: "a"}, {Token: "b"}, {Token: "c"}, {Token: "d"}}
	heard, reply, _, err := talk(r, 99, []string{"abcd"}, llm.Reply{LogProbs: tokens, Tokens: llm.Tokens{In: 1, Out: 4}}, nil)
	if err != nil || len(heard) > 0 || reply.Text != "ab" || len(reply.LogProbs) != 2 || reply.Tokens.Estimated {
		t.Errorf("%q, %+v, %v", heard, reply, err)
	}
}

// TestTalkHidesKeys: a key is hidden in however many pieces it comes, also before a
// stop; what only begins like one comes through.
func TestTalkHidesKeys(t *testing.T) {
	c := New(Options{Secrets: []string{"sesame-open-42"}})
	for _, k := range []struct{ pieces, heard string }{
		{"sesame-open-42", "[key]"},
		{"it is sesame-|open|-42!", "it is [key]!"},
		{"s|e|s|a|m|e|-|o|p|e|n|-|4|2|s|e", "[key]se"},
		{"sesame-open-|43", "sesame-open-43"},
		{"sesame-open-4", "sesame-open-4"},
		{"ses|sesame-open-42END more", "ses[key]"},
	} {
		r := llm.Request{Prompt: "p", Stop: []string{"END"}, Stream: true}
		var heard string
		var reply *llm.Reply
		c.Generate(r, func(c llm.Chunk, err error) bool {
			heard += c.Text
			reply = c.Reply
			return true
		}, func(talk *Talk) (llm.Reply, error) {
			for p := range strings.SplitSeq(k.pieces, "|") {
				talk.Say(p)
			}
			return llm.Reply{LogProbs: []llm.TokenLogProb{{Token: "s"}}}, nil
		})
		hidden := strings.Contains(heard, "[key]")
		if heard != k.heard || reply.Text != heard || hidden != (reply.LogProbs == nil) {
			t.Errorf("%q: heard %q, %+v", k.pieces, heard, reply)
		}
	}
}

func TestUnasked(t *testing.T) {
	user := func(s string) []llm.Message { return []llm.Message{{Role: llm.User, Text: s}} }
	for _, c := range []struct {
		r  llm.Request
		ok bool
	}{
		{llm.Request{}, false}, {llm.Request{Messages: user(" \n")}, false}, {llm.Request{Messages: user("x"), Prompt: "y"}, false},
		{llm.Request{Messages: user("x")}, true}, {llm.Request{Prompt: " "}, true},
	} {
		if got := Unasked(c.r); (got == "") != c.ok {
			t.Errorf("%+v: %q", c.r, got)
		}
	}
}
