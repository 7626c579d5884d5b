package wire

import (
	"cmp"
	"io"
	"slices"

	"github.com/assay-rag/assay/llm"
)

// Models reads the names of models from a list of them, and puts them in order.
func Models(r *Response) ([]string, error) {
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, r.Failed(err, string(content))
	}
	type model struct{ ID, Name Words }
	var list struct{ Data, Models []model }
	if _, err := Decode(content, &list); err != nil || list.Data == nil && list.Models == nil {
		// Some list them without anything around.
		if _, err := Decode(content, &list.Data); err != nil || list.Data == nil {
			return nil, r.Error(llm.Malformed, "it lists no models: "+FirstWords(string(content)), string(content))
		}
	}
	var names []string
	for _, m := range append(list.Data, list.Models...) {
		if name := cmp.Or(m.ID, m.Name); name != "" {
			names = append(names, r.client.unsaid.hide(string(name)))
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
