package index

import (
	"context"
	"testing"

	"github.com/assay-rag/assay/index/indextest"
)

// TestStatsOfVectors wants a collection to tell what its vectors are and how many
// are missing.
func TestStatsOfVectors(t *testing.T) {
	x := openWith(t, t.TempDir(), &indextest.Embedder{})
	handbook(t, x)
	wants := func(model string, dim, pending int) {
		t.Helper()
		st, err := x.Stats(context.Background(), "")
		if err != nil || st.Model != model || st.Dim != dim || st.Pending != pending {
			t.Errorf("%q of %d, %d pending, %v; want %q of %d, %d", st.Model, st.Dim, st.Pending, err, model, dim, pending)
		}
	}
	wants("", 0, 5)
	embed(t, x)
	put(t, x, map[string]string{"handbook/travel.md": "Trams are free."})
	wants("trigrams", 128, 1)
}
