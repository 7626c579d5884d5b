package openai

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io"
	"strings"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/internal/wire"
)

// answer is a reply, or one event of a stream: the fields are the same, but that
// what is a message there is a delta here, and a text where a prompt is continued.
type answer struct {
	Model   wire.Words      `json:"model"`
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type choice struct {
	Index    wire.Count      `json:"index"`
	Message  said            `json:"message"`
	Delta    said            `json:"delta"`
	Text     wire.Words      `json:"text"`
	Finish   wire.Words      `json:"finish_reason"`
	LogProbs json.RawMessage `json:"logprobs"`
	Error    json.RawMessage `json:"error"`
}

// said is what a message says. Reasoning goes by two names; a server that uses both
// says the same by them.
type said struct {
	Content          content    `json:"content"`
	Refusal          wire.Words `json:"refusal"`
	Reasoning        wire.Words `json:"reasoning"`
	ReasoningContent wire.Words `json:"reasoning_content"`
}

// content is a text, or its parts: some servers give thoughts and refusals among
// them.
type content struct{ text, thoughts, refusal string }

// UnmarshalJSON never fails.
func (c *content) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &c.text) == nil {
		return nil
	}
	type part struct {
		Text, Refusal wire.Words
		Thinking      content
	}
	var parts []json.RawMessage
	if json.Unmarshal(b, &parts) != nil {
		parts = []json.RawMessage{b}
	}
	for _, raw := range parts {
		var s wire.Words
		var p part
		_ = json.Unmarshal(raw, &s)
		_, _ = wire.Decode(raw, &p)
		c.text += string(s + p.Text)
		c.refusal += string(p.Refusal)
		c.thoughts += p.Thinking.text
	}
	return nil
}

