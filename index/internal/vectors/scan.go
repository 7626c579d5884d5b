package vectors

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
)

// Interval is the passages whose ids lie from First to Last, both included.
type Interval struct{ First, Last int64 }

// Hit is a passage that a scan found.
type Hit struct {
	ID    int64
	Score float64 // the dot product of the question with the stored vector
}

// blockRows is how many records are multiplied at a time: few enough that their
// scales are still in the cache afterwards, and many enough that looking for a
// cancelled context in between costs nothing.
const blockRows = 1024

// blocksPerWorker is how many blocks a goroutine must have to do, to be worth it.
const blocksPerWorker = 8

// Scan returns the k passages, or as many as there are, whose vectors have the
// largest dot product with the query: the cosine, where both are of length 1. It
// looks at every record up to the passage upTo whose id lies in one of runs, which
// are in ascending order and don't overlap; nil stands for all. Hits come in
// descending order of scores, and in ascending order of ids where scores are equal.
//
// A caller that reads SQLite in a snapshot passes that snapshot's last embedded
// passage as upTo, so that both halves know the same passages. What the file lacks
// of them, see Last, isn't found here.
//
// The error wraps ErrDamaged or ErrOther, see Open, fs.ErrClosed, or the context's
// error, which is looked at every thousand records.
func (f *File) Scan(ctx context.Context, query []float32, runs []Interval, upTo int64, k int) (_ []Hit, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("vectors scan: %s: %w", f.path, err)
		}
	}()
	s, err := f.newScan(query, runs, upTo)
	if err != nil {
		return nil, err
	}
	defer f.release(s.view)
	if k = min(k, s.rows); k <= 0 {
		return nil, nil
	}
	// The question's own rounding moves a score by a few ten-thousandths. That is
	// more than parts the 20th from the 21st of a million, and far less than parts
	// the 20th from the 120th.
	best, err := s.candidates(ctx, min(s.rows, max(4*k, k+100)))
	if err != nil {
		return nil, err
	}
	return s.rescore(best, k)
}

// scan is one call of Scan.
type scan struct {
	file   *File
	view   *view
	query  []float32
	runs   []Interval
	upTo   int64
	signed []int8 // query in bytes, padded to the size of a record's vector
	offset int32  // what the 128 in the records' bytes adds to each product
	blocks [][]span
	rows   int // in all blocks
}

// span is the records from lo to hi, hi not included.
type span struct{ lo, hi int }

// newScan holds the file's view and finds the records to look at.
func (f *File) newScan(query []float32, runs []Interval, upTo int64) (_ *scan, err error) {
	if len(query) != f.dim {
		return nil, fmt.Errorf("the query has %d dimensions and the file %d", len(query), f.dim)
	}
	for i, r := range runs {
		if r.First > r.Last || i > 0 && r.First <= runs[i-1].Last {
			return nil, fmt.Errorf("the interval from %d to %d is empty or out of order", r.First, r.Last)
		}
	}
	s := &scan{file: f, query: query, runs: runs, upTo: upTo, signed: make([]int8, f.stride-prefixSize)}
	if _, err := quantize(s.signed[:f.dim], query); err != nil {
		return nil, fmt.Errorf("the query's %w", err)
	}
	for _, q := range s.signed {
		s.offset += zero * int32(q)
	}
	var good extent
	if s.view, good, err = f.hold(); err != nil {
		return nil, err
	}
	if err := s.view.guard(func() { s.cut(s.view.spans(good, runs, upTo)) }); err != nil {
		f.release(s.view)
		return nil, err
	}
	return s, nil
}

// spans finds the records of the passages that lie in runs and aren't after upTo.
func (v *view) spans(e extent, runs []Interval, upTo int64) []span {
	to := e.count
	if upTo < e.last {
		to = v.find(upTo+1, 0, e.count)
	}
	if runs == nil {
		return []span{{0, to}}
	}
	var spans []span
	lo := 0
	for _, r := range runs {
		lo = v.find(r.First, lo, to)
		if lo == to {
			break
		}
		hi := to
		if r.Last < e.last {
			hi = v.find(r.Last+1, lo, to)
		}
		if n := len(spans); n > 0 && spans[n-1].hi == lo {
			spans[n-1].hi = hi
		} else if lo < hi {
			spans = append(spans, span{lo, hi})
		}
		lo = hi
	}
	return spans
}

