package openai

import (
	"encoding/json"
	"testing"
)

// TestTokensAreTheirBytes: a token may be a part of a letter, which its text can't
// show, so that all tokens together are the text.
func TestTokensAreTheirBytes(t *testing.T) {
	got := logProbs(json.RawMessage(`{"content":[
		{"token":"\ufffd","bytes":[240,159,145],"logprob":-0.5,"top_logprobs":[{"token":"\ufffd","bytes":[240,159,145],"logprob":-0.5},{"token":"no","bytes":null,"logprob":-2},{"token":"unknown","logprob":null}]},
		{"token":"\ufffd","bytes":[139],"logprob":-0.1},
		{"token":"!","bytes":null,"logprob":-0.2},
		{"token":"?"}]}`))
	text := ""
	for _, p := range got {
		text += p.Token
	}
	if text != "👋!" || len(got[0].Top) != 2 || got[0].Top[0].Token != got[0].Token || got[0].Top[1].LogProb != -2 {
		t.Errorf("%q: %+v", text, got)
	}
}

// TestLogProbsOfAnyForm: what can't be read costs the log-probabilities at most.
func TestLogProbsOfAnyForm(t *testing.T) {
	for raw, want := range map[string]int{
		``: 0, `null`: 0, `[]`: 0, `{"content":null}`: 0, `{"content":[{"token":7,"logprob":-1}]}`: 1,
		`{"tokens":["a","b"],"token_logprobs":[null,-1],"top_logprobs":[null,{"b":-1,"c":null}]}`: 1,
		`{"tokens":["a","b"],"token_logprobs":[-2]}`:                                              1,
		`{"content":[{"token":"a"`:                                                                0,
	} {
		if got := logProbs(json.RawMessage(raw)); len(got) != want {
			t.Errorf("%s: %+v", raw, got)
		}
	}
}
