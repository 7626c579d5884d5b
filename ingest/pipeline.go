package ingest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/assay-rag/assay"
	"golang.org/x/sync/semaphore"
)

// Bounds of what is held in memory.
const (
	maxInWork     = 32 << 20 // bytes of the files that are read or wait to be put
	batchDocs     = 64
	batchBytes    = 4 << 20
	batchRestamps = 1000
	queuePerCore  = 8 // files ahead of the one that is put, for each worker
)

// job is a file on its way. The result comes through a channel of its own, so
// that results are taken in the order of the files.
type job struct {
	entry
	stamp  string // the present one in the store, or ""
	weight int64
	result chan result
}

// outcome is what became of a file.
type outcome int

const (
	unchanged outcome = iota // not even opened
	restamped                // read, and the same as before
	parsed
	skipped // no text document
	noWords // text, but none of it is words
	failed
)

// result is a file that was looked at.
type result struct {
	outcome  outcome
	doc      assay.Document
	passages []assay.Passage
	why      string
}

// batch is what waits to be put.
type batch struct {
	docs     []assay.Document
	passages [][]assay.Passage
	bytes    int
	stamps   map[string]string
}

// run takes the files through three stages: one goroutine hands them out, the
// workers read, parse and cut, and this one puts the results in order.
func (a *adder) run(ctx context.Context, entries []entry) error {
	ctx, cancel := context.WithCancel(ctx)
	jobs := make(chan *job)
	queue := make(chan *job, a.opts.Workers*queuePerCore)
	room := semaphore.NewWeighted(maxInWork)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() {
		defer close(queue)
		defer close(jobs)
		a.handOut(ctx, entries, jobs, queue, room)
	})
	for range a.opts.Workers {
		wg.Go(func() {
			for j := range jobs {
				j.result <- a.look(j)
			}
		})
	}
	var full Progress
	full.Files = len(entries)
	for _, e := range entries {
		full.BytesInFull += e.size
	}
	for j := range queue {
		var r result
		select {
		case r = <-j.result:
		case <-ctx.Done():
			return ctx.Err()
		}
		room.Release(j.weight)
		if err := a.take(ctx, j, r); err != nil {
			return err
		}
		full.Done++
		full.BytesDone += j.size
		full.Path = filepath.Join(a.dir, filepath.FromSlash(j.path))
		if a.opts.Progress != nil {
			a.opts.Progress(full)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return a.put(ctx)
}

// handOut queues the files in order. Room is taken in the same order, so that
// the file that is waited for always has some.
func (a *adder) handOut(ctx context.Context, entries []entry, jobs, queue chan<- *job, room *semaphore.Weighted) {
	for _, e := range entries {
		j := &job{entry: e, stamp: a.stamps[e.id], result: make(chan result, 1)}
		if sameFile(j.stamp, e.size, e.mtime) {
			j.result <- result{outcome: unchanged}
		} else {
			j.weight = min(e.size, a.opts.MaxFile, maxInWork)
			if room.Acquire(ctx, j.weight) != nil {
				return
			}
		}
		select {
		case queue <- j:
		case <-ctx.Done():
			return
		}
		if len(j.result) > 0 {
			continue
		}
		select {
		case jobs <- j:
		case <-ctx.Done():
			return
		}
	}
}

// look reads, parses and cuts a file.
func (a *adder) look(j *job) (r result) {
	defer func() {
		if p := recover(); p != nil {
			r = result{outcome: failed, why: fmt.Sprintf("the reader for its format failed on it (%v); please report it", p)}
		}
	}()
	f, err := a.read(j.path)
	switch {
	case errors.Is(err, ErrFormat):
		return result{outcome: skipped}
	case err != nil:
		return result{outcome: failed, why: plainError(err)}
	}
	stamp := f.stamp()
	if sameContent(j.stamp, stamp) {
		return result{outcome: restamped, doc: assay.Document{Stamp: stamp}}
	}
	doc, blocks, err := Parse(j.path, f.data)
	if err != nil {
		return result{outcome: skipped}
	}
	doc.ID, doc.Stamp = j.id, stamp
	if doc.DateFrom == "" {
		doc.Date, doc.DateFrom = f.modified, assay.DateFromFile
	}
	passages := Chunk(doc, blocks)
	if len(passages) == 0 && doc.Text != "" {
		return result{outcome: noWords}
	}
	return result{outcome: parsed, doc: doc, passages: passages}
}

// take adds a result to the batch, and puts the batch when it is full.
func (a *adder) take(ctx context.Context, j *job, r result) error {
	b := &a.batch
	switch r.outcome {
	case unchanged:
		a.report.Unchanged++
	case restamped:
		if b.stamps == nil {
			b.stamps = make(map[string]string)
		}
		b.stamps[j.id] = r.doc.Stamp
	case skipped:
		a.skip(extensionOf(j.path), 1)
		return nil
	case noWords:
		a.skip(SkippedWordless, 1)
		return nil
	case failed:
		why := r.why
		if j.stamp != "" {
			why += "; what was indexed of it before stays"
		}
		a.problem(filepath.Join(a.dir, filepath.FromSlash(j.path)), why)
	case parsed:
		b.docs = append(b.docs, r.doc)
		b.passages = append(b.passages, r.passages)
		b.bytes += len(r.doc.Text)
	}
	a.kept[j.id] = true
	if len(b.docs) >= batchDocs || b.bytes >= batchBytes || len(b.stamps) >= batchRestamps {
		return a.put(ctx)
	}
	return nil
}

// put hands the batch to the store, and counts what was put.
func (a *adder) put(ctx context.Context) error {
	b := a.batch
	a.batch = batch{}
	if len(b.stamps) > 0 {
		if err := a.store.Restamp(ctx, a.collection, a.key, b.stamps); err != nil {
			return fmt.Errorf("restamp %d documents: %w", len(b.stamps), explain(err))
		}
		a.report.Unchanged += len(b.stamps)
	}
	if len(b.docs) == 0 {
		return nil
	}
	if err := a.store.Put(ctx, a.collection, a.key, b.docs, b.passages); err != nil {
		return fmt.Errorf("put %d documents, from %s on: %w", len(b.docs), b.docs[0].ID, explain(err))
	}
	for i, d := range b.docs {
		if a.stamps[d.ID] == "" {
			a.report.Added++
		} else {
			a.report.Updated++
		}
		a.report.Passages += len(b.passages[i])
	}
	a.opts.Log.Debug("put", "documents", len(b.docs), "from", b.docs[0].ID)
	return nil
}