// cut parts spans into blocks of blockRows records each, and a smaller last one.
func (s *scan) cut(spans []span) {
	var pieces []span
	start, room := 0, blockRows
	for _, p := range spans {
		for p.lo < p.hi {
			n := min(p.hi-p.lo, room)
			pieces = append(pieces, span{p.lo, p.lo + n})
			p.lo += n
			s.rows += n
			if room -= n; room == 0 {
				s.blocks = append(s.blocks, pieces[start:])
				start, room = len(pieces), blockRows
			}
		}
	}
	if start < len(pieces) {
		s.blocks = append(s.blocks, pieces[start:])
	}
}

// candidates is the first pass: the keep records with the best products in bytes.
// Goroutines take the next block each, so that one on a busy core holds up nobody.
// Which of them saw a record makes no difference: their order is a total one.
func (s *scan) candidates(ctx context.Context, keep int) ([]candidate, error) {
	workers := max(1, min(runtime.GOMAXPROCS(0), len(s.blocks)/blocksPerWorker))
	all := make([]top, workers)
	errs := make([]error, workers)
	var next atomic.Int64
	work := func(w int) {
		all[w] = newTop(keep)
		if err := s.view.guard(func() { errs[w] = s.work(ctx, &next, &all[w]) }); err != nil {
			errs[w] = err
		}
		if errs[w] != nil {
			next.Store(int64(len(s.blocks))) // the others needn't go on
		}
	}
	var wg sync.WaitGroup
	for w := 1; w < workers; w++ {
		wg.Go(func() { work(w) })
	}
	work(0)
	wg.Wait()
	for w, err := range errs {
		if err != nil {
			return nil, err
		}
		if w > 0 {
			all[0].list = append(all[0].list, all[w].list...)
		}
	}
	all[0].shrink()
	if len(all[0].list) < keep {
		return nil, fmt.Errorf("%w: a record's scale isn't a number", ErrDamaged)
	}
	return all[0].list, nil
}

// work takes blocks until none is left.
func (s *scan) work(ctx context.Context, next *atomic.Int64, best *top) error {
	dots := make([]int32, min(blockRows, s.rows))
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		i := int(next.Add(1) - 1)
		if i >= len(s.blocks) {
			return nil
		}
		for _, p := range s.blocks[i] {
			s.score(p, dots[:p.hi-p.lo], best)
		}
	}
}

// score offers the records of a span to best.
func (s *scan) score(p span, dots []int32, best *top) {
	stride := s.view.stride
	records := s.view.data[headerSize+p.lo*stride : headerSize+p.hi*stride]
	s.file.kernels.Dots(dots, s.signed, records[prefixSize:], stride)
	for i, dot := range dots {
		score := float64(dot-s.offset) * float64(scaleOf(records[i*stride:]))
		if score > best.floor { // never where a damaged scale makes it NaN
			best.add(candidate{record: p.lo + i, score: score})
		}
	}
}

// rescore is the second pass: the k best of the candidates, by the query as it
// was given.
func (s *scan) rescore(best []candidate, k int) (hits []Hit, err error) {
	hits = make([]Hit, len(best))
	fault := s.view.guard(func() {
		for i, c := range best {
			r := s.view.record(c.record)
			if !good(r) || !s.wants(idOf(r)) {
				err = fmt.Errorf("%w: its record %d isn't what was written", ErrDamaged, c.record)
				return
			}
			hits[i] = Hit{ID: idOf(r), Score: Dot(s.query, Vector{scaleOf(r), r[prefixSize:]})}
		}
	})
	if err = cmp.Or(fault, err); err != nil {
		return nil, err
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return hits[:k], nil
}

// wants tells whether a passage was asked for. In a sound file no other is found,
// but a damaged one may mislead the search for ids.
func (s *scan) wants(id int64) bool {
	if id > s.upTo || s.runs == nil {
		return id <= s.upTo
	}
	i := sort.Search(len(s.runs), func(i int) bool { return s.runs[i].Last >= id })
	return i < len(s.runs) && s.runs[i].First <= id
}

// candidate is a record and its product with the query, to the query's scale.
type candidate struct {
	record int
	score  float64
}

// top keeps the best of the candidates that it is given in ascending order of
// records. It holds up to twice as many and then sorts the worse half out, which
// is as fast as a heap and simpler.
type top struct {
	keep  int
	floor float64 // what a candidate must exceed; one that is equal comes after those there are
	list  []candidate
}

func newTop(keep int) top { return top{keep: keep, floor: math.Inf(-1)} }

func (t *top) add(c candidate) {
	if t.list = append(t.list, c); len(t.list) >= 2*t.keep {
		t.shrink()
	}
}

// shrink leaves the best keep candidates, the best first.
func (t *top) shrink() {
	slices.SortFunc(t.list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.record, b.record))
	})
	if len(t.list) >= t.keep {
		t.list = t.list[:t.keep]
		t.floor = t.list[t.keep-1].score
	}
}
