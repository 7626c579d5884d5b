package index

import (
	"context"
	"errors"

	"github.com/assay-rag/assay/index/internal/vectors"
)

// tableLimit is how many vectors a search reads from the table where the mapped
// file can't be used or is behind: at about 3 µs each they take as long as all else.
const tableLimit = 10_000

// dense is the vectors that one search looks at, in its snapshot: those of the
// mapped file, and from the table those that the file lacks.
type dense struct {
	snapshot *session
	e        embedding
	mapped   *mapped
	file     *mappedFile // nil where there is none that can be used
	vector   []float32   // the question's

	last int64            // the file has the vectors up to this passage
	tail []vectors.Record // the table has those after it
}

// open looks how far the file goes, and reads what it lacks.
func (d *dense) open(ctx context.Context) (err error) {
	d.last = 0
	if d.file != nil && d.file.epoch == d.e.epoch {
		last, err := d.file.Last()
		if err != nil {
			d.discard(err)
		}
		d.last = min(last, d.e.embedded) // what came after this snapshot isn't looked at
	}
	if d.last == d.e.embedded {
		return nil
	}
	d.tail, err = vectorsBetween(ctx, d.snapshot, d.e.dim, d.last, d.e.embedded, tableLimit+1)
	switch {
	case kindOf(err) == ErrDamaged || errors.Is(err, ErrDamaged):
		return errWordsAlone("the vectors of the index are damaged")
	case err == nil && len(d.tail) > tableLimit:
		return errWordsAlone("the vector file of the index can't be used")
	}
	return err
}

// discard gives the file up. One that belongs to another state of the index is opened
// anew by the next search, a damaged one is made anew.
func (d *dense) discard(err error) {
	d.mapped.discard(d.file, errors.Is(err, vectors.ErrDamaged))
	d.file = nil
}

// nearest returns the k passages of the runs whose vectors are nearest to the
// question's; equal ones in the order of their numbers.
func (d *dense) nearest(ctx context.Context, runs allowed, k int) ([]hit, error) {
	var hits []hit
	if d.last > 0 {
		found, err := d.file.Scan(ctx, d.vector, runs, d.last, k)
		if err != nil && ctx.Err() != nil {
			return nil, err
		}
		if err != nil {
			d.discard(err)
			if err := d.open(ctx); err != nil {
				return nil, err
			}
			return d.nearest(ctx, runs, k)
		}
		for _, f := range found {
			hits = append(hits, hit{f.ID, f.Score})
		}
	}
	for _, r := range d.tail {
		if runs.has(r.ID) {
			hits = append(hits, hit{r.ID, vectors.Dot(d.vector, r.Vector)})
		}
	}
	return best(hits, k), nil
}

// Vectors tells which model has made the vectors in the index, and how many numbers
// each has; "" and 0 where none was ever made. It needs no embedder.
func (x *Index) Vectors(ctx context.Context) (model string, dim int, err error) {
	defer x.wrap("vectors", &err)
	err = x.read(ctx, func(s *session) error {
		e, _, err := embeddingOf(ctx, s)
		model, dim = e.modelName(), e.dim
		return err
	})
	return model, dim, err
}
