package openai

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/internal/wire"
)

// vectors is what came of one request.
type vectors struct {
	vectors [][]float32
	tokens  int // that the server read; 0 where it doesn't say
}

type embedBody struct {
	Model      string   `json:"model,omitempty"`
	Input      []string `json:"input"`
	Dimensions int      `json:"dimensions,omitempty"`
}

type embedReply struct {
	Data []struct {
		Index     wire.Count `json:"index"`
		Embedding vector     `json:"embedding"`
	} `json:"data"`
	Usage usage           `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// vector is one in any of the forms in which servers put it: numbers, numbers in a
// list of their own, or their bytes in base64.
type vector []float32

// UnmarshalJSON never fails: what can't be read has no dimensions.
func (v *vector) UnmarshalJSON(b []byte) error {
	var text string
	var nested [][]float32
	var plain []float32
	switch {
	case json.Unmarshal(b, &plain) == nil:
		*v = plain
	case json.Unmarshal(b, &nested) == nil && len(nested) == 1:
		*v = nested[0]
	case json.Unmarshal(b, &text) == nil:
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(raw)%4 != 0 {
			break
		}
		for ; len(raw) > 0; raw = raw[4:] {
			*v = append(*v, math.Float32frombits(binary.LittleEndian.Uint32(raw)))
		}
	}
	return nil
}

// ask makes one request, and sees to it that there is a sound vector for each text.
// Servers refuse an empty text; a full stop says as little.
func (e *Embedder) ask(ctx context.Context, texts []string) (vectors, error) {
	body := embedBody{Model: e.model, Input: make([]string, len(texts))}
	for i, t := range texts {
		if body.Input[i] = t; strings.TrimSpace(t) == "" {
			body.Input[i] = "."
		}
	}
	if e.o.Shorten {
		body.Dimensions = e.dim
	}
	if err := llm.CountRequest(ctx, nil); err != nil {
		return vectors{}, err
	}
	resp, err := e.post(ctx, e.at.to("/embeddings"), body)
	if err != nil {
		return vectors{}, err
	}
	defer resp.Close()
	content, err := io.ReadAll(resp)
	if err != nil {
		return vectors{}, resp.Failed(err, "")
	}
	var r embedReply
	whole, err := wire.Decode(content, &r)
	switch {
	case err != nil:
		return vectors{}, resp.Error(llm.Malformed, "what came is no JSON: "+wire.FirstWords(string(content)), string(content))
	case !whole:
		return vectors{}, resp.BrokeOff("")
	case wire.Told(r.Error):
		return vectors{}, resp.Fault(content)
	}
	made, wrong := e.inOrder(r, len(texts))
	if wrong != "" {
		return vectors{}, resp.Error(llm.Malformed, wrong, "")
	}
	return vectors{made, int(r.Usage.Prompt)}, nil
}

// inOrder puts the vectors in the order of the texts, or says what is wrong with
// them. Servers that don't number them keep the order.
func (e *Embedder) inOrder(r embedReply, n int) (made [][]float32, wrong string) {
	if len(r.Data) != n {
		return nil, fmt.Sprintf("%d vectors came for %d texts", len(r.Data), n)
	}
	numbered := false
	for _, d := range r.Data {
		numbered = numbered || d.Index != 0
	}
	made = make([][]float32, n)
	for i, d := range r.Data {
		if numbered {
			i = int(d.Index)
		}
		switch {
		case i >= n || made[i] != nil:
			return nil, fmt.Sprintf("the vectors are numbered wrong: there is no place for number %d of %d", i, n)
		case len(d.Embedding) == 0:
			return nil, "a vector can't be read: is it a model for embeddings, with a vector for a text and not for each token?"
		case e.dim != 0 && len(d.Embedding) != e.dim:
			return nil, fmt.Sprintf("the model's vectors have %d dimensions, and not %d as it is set", len(d.Embedding), e.dim)
		case !unit(d.Embedding):
			return nil, "a vector came that has no direction"
		}
		made[i] = d.Embedding
	}
	return made, ""
}