// usage is what the server counted.
type usage struct {
	Prompt        wire.Count `json:"prompt_tokens"`
	Completion    wire.Count `json:"completion_tokens"`
	Total         wire.Count `json:"total_tokens"`
	PromptDetails struct {
		Cached wire.Count `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning wire.Count `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	CacheHit wire.Count `json:"prompt_cache_hit_tokens"` // DeepSeek's
}

// tokens counts as the provider bills. Some leave thoughts out of the completion
// but not out of the total: these are paid for, too.
func (u *usage) tokens() llm.Tokens {
	if u == nil || u.Prompt == 0 {
		return llm.Tokens{}
	}
	t := llm.Tokens{In: int(u.Prompt), Out: max(int(u.Completion), int(u.Total-u.Prompt))}
	t.Cached = min(t.In, max(int(u.PromptDetails.Cached), int(u.CacheHit)))
	t.Reasoning = min(t.Out, max(int(u.CompletionDetails.Reasoning), t.Out-int(u.Completion)))
	return t
}

// read reads a reply in whichever form the server has chosen.
func read(resp *wire.Response, t *wire.Talk) (llm.Reply, error) {
	in := bufio.NewReaderSize(resp, 512) // to see how it begins; larger reads pass it by
	form, err := wire.Sniff(in)
	if err != nil {
		return llm.Reply{}, resp.Failed(err, "")
	}
	g := gathering{resp: resp, talk: t}
	switch form {
	case wire.Stream:
		return g.stream(in)
	case wire.JSON:
		return g.whole(in)
	}
	return llm.Reply{}, wire.NoAPI(resp, in)
}

// gathering is a reply that is being put together.
type gathering struct {
	resp *wire.Response
	talk *wire.Talk

	reply     llm.Reply
	reasoning strings.Builder
	refusal   strings.Builder
	finish    string
	usage     *usage
	chosen    bool // there was a choice
}

// whole reads a reply that comes at once.
func (g *gathering) whole(in io.Reader) (llm.Reply, error) {
	content, err := io.ReadAll(in)
	if err != nil {
		return llm.Reply{}, g.resp.Failed(err, string(content))
	}
	var a answer
	if whole, err := wire.Decode(content, &a); err != nil {
		return llm.Reply{}, g.resp.Error(llm.Malformed, "what came is no JSON: "+wire.FirstWords(string(content)), string(content))
	} else if !whole {
		return llm.Reply{}, g.resp.BrokeOff(string(content))
	}
	if a.failed() {
		return llm.Reply{}, g.resp.Fault(content)
	}
	if len(a.Choices) == 0 {
		return llm.Reply{}, g.resp.Error(llm.Malformed, "it holds no choice: "+wire.FirstWords(string(content)), string(content))
	}
	if g.take(a); g.finish == "" {
		g.finish = "stop" // it is whole, whatever it says
	}
	return g.end()
}

// stream reads a reply that comes in events. It is whole once one of them says why
// it ended, or the last mark has come.
func (g *gathering) stream(in io.Reader) (llm.Reply, error) {
	for e, err := range wire.Events(in) {
		if err != nil {
			if g.finish != "" {
				break
			}
			return llm.Reply{}, g.resp.Failed(err, g.talk.Heard())
		}
		data := strings.TrimSpace(e.Data)
		if data == "[DONE]" {
			g.resp.Finish()
			if g.finish == "" && g.chosen {
				g.finish = "stop"
			}
			break
		}
		var a answer
		whole, err := wire.Decode([]byte(data), &a)
		switch {
		case e.Type == "error" || a.failed():
			return llm.Reply{}, g.resp.Fault([]byte(data))
		case err != nil:
			return llm.Reply{}, g.resp.Error(llm.Malformed, "an event is no JSON: "+wire.FirstWords(data), g.talk.Heard())
		case !whole:
			return llm.Reply{}, g.resp.BrokeOff(g.talk.Heard())
		}
		if !g.take(a) {
			g.finish, g.usage = "stop", nil // it has counted only so far
			break
		}
	}
	switch {
	case g.finish == "" && !g.chosen:
		return llm.Reply{}, g.resp.Error(llm.Malformed, "the stream holds no choice", "")
	case g.finish == "":
		return llm.Reply{}, g.resp.BrokeOff(g.talk.Heard())
	}
	return g.end()
}

// failed tells whether it tells of an error.
func (a answer) failed() bool {
	return wire.Told(a.Error) || len(a.Choices) > 0 && wire.Told(a.Choices[0].Error)
}

// take adds what came. It returns false when no more is wanted.
func (g *gathering) take(a answer) (more bool) {
	if a.Model != "" {
		g.reply.Model = string(a.Model)
	}
	if a.Usage != nil {
		g.usage = a.Usage
	}
	more = true
	for _, c := range a.Choices {
		if c.Index != 0 {
			continue // nobody asked for a second one
		}
		g.chosen = true
		g.reply.LogProbs = append(g.reply.LogProbs, logProbs(c.LogProbs)...)
		text := string(c.Text)
		for _, s := range []said{c.Message, c.Delta} {
			text += s.Content.text
			g.refusal.WriteString(string(s.Refusal) + s.Content.refusal)
			g.reasoning.WriteString(s.Content.thoughts + string(cmp.Or(s.Reasoning, s.ReasoningContent)))
		}
		if c.Finish != "" {
			g.finish = string(c.Finish)
		}
		if text == "" {
			more = g.talk.Alive()
		} else {
			more = g.talk.Say(text)
		}
	}
	return more
}

// end makes the reply.
func (g *gathering) end() (llm.Reply, error) {
	switch g.finish {
	case "error":
		return llm.Reply{}, g.resp.Error(llm.Overloaded, "the server ended the reply by an error of its own", g.talk.Heard())
	case "abort", "cancelled":
		return llm.Reply{}, g.resp.BrokeOff(g.talk.Heard())
	}
	g.reply.Finish = finish(g.finish)
	if g.refusal.Len() > 0 {
		g.reply.Finish = llm.FinishRefused
		if g.talk.Heard() == "" {
			g.talk.Say(g.refusal.String())
		}
	}
	g.reply.Reasoning = g.reasoning.String()
	if t := g.usage.tokens(); t.Out > 0 || g.talk.Heard() == "" {
		g.reply.Tokens = t
	}
	return g.reply, nil
}

// finish is the way in which a reply ended, in our words.
func finish(reason string) llm.Finish {
	switch strings.ToLower(reason) {
	case "length", "max_tokens", "model_length", "max_output_tokens":
		return llm.FinishLength
	case "refusal":
		return llm.FinishRefused
	case "content_filter", "safety", "recitation", "prohibited_content", "blocklist", "spii":
		return llm.FinishFiltered
	}
	return llm.FinishStop
}
