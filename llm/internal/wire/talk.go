package wire

import (
	"strings"

	"github.com/assay-rag/assay/llm"
)

// Talk is a call under way: what the model has said so far, on its way to the
// caller. It sees to it that no text passes a string that ends the reply, whether
// the server knows of these or not, and that none holds a key, in one piece or over
// several.
type Talk struct {
	yield  func(llm.Chunk, error) bool
	stream bool
	stop   []string
	unsaid secrets

	text    strings.Builder
	held    string // the end of what came, while it may be the beginning of a stop or a key
	stopped bool
	hid     bool // a key was in it
	left    bool
}

// Generate runs a call and yields what it says, and at the end the whole reply or
// the error. call says the text piece by piece; the Text of its reply is filled in,
// and so are the tokens where it reports none. A key that the server repeats is hidden
// wherever it stands; the log-probabilities of such a text are left out.
func (c *Client) Generate(r llm.Request, yield func(llm.Chunk, error) bool, call func(*Talk) (llm.Reply, error)) {
	t := &Talk{yield: yield, stream: r.Stream, stop: r.Stop, unsaid: c.unsaid}
	reply, err := call(t)
	if err == nil && !t.stopped {
		t.hand(t.held)
	}
	if t.left {
		return
	}
	if err != nil {
		yield(llm.Chunk{}, err)
		return
	}
	reply.Text = t.text.String()
	reply.Reasoning, reply.Model = c.unsaid.hide(reply.Reasoning), c.unsaid.hide(reply.Model)
	if t.hid {
		reply.LogProbs = nil
	}
	if t.stopped {
		reply.Finish = llm.FinishStop
		reply.LogProbs = within(reply.LogProbs, len(reply.Text))
	}
	if reply.Tokens.In == 0 && reply.Tokens.Out == 0 {
		reply.Tokens = llm.Tokens{In: r.EstimateTokens(), Out: llm.EstimateTokens(reply.Text) + llm.EstimateTokens(reply.Reasoning), Estimated: true}
	}
	yield(llm.Chunk{Reply: &reply}, nil)
}

// Say hands a piece on. It returns false when no more is wanted: a string that
// ends the reply has come, or the caller has left.
func (t *Talk) Say(piece string) bool {
	if t.stopped || t.left {
		return false
	}
	came := t.held + piece
	text := t.unsaid.hide(came)
	t.hid = t.hid || text != came
	end, held := len(text), 0
	for _, secret := range t.unsaid {
		held = max(held, overlap(text, secret))
	}
	for _, stop := range t.stop {
		if i := strings.Index(text, stop); stop != "" && i >= 0 && i < end {
			end, t.stopped = i, true
		}
		held = max(held, overlap(text, stop))
	}
	if t.stopped {
		t.held = ""
		t.hand(text[:end])
		return false
	}
	t.held = text[len(text)-held:]
	t.hand(text[:len(text)-held])
	return !t.left
}

// Alive hands on a chunk without text: the model thinks, or says what isn't said
// aloud. It returns false when the caller has left.
func (t *Talk) Alive() bool {
	if t.stream && !t.left && !t.yield(llm.Chunk{}, nil) {
		t.left = true
	}
	return !t.left && !t.stopped
}

// Heard is the text so far.
func (t *Talk) Heard() string { return t.text.String() + t.held }

func (t *Talk) hand(piece string) {
	if piece == "" || t.left {
		return
	}
	t.text.WriteString(piece)
	if t.stream && !t.yield(llm.Chunk{Text: piece}, nil) {
		t.left = true
	}
}

// overlap is how many bytes at the end of text are the beginning of another.
func overlap(text, other string) int {
	for n := min(len(text), len(other)-1); n > 0; n-- {
		if strings.HasSuffix(text, other[:n]) {
			return n
		}
	}
	return 0
}

// within are the tokens of the first n bytes.
func within(tokens []llm.TokenLogProb, n int) []llm.TokenLogProb {
	at := 0
	for i, t := range tokens {
		if at >= n {
			return tokens[:i]
		}
		at += len(t.Token)
	}
	return tokens
}

// Unasked says what is wrong with a request that nothing can be asked by, or "".
func Unasked(r llm.Request) string {
	if r.Prompt != "" && len(r.Messages) > 0 {
		return "it has both messages and a prompt, where one of them is wanted"
	}
	for _, m := range r.Messages {
		if strings.TrimSpace(m.Text) != "" {
			return ""
		}
	}
	if r.Prompt == "" {
		return "it is empty: there is nothing to ask"
	}
	return ""
}
