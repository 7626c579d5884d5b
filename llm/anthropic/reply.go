package anthropic

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/internal/wire"
)

// whole is a reply that comes at once; a stream begins with one that is empty.
type whole struct {
	Model      wire.Words      `json:"model"`
	Content    blocks          `json:"content"`
	StopReason wire.Words      `json:"stop_reason"`
	Usage      usage           `json:"usage"`
	Error      json.RawMessage `json:"error"`
}

// block is a piece of a reply, or what is added to one by an event.
type block struct {
	Type     wire.Words      `json:"type"`
	Text     wire.Words      `json:"text"`
	Thinking wire.Words      `json:"thinking"`
	Input    json.RawMessage `json:"input"`        // of a tool, at once
	Partial  wire.Words      `json:"partial_json"` // of a tool, in pieces
	// StopReason stands in the last event that adds something.
	StopReason wire.Words `json:"stop_reason"`
}

// blocks are the pieces of a reply; some servers give but a text.
type blocks []block

// UnmarshalJSON never fails.
func (b *blocks) UnmarshalJSON(raw []byte) error {
	var text string
	var all []block
	switch {
	case json.Unmarshal(raw, &text) == nil && string(raw) != "null":
		*b = blocks{{Type: "text", Text: wire.Words(text)}}
	default:
		if _, err := wire.Decode(raw, &all); err == nil {
			*b = all
		}
	}
	return nil
}

// event is one of a stream.
type event struct {
	Type    wire.Words      `json:"type"`
	Message whole           `json:"message"`
	Block   block           `json:"content_block"`
	Delta   block           `json:"delta"`
	Usage   usage           `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

// usage is what the server counted. What it read from its cache, or wrote there, it
// counts apart from the rest of the prompt.
type usage struct {
	Input      wire.Count `json:"input_tokens"`
	CacheRead  wire.Count `json:"cache_read_input_tokens"`
	CacheWrite wire.Count `json:"cache_creation_input_tokens"`
	Output     wire.Count `json:"output_tokens"`
	Details    struct {
		Thinking wire.Count `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// and is the later of two counts, as far as it tells: they are sums, not
// differences.
func (u usage) and(later usage) usage {
	u.Input, u.Output = max(u.Input, later.Input), max(u.Output, later.Output)
	u.CacheRead, u.CacheWrite = max(u.CacheRead, later.CacheRead), max(u.CacheWrite, later.CacheWrite)
	u.Details.Thinking = max(u.Details.Thinking, later.Details.Thinking)
	return u
}

func (u usage) tokens() llm.Tokens {
	return llm.Tokens{
		In: int(u.Input + u.CacheRead + u.CacheWrite), Cached: int(u.CacheRead),
		Out: int(u.Output), Reasoning: int(min(u.Details.Thinking, u.Output)),
	}
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

	model     string
	reasoning strings.Builder
	stop      string
	usage     usage
}

// whole reads a reply that comes at once.
func (g *gathering) whole(in io.Reader) (llm.Reply, error) {
	content, err := io.ReadAll(in)
	if err != nil {
		return llm.Reply{}, g.resp.Failed(err, string(content))
	}
	var w whole
	complete, err := wire.Decode(content, &w)
	switch {
	case err != nil:
		return llm.Reply{}, g.resp.Error(llm.Malformed, "what came is no JSON: "+wire.FirstWords(string(content)), string(content))
	case !complete:
		return llm.Reply{}, g.resp.BrokeOff(string(content))
	case wire.Told(w.Error):
		return llm.Reply{}, g.resp.Fault(content)
	case w.Content == nil:
		return llm.Reply{}, g.resp.Error(llm.Malformed, "it holds no content: "+wire.FirstWords(string(content)), string(content))
	}
	g.model, g.usage, g.stop = string(w.Model), w.Usage, string(w.StopReason)
	for _, b := range w.Content {
		if !g.take(b) {
			break
		}
	}
	return g.end(), nil
}

// stream reads a reply that comes in events. It is whole once one of them says why
// it ended.
func (g *gathering) stream(in io.Reader) (llm.Reply, error) {
	begun := false
	for e, err := range wire.Events(in) {
		if err != nil {
			if g.stop != "" {
				break
			}
			return llm.Reply{}, g.resp.Failed(err, g.talk.Heard())
		}
		var v event
		complete, err := wire.Decode([]byte(e.Data), &v)
		switch {
		case e.Type == "error" || v.Type == "error" || wire.Told(v.Error):
			return llm.Reply{}, g.resp.Fault([]byte(e.Data))
		case err != nil:
			return llm.Reply{}, g.resp.Error(llm.Malformed, "an event is no JSON: "+wire.FirstWords(e.Data), g.talk.Heard())
		case !complete:
			return llm.Reply{}, g.resp.BrokeOff(g.talk.Heard())
		}
		begun = begun || strings.HasPrefix(string(v.Type), "message") || strings.HasPrefix(string(v.Type), "content")
		if !g.add(v) {
			g.usage.Output = 0 // it has counted only so far
			return g.end(), nil
		}
		if v.Type == "message_stop" {
			g.resp.Finish()
			return g.end(), nil
		}
	}
	switch {
	case !begun:
		return llm.Reply{}, g.resp.Error(llm.Malformed, "the stream holds no message", "")
	case g.stop == "":
		return llm.Reply{}, g.resp.BrokeOff(g.talk.Heard())
	}
	return g.end(), nil
}

// add adds what an event tells. It returns false when no more is wanted.
func (g *gathering) add(v event) bool {
	g.usage = g.usage.and(v.Message.Usage).and(v.Usage)
	if v.Message.Model != "" {
		g.model = string(v.Message.Model)
	}
	if v.Delta.StopReason != "" {
		g.stop = string(v.Delta.StopReason)
	}
	v.Block.Input = nil // it is empty, and comes in pieces
	return g.take(v.Block) && g.take(v.Delta)
}

// take adds a piece. The input of the tool that a schema was sent as is the text.
func (g *gathering) take(b block) bool {
	g.reasoning.WriteString(string(b.Thinking))
	text := string(b.Text + b.Partial)
	if b.Type == "tool_use" && len(b.Input) > 0 && string(b.Input) != "null" {
		text += string(b.Input)
	}
	switch {
	case text != "":
		return g.talk.Say(text)
	case b.Thinking != "":
		return g.talk.Alive()
	}
	return true
}

// end makes the reply.
func (g *gathering) end() llm.Reply {
	reply := llm.Reply{Reasoning: g.reasoning.String(), Finish: llm.FinishStop, Tokens: g.usage.tokens(), Model: g.model}
	switch g.stop {
	case "max_tokens", "model_context_window_exceeded":
		reply.Finish = llm.FinishLength
	case "refusal":
		reply.Finish = llm.FinishRefused
	}
	if reply.Tokens.In == 0 || reply.Tokens.Out == 0 && g.talk.Heard() != "" {
		reply.Tokens = llm.Tokens{} // to be estimated
	}
	return reply
}
