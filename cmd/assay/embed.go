package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/assay-rag/assay/index"
)

// fewMissing is how many vectors are made before a question is answered, which
// takes some seconds: of the passages of a folder that is indexed on first use, or
// has changed since. fewOnSlow is the same without vector instructions.
const (
	fewMissing = 512
	fewOnSlow  = 8
)

// catchUp makes the vectors that the index of a folder lacks, where they are few.
// Otherwise, and where the index is only read, it says how they are made: the
// words of all passages can be searched meanwhile.
func (e env) catchUp(ctx context.Context, x *index.Index, s source, how sense) error {
	if how.embedder == nil {
		return nil
	}
	missing, err := x.Pending(ctx)
	if err != nil || missing == 0 {
		return err
	}
	few := fewMissing
	if how.slow {
		few = fewOnSlow
	}
	if s.Docs == "" || missing > few {
		e.errScreen().line(plainf("%s found by words alone. Make the vectors (%s): %s",
			lacking(missing), how.time(missing), how.embedCommand(s)))
		return nil
	}
	if _, err = e.embed(ctx, x); err == nil || ctx.Err() != nil {
		return err
	}
	if !errors.Is(err, index.ErrBusy) { // else another process is at it
		e.errScreen().line(plain("Vectors are missing, words are compared: " + cleanLine(message(e.diagnose(ctx, err).err))))
	}
	return nil
}

// embedAll makes all vectors that are missing, and says how many.
func (e env) embedAll(ctx context.Context, x *index.Index, s source, how sense) (int, error) {
	made, err := e.embed(ctx, x)
	if ctx.Err() != nil {
		return made.passages, failf("all words can be searched, and the vectors made so far are kept; to go on from there: "+how.embedCommand(s), "embed: %w", ctx.Err())
	}
	if err == nil && made.passages > 0 {
		e.errScreen().line(plain(made.String()))
	}
	return made.passages, err
}

// embedCommand is the command that makes the missing vectors of an index.
func (s sense) embedCommand(of source) string {
	of.Collection = ""
	return strings.TrimSpace("assay index embed " + of.flags() + s.flags)
}

// lacking says how many passages have no vector, up to the verb's other half.
func lacking(n int) string {
	if n == 1 {
		return "1 passage has no vector yet and is"
	}
	return humanize.Comma(int64(n)) + " passages have no vector yet and are"
}

// time is about how long it takes to make so many vectors, in words.
func (s sense) time(passages int) string {
	rate := 25 * runtime.GOMAXPROCS(0) // a second, of 200 tokens each
	if s.slow {
		rate = 1
	}
	d := time.Duration(passages) * time.Second / time.Duration(rate)
	switch {
	case d < 10*time.Second:
		return "a few seconds"
	case d < time.Minute:
		return fmt.Sprintf("about %d s", (d+5*time.Second)/(10*time.Second)*10)
	case d < time.Hour:
		return fmt.Sprintf("about %d min", (d+time.Minute-1)/time.Minute)
	}
	return fmt.Sprintf("about %d h", (d+time.Hour-1)/time.Hour)
}

// embedded says what embed has done.
type embedded struct {
	passages int
	took     time.Duration
}

// String says it in one line.
func (m embedded) String() string {
	unit := time.Second
	switch {
	case m.took < time.Second:
		unit = time.Millisecond
	case m.took < 10*time.Second:
		unit = 100 * time.Millisecond
	}
	noun := " passages in "
	if m.passages == 1 {
		noun = " passage in "
	}
	return "embedded " + humanize.Comma(int64(m.passages)) + noun + m.took.Round(unit).String()
}

// quicklyMade is how many vectors are made so soon that a bar is not worth it.
const quicklyMade = 16

// embed makes all vectors that are missing, with a progress bar where it takes long.
func (e env) embed(ctx context.Context, x *index.Index) (m embedded, err error) {
	start := time.Now()
	bar := e.newProgress("vectors")
	err = x.Embed(ctx, func(done, total int) {
		if m.passages = done; total > quicklyMade {
			bar.patience = 0 // the next word comes after a second or so
		}
		bar.update(int64(done), int64(total), fmt.Sprintf("%s/%s passages", humanize.Comma(int64(done)), humanize.Comma(int64(total))))
	})
	bar.end()
	m.took = time.Since(start)
	return m, err
}
