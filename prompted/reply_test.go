package prompted

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-rag/assay/llm"
)

// A reply of the form gradeOne, as models write it.
var gradeReplies = []struct {
	name            string
	text, reasoning string
	score           float64 // -1: nothing can be read
	reason          string
}{
	{name: "plain", text: `{"sentences":[2],"reason":"relevant","score":0.9}`, score: 0.9, reason: "relevant"},
	{name: "without what can be done without", text: `{"reason":"stale","score":0.3}`, score: 0.3, reason: "stale"},
	{name: "in a fence", text: "Sure:\n```json\n{\"reason\": \"irrelevant\", \"score\": 0}\n```\nAnything else?", score: 0, reason: "irrelevant"},
	{name: "in a fence without a language", text: "```\n{\"reason\": \"relevant\", \"score\": 1}\n```", score: 1, reason: "relevant"},
	{name: "after another fence", text: "First I ran\n```sh\njq '{a: .b}' <x\n```\nand then\n```json\n{\"score\": 0.8, \"reason\": \"relevant\"}\n```", score: 0.8, reason: "relevant"},
	{name: "after thoughts with an object", text: "<think>Maybe {\"score\": 0.1}?</think>\n{\"score\": 0.7, \"reason\": \"relevant\"}", score: 0.7, reason: "relevant"},
	{name: "after thoughts that nothing opened", text: "hm, {\"score\": 0.2} no</think> {\"score\": 0.6}", score: 0.6},
	{name: "in thoughts that nothing closes", text: "<think>so {\"score\": 0.3, \"reason\": \"stale\"} it is, or", score: -1},
	{name: "before thoughts", text: "{\"score\": 0.3}\n<think>or {\"score\": 0.4}?</think>", score: 0.3},
	{name: "a tag within a string", text: `{"score": 0.9, "reason": "it explains </think> and <think>"}`, score: 0.9, reason: "it explains </think> and <think>"},
	{name: "channels", text: `<|channel|>analysis<|message|>{"score": 0.1}<|end|><|channel|>final<|message|>{"score": 0.8}`, score: 0.8},
	{name: "in the field for thoughts", reasoning: `It is old. {"score": "0.4", "reason": "Stale."}`, score: 0.4, reason: "Stale."},
	{name: "the text counts, not the thoughts", text: `{"score": 0.5}`, reasoning: `{"score": 0.1}`, score: 0.5},
	{name: "cut off", text: `{"score": 0.5, "reason": "insuf`, score: -1},
	{name: "cut off after the score", text: `{"score": 0.5`, score: -1},
	{name: "nothing", text: " \n", score: -1},
	{name: "prose", text: "The passage is relevant; I would give it 0.9.", score: -1},
	{name: "a refusal", text: "I can't assist with that.", score: -1},
	{name: "the number in quotes", text: `{"score": " 0.85 "}`, score: 0.85},
	{name: "not a number", text: `{"score": NaN, "reason": "relevant"}`, score: -1, reason: "relevant"},
	{name: "null", text: `{"score": null}`, score: -1},
	{name: "out of range", text: `{"score": 85}`, score: -1},
	{name: "a word for a number", text: `{"score": "high", "reason": "relevant"}`, score: -1, reason: "relevant"},
	{name: "two that differ", text: `{"score": 0.2} or rather {"score": 0.7}`, score: -1},
	{name: "the same twice", text: "{\"score\": 0.2}\n```json\n{ \"score\": 0.2 }\n```", score: 0.2},
	{name: "the schema first", text: `{"type":"object","properties":{"score":{"type":"number"},"reason":{"type":"string"}}} {"score": 0.4}`, score: 0.4},
	{name: "the schema alone", text: `{"type":"object","required":["score"],"properties":{"score":{"type":"number"}}}`, score: -1},
	{name: "within the form of a schema", text: `{"type":"object","properties":{"score": 0.4, "reason": "insufficient"}}`, score: 0.4, reason: "insufficient"},
	{name: "within another object", text: `{"result": {"grade": {"score": 0.4}}}`, score: 0.4},
	{name: "in a list", text: `[{"score": 0.4}]`, score: 0.4},
	{name: "another object beside it", text: `{"tool": "none"} {"score": 0.4}`, score: 0.4},
	{name: "capitals in the keys", text: `{"Score": 0.4, "Reason": "Irrelevant"}`, score: 0.4, reason: "Irrelevant"},
	{name: "a comma too much", text: `{"sentences": [1, 2, ], "score": 0.4, }`, score: 0.4},
	{name: "as Python writes it", text: `{"sentences": None, "score": 0.4}`, score: 0.4},
	{name: "single quotes are no JSON", text: `{'score': 0.4}`, score: -1},
	{name: "a line break in a string", text: "{\"reason\": \"rele\nvant\", \"score\": 0.4}", score: 0.4, reason: "rele\nvant"},
	{name: "a mark of byte order", text: "\ufeff{\"score\": 0.4}", score: 0.4},
}

