package llm

import (
	"context"
	"encoding/json"
	"iter"
	"unicode/utf8"
)

// Model is a language model behind some endpoint. Providers implement it
// (llm/openai, llm/anthropic), and decorators that add to it (Metered, Resilient,
// Repaired, Cached, Thinking, FirstOf).
// Fake: llmtest.Fake.
type Model interface {
	// Generate asks the model once. It yields pieces of text as they come, where
	// r.Stream wants that, and then one last Chunk that holds the whole Reply; or,
	// last of all, an error. Nothing is asked before the iterator is ranged over, and
	// leaving the range ends the call. May be called concurrently.
	Generate(ctx context.Context, r Request) iter.Seq2[Chunk, error]
}

// Ask asks the model and waits for its whole reply.
func Ask(ctx context.Context, m Model, r Request) (Reply, error) {
	for c, err := range m.Generate(ctx, r) {
		if err != nil {
			return Reply{}, err
		}
		if c.Reply != nil {
			return *c.Reply, nil
		}
	}
	return Reply{}, NoReply()
}

// Request is one request to a model.
type Request struct {
	// Messages are the conversation, a system message first where there is one.
	Messages []Message
	// Prompt is a plain text to be continued, instead of Messages.
	Prompt string
	// Schema wants the reply to be JSON of this form. A server may ignore it: the
	// caller reads the reply as if it had.
	Schema *Schema
	// Temperature is 0, the default, for what should come out the same each time.
	Temperature float64
	// MaxTokens bounds the reply; 0 means DefaultMaxTokens.
	MaxTokens int
	// Stop are strings that end the reply; they are not part of it.
	Stop []string
	// LogProbs wants the log-probabilities of the tokens, each with so many
	// alternatives; 0 wants none.
	LogProbs int
	// Stream wants the text as it comes.
	Stream bool
	// Accept judges a reply before it counts as one: an error, in words that the
	// model can act on, has Repaired ask once more. nil accepts all.
	Accept func(Reply) error
}

// DefaultMaxTokens bounds a reply where the request does not.
const DefaultMaxTokens = 1024

// Limit is how many tokens the reply may have: MaxTokens, or else the default.
func (r Request) Limit() int {
	if r.MaxTokens > 0 {
		return r.MaxTokens
	}
	return DefaultMaxTokens
}

// Message is one message of a conversation.
type Message struct {
	Role Role
	Text string
}

// Role says whose message it is.
type Role string

// The roles.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
)

// Schema is a JSON schema with the name that some servers want for it.
type Schema struct {
	Name string          // letters, digits, _ and -
	JSON json.RawMessage // every object with "additionalProperties": false and all properties required
}

// Chunk is a piece of a reply.
type Chunk struct {
	// Text is what came since the last chunk.
	Text string
	// Reply is the whole reply, in the last chunk only; its Text holds all pieces.
	Reply *Reply
}

// Reply is what a model said.
type Reply struct {
	Text string
	// Reasoning is what the server reports apart as the model's thoughts. Some
	// servers put the answer there and leave Text empty.
	Reasoning string
	Finish    Finish
	Tokens    Tokens
	// Model is the model's name as the server gave it; where it gave none, and the
	// model is Metered, as the bill names it.
	Model string
	// LogProbs are those of the tokens of Text, where they were wanted and the server
	// gives them; else nil.
	LogProbs []TokenLogProb
	// Cached says that the reply comes from a cache: nothing was asked or paid.
	Cached bool
}

// Finish says why a reply ended.
type Finish string

// The ways in which a reply ends.
const (
	FinishStop    Finish = "stop"    // the model was done
	FinishLength  Finish = "length"  // it reached MaxTokens, or the end of the context
	FinishRefused Finish = "refused" // the model refused
	// FinishFiltered: a filter of the server's stopped it, maybe in the middle.
	FinishFiltered Finish = "filtered"
)

// Tokens counts the tokens of a call as the provider bills them.
type Tokens struct {
	In        int // of the prompt, Cached ones included
	Cached    int // of those, read from the provider's cache
	Out       int // of the reply, Reasoning included
	Reasoning int // of those, thoughts
	// Estimated says that the server reported nothing and that we counted.
	Estimated bool
}

// Total is what a budget of tokens counts.
func (t Tokens) Total() int { return t.In + t.Out }

// TokenLogProb is a token of a reply with its natural log-probability, and those
// of the likeliest tokens in its place, itself among them where it is one.
type TokenLogProb struct {
	Token   string
	LogProb float64
	Top     []TokenLogProb // without Top of their own
}

// EstimateTokens is about how many tokens a text has, on the high side for
// languages that vocabularies know well: a token for four bytes of ASCII, and one
// for each other letter.
func EstimateTokens(s string) int {
	ascii, other := 0, 0
	for i := range len(s) {
		switch b := s[i]; {
		case b < utf8.RuneSelf:
			ascii++
		case utf8.RuneStart(b):
			other++
		}
	}
	return (ascii+3)/4 + other
}

// perMessage is what a chat format adds to a message, in tokens, about.
const perMessage = 8

// EstimateTokens is about how many tokens the request sends.
func (r Request) EstimateTokens() int {
	n := EstimateTokens(r.Prompt)
	for _, m := range r.Messages {
		n += EstimateTokens(m.Text) + perMessage
	}
	if r.Schema != nil {
		n += EstimateTokens(string(r.Schema.JSON))
	}
	return n
}
