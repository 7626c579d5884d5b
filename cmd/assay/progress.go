package main

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// patience is how long work may take before a bar appears: what is done at once
// needs none.
const patience = 300 * time.Millisecond

// progress shows how far long work has come: a bar on a terminal, else nothing.
type progress struct {
	label    string
	terminal bool
	env      env
	started  time.Time
	patience time.Duration
	bars     *mpb.Progress
	bar      *mpb.Bar
	note     atomic.Pointer[string] // how much is done in words; read by the bar
}

func (e env) newProgress(label string) *progress {
	return &progress{label: label, terminal: e.errTerminal, env: e, started: time.Now(), patience: patience}
}

// update says how much is done, in any unit, and the same in words; the total may
// still grow. One call at a time.
func (p *progress) update(done, total int64, note string) {
	if !p.terminal || p.bar == nil && time.Since(p.started) < p.patience {
		return
	}
	p.note.Store(&note)
	if p.bar == nil {
		p.begin()
	}
	p.bar.SetTotal(total, false)
	p.bar.SetCurrent(done)
}

func (p *progress) begin() {
	// Without the command's context: a bar whose context ends can't clear itself.
	p.bars = mpb.NewWithContext(context.Background(), mpb.WithOutput(p.env.stderr), mpb.WithWidth(40), mpb.WithAutoRefresh())
	p.bar = p.bars.AddBar(0,
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(cleanLine(p.label), decor.WCSyncSpaceR), decor.Any(func(decor.Statistics) string { return *p.note.Load() }, decor.WCSyncSpace)),
		mpb.AppendDecorators(decor.Percentage(decor.WC{W: 5}), p.rest()),
	)
}

// rest is how long the rest will take, once something is done.
func (p *progress) rest() decor.Decorator {
	eta := decor.NewAverageETA(decor.ET_STYLE_GO, p.started, nil)
	return decor.Any(func(s decor.Statistics) string {
		if s.Current == 0 {
			return ""
		}
		left, _ := eta.Decor(s)
		return left + " left"
	}, decor.WC{W: 12})
}

// end takes the bar away.
func (p *progress) end() {
	if p.bar == nil {
		return
	}
	p.bar.Abort(true)
	p.bars.Wait()
	p.bar = nil
}