func TestRead(t *testing.T) {
	for _, c := range gradeReplies {
		t.Run(c.name, func(t *testing.T) {
			r, err := read[gradeReply](llm.Reply{Text: c.text, Reasoning: c.reasoning}, gradeOne)
			score, ok := r.Score.within(0, 1)
			switch {
			case c.score < 0 && ok && err == nil:
				t.Errorf("read as %v", score)
			case c.score >= 0 && (err != nil || !ok || score != c.score):
				t.Errorf("got %v, %v, %v; want %v", score, ok, err, c.score)
			}
			if string(r.Reason) != c.reason {
				t.Errorf("the reason is %q, want %q", r.Reason, c.reason)
			}
		})
	}
}

// A reply with a list, of the form that claims are judged in.
func TestReadList(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain", `{"claims":[{"claim":1,"support":"full"},{"claim":2,"support":"none"}]}`, "1=full 2=none"},
		{"a bare list", `[{"claim":1,"support":"full"},{"claim":2,"support":"none"}]`, "1=full 2=none"},
		{"a bare list of one", `[{"claim":2,"support":"full"}]`, "2=full"},
		{"some that can't be read among them", `{"claims":[{"claim":1,"support":"full"},7,{"claim":2,"support":{}},{"claim":3,"support":"none"}]}`, "1=full 3=none"},
		{"cut off in the list", `{"claims":[{"claim":1,"evidence":[1],"support":"full"},{"claim":2,"evidence":[3],"sup`, "1=full"},
		{"cut off after the list", `{"claims":[{"claim":1,"support":"full"}],"no`, "1=full"},
		{"cut off in the first element", `{"claims":[{"claim":1,"evidence":[1,2]`, "nothing"},
		{"names with letters", `{"claims":[{"claim":"C1","support":"full"},{"claim":"[2]","support":"full"},{"claim":"Claim 3","support":"none"}]}`, "1=full 2=full 3=none"},
		{"an object for a list", `{"claims":{"1":"full"}}`, "nothing"},
		{"no list", `{"claims":null}`, ""},
		{"a citation is no list of claims", `As [1] says, {"claims":[{"claim":1,"support":"full"}]} [2].`, "1=full"},
	} {
		got := "nothing"
		if r, err := read[checkReply](llm.Reply{Text: c.text}, checkForm); err == nil {
			var parts []string
			for _, s := range r.Claims {
				parts = append(parts, fmt.Sprintf("%d=%s", s.Claim, s.Support))
			}
			got = strings.Join(parts, " ")
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for in, want := range map[string]string{
		`[1, 2]`:                               `[1,2]`,
		`["S3", "[4]", "#5", 6.0]`:             `[3,4,5]`,
		`"1, 2 and 3"`:                         `[1,2,3]`,
		`7`:                                    `[7]`,
		`"sentence 7."`:                        `[7]`,
		`null`:                                 `null`,
		`"none"`:                               `null`,
		`[]`:                                   `null`,
		`["Leave is 20 days a year.", "S2"]`:   `[2]`,
		`[[1], [2]]`:                           `[1,2]`,
		`[99999999999999999999]`:               `null`,
		`[-1, 0, 3]`:                           `[-1,0,3]`,
		`["the answer is in 2", "3 and 4", 5]`: `[3,4,5]`,
	} {
		var l numbers
		if err := json.Unmarshal([]byte(in), &l); err != nil {
			t.Errorf("%s: %v", in, err)
		}
		if got, _ := json.Marshal([]int(l)); string(got) != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
	var l numbers
	if json.Unmarshal([]byte(`{"type":"array"}`), &l) == nil {
		t.Error("an object passes for a list of numbers")
	}
}

func TestYes(t *testing.T) {
	for in, want := range map[string]yes{
		`true`: {true, true}, `"Yes."`: {true, true}, `"yes, relevant"`: {true, true}, `"NO"`: {false, true}, `false`: {false, true},
		`"maybe"`: {}, `null`: {}, `"irrelevant"`: {}, `"not yes"`: {}, `1`: {},
	} {
		var got yes
		if err := json.Unmarshal([]byte(in), &got); err != nil || got != want {
			t.Errorf("%s: got %+v, %v; want %+v", in, got, err, want)
		}
	}
}

// FuzzRead holds that no reply breaks the reading, that what is read is within its
// form, and that a reply means the same when it is read again.
func FuzzRead(f *testing.F) {
	for _, c := range gradeReplies {
		f.Add(c.text, c.reasoning)
	}
	f.Add(`{"claims":[{"claim":1,"evidence":[1],"support":"full"},{"cla`, "")
	f.Add(strings.Repeat(`[{"a":`, 100), "")
	f.Fuzz(func(t *testing.T, text, reasoning string) {
		reply := llm.Reply{Text: text, Reasoning: reasoning}
		one, err := read[gradeReply](reply, gradeOne)
		again, err2 := read[gradeReply](reply, gradeOne)
		if one.Score != again.Score || (err == nil) != (err2 == nil) {
			t.Fatalf("read as %+v, %v and then as %+v, %v", one, err, again, err2)
		}
		all, err := read[checkReply](reply, checkForm)
		if err != nil && all.Claims != nil {
			t.Fatalf("%+v beside the error %v", all, err)
		}
		if value, size := mend(text); value != nil && (size < 1 || size > len(text) || !json.Valid(value)) {
			t.Fatalf("mended to %q, %d bytes of %d", value, size, len(text))
		}
	})
}
