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
	last     atomic.Pointer[advance] // read by the bar
}

// advance is what is done at a moment.
type advance struct {
	done, total int64
	note        string // the same in words
	at          time.Time
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
	p.last.Store(&advance{done, total, note, time.Now()})
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
		mpb.PrependDecorators(decor.Name(cleanLine(p.label), decor.WCSyncSpaceR), decor.Any(func(decor.Statistics) string { return p.last.Load().note }, decor.WCSyncSpace)),
		mpb.AppendDecorators(decor.Percentage(decor.WC{W: 5}), decor.Any(p.rest, decor.WC{W: 12})),
	)
}

// rest is how long the rest will take, once something is done, at the pace so far.
func (p *progress) rest(decor.Statistics) string {
	last := p.last.Load()
	if last.done == 0 {
		return ""
	}
	rest := float64(last.at.Sub(p.started)) * float64(last.total-last.done) / float64(last.done)
	return max(0, time.Duration(rest)-time.Since(last.at)).Round(time.Second).String() + " left"
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
