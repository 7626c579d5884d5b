package llm

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"iter"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/assay-rag/assay/llm/internal/plain"
)

// Store keeps values under keys for as long as it likes. It may be used
// concurrently. It has no errors: what can't be read is a miss, and what can't be
// written is not kept. Implementation: llm/diskcache.
type Store interface {
	// Get returns the value put under the key; false where there is none. The caller
	// may change what it gets.
	Get(ctx context.Context, key string) ([]byte, bool)
	// Put keeps the value, which it doesn't change.
	Put(ctx context.Context, key string, value []byte)
}

// Cached answers a request from the store where the same one was answered before.
// name is the endpoint and the model, which a Request does not tell. The same
// request is one that has all the same that decides the reply; whether it is
// streamed, and what it accepts, does not.
//
// Requests at temperature 0 are looked up and their replies kept, where the model
// came to its end and Request.Accept has nothing against it; all others pass. A
// reply from the store says so (Reply.Cached) and has no tokens, since none were
// paid. It is judged by Accept once more, and what can't be read is asked for anew.
//
// A request that is already under way is waited for and not paid twice, unless the
// text is streamed: then one reader would wait for another's pace. Where the one
// waited for comes to nothing, be it that its caller left, the others ask themselves.
func Cached(m Model, s Store, name string) Model {
	return &cached{model: m, store: s, name: name, underWay: map[string]*flight{}}
}

type cached struct {
	model    Model
	store    Store
	name     string
	mu       sync.Mutex
	underWay map[string]*flight
}

// flight is a request under way. Its fields are set when done is closed.
type flight struct {
	done  chan struct{}
	reply Reply
	good  bool // the reply may be given to others
}

// Generate implements Model.
func (m *cached) Generate(ctx context.Context, r Request) iter.Seq2[Chunk, error] {
	if r.Temperature != 0 {
		return m.model.Generate(ctx, r)
	}
	return func(yield func(Chunk, error) bool) {
		key := m.key(r)
		if !r.Stream {
			reply, err := m.once(ctx, key, r)
			if err != nil {
				yield(Chunk{}, err)
				return
			}
			m.record(ctx, reply)
			yield(Chunk{Text: reply.Text, Reply: &reply}, nil)
			return
		}
		if reply, ok := m.kept(ctx, key, r); ok {
			m.record(ctx, reply)
			replay(reply, yield)
			return
		}
		for c, err := range m.model.Generate(ctx, r) {
			if err == nil && c.Reply != nil && worthKeeping(r, *c.Reply) {
				m.keep(ctx, key, *c.Reply)
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// record tells the meter of a reply that nothing was paid for.
func (m *cached) record(ctx context.Context, reply Reply) {
	if reply.Cached {
		MeterFrom(ctx).Record(Call{Step: StepFrom(ctx), Model: cmp.Or(reply.Model, m.name), Cached: true})
	}
}

// once returns the reply that is kept or under way, or else asks for it.
func (m *cached) once(ctx context.Context, key string, r Request) (Reply, error) {
	own, other := m.enter(key)
	if other != nil {
		if reply, ok, err := other.wait(ctx, r); ok || err != nil {
			return reply, err
		}
	} else {
		defer m.land(key, own)
		if reply, ok := m.kept(ctx, key, r); ok {
			own.reply, own.good = reply, true
			return reply, nil
		}
	}
	reply, err := Ask(ctx, m.model, r)
	if err == nil && worthKeeping(r, reply) {
		own.reply, own.good = reply, true
		m.keep(ctx, key, reply)
	}
	return reply, err
}

// enter returns the same request that is under way, or else nil: then own is.
func (m *cached) enter(key string) (own, other *flight) {
	own = &flight{done: make(chan struct{})}
	m.mu.Lock()
	defer m.mu.Unlock()
	if other = m.underWay[key]; other == nil {
		m.underWay[key] = own
	}
	return own, other
}

// wait returns the reply of another's request; false where it came to nothing, and
// an error where the context ends first.
func (f *flight) wait(ctx context.Context, r Request) (Reply, bool, error) {
	select {
	case <-f.done:
	case <-ctx.Done():
		return Reply{}, false, plain.Error(context.Cause(ctx))
	}
	if !f.good {
		return Reply{}, false, nil
	}
	reply, ok := accepted(r, f.reply)
	return reply, ok, nil
}

// land ends a request that was under way: those that wait for it go on.
func (m *cached) land(key string, own *flight) {
	m.mu.Lock()
	delete(m.underWay, key)
	m.mu.Unlock()
	close(own.done)
}

// kept returns the reply in the store.
func (m *cached) kept(ctx context.Context, key string, r Request) (Reply, bool) {
	value, ok := m.store.Get(ctx, key)
	if !ok {
		return Reply{}, false
	}
	var reply Reply
	if json.Unmarshal(value, &reply) != nil || reply.Finish != FinishStop {
		return Reply{}, false
	}
	return accepted(r, reply)
}

// accepted is a reply as one that nothing was paid for, if r accepts it.
func accepted(r Request, reply Reply) (Reply, bool) {
	reply.Tokens, reply.Cached = Tokens{}, true
	return reply, r.Accept == nil || r.Accept(reply) == nil
}

// keep puts the reply into the store. It was paid for, so it is kept even where the
// caller has left by now.
func (m *cached) keep(ctx context.Context, key string, reply Reply) {
	reply.Tokens, reply.Cached = Tokens{}, false
	value, err := json.Marshal(reply)
	if err != nil {
		return // a log-probability of minus infinity, say
	}
	// Bytes that are no UTF-8 would come back as others.
	var again Reply
	if json.Unmarshal(value, &again) == nil && reflect.DeepEqual(again, reply) {
		m.store.Put(context.WithoutCancel(ctx), key, value)
	}
}

// worthKeeping tells whether a reply may stand for those to come. An empty one may
// only where somebody judged it.
func worthKeeping(r Request, reply Reply) bool {
	if r.Accept == nil {
		return reply.Finish == FinishStop && reply.Text != ""
	}
	return reply.Finish == FinishStop && r.Accept(reply) == nil
}

// replay streams a reply word by word.
func replay(reply Reply, yield func(Chunk, error) bool) {
	for word := range strings.SplitAfterSeq(reply.Text, " ") {
		if word != "" && !yield(Chunk{Text: word}, nil) {
			return
		}
	}
	yield(Chunk{Reply: &reply}, nil)
}

// key names the request. Whoever changes what it is made of, or the form of a kept
// reply, raises the number in it.
func (m *cached) key(r Request) string {
	parts := []string{"reply 1", m.name, r.Prompt, strconv.Itoa(len(r.Messages))}
	for _, message := range r.Messages {
		parts = append(parts, string(message.Role), message.Text)
	}
	if r.Schema == nil {
		parts = append(parts, "free")
	} else {
		parts = append(parts, "schema", r.Schema.Name, string(r.Schema.JSON))
	}
	parts = append(parts, strconv.Itoa(r.Limit()), strconv.Itoa(r.LogProbs))
	return digest(append(parts, r.Stop...)...)
}

// digest is the SHA-256 of the parts, each with its length before it, so that no
// two lists of parts are hashed alike.
func digest(parts ...string) string {
	var b []byte
	for _, p := range parts {
		b = binary.AppendUvarint(b, uint64(len(p)))
		b = append(b, p...)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
