package main

import (
	"fmt"
	"strings"

	"github.com/assay-rag/assay"
)

// traceView writes a run as it happens.
type traceView struct{ *screen }

// event writes what one event tells.
func (v traceView) event(ev assay.Event) {
	switch ev.Kind {
	case assay.EventDone:
		v.step(ev)
	case assay.EventAnswer:
		v.passages(ev.Answer.Passages)
		v.claims(ev.Answer.Claims)
		v.bill(ev.Answer.Usage)
		v.line(dimf("  searches %d, drafts %d, calls %d, %s in all", ev.Answer.Usage.Searches,
			ev.Answer.Usage.Drafts, ev.Answer.Usage.Calls, took(ev.Answer.Usage.Elapsed)))
		v.line()
	}
}

// bill writes what each step's model calls came to, and each call that went wrong.
func (v traceView) bill(u assay.UsageReport) {
	for i, l := range u.Bill {
		if i == 0 {
			v.line(bold("bill"))
		}
		v.line(plainf("  %-8s %s, %d tokens in, %d out, %s", l.Step, count(l.Calls, "call"), l.In, l.Out, money(l.Cost)),
			dimf(" · %d from the cache · %s", l.Cached, took(l.Elapsed)))
	}
	for _, c := range u.ModelCalls {
		if c.Error != "" {
			v.line(span{"  " + cleanLine(c.Step+": "+c.Model+": "+plainly(c.Error)), styleYellow})
		}
		if c.Raw != "" {
			v.line(dim("    it said: " + shorten(c.Raw, 300)))
		}
	}
}

// step writes a step that ended and the edge taken from it.
func (v traceView) step(ev assay.Event) {
	r := ev.Report
	spans := []span{bold(fmt.Sprintf("%-8s", r.Step)), dimf(" %8s  ", took(r.Elapsed)), plain(cleanLine(r.Detail))}
	if r.Verdict != "" {
		spans = append(spans, plain(" · verdict "), cyan(string(r.Verdict)))
	}
	v.line(spans...)
	if r.Error != "" {
		v.line(span{strings.Repeat(" ", 19) + "error: " + cleanLine(plainly(r.Error)), styleRed})
	}
	if r.Next != "" {
		v.line(dim(strings.Repeat(" ", 19)+"→ "), cyan(string(r.Next)), dim(": "+cleanLine(r.Why)))
	}
}

// passages writes what the run made of the passages and their strips.
func (v traceView) passages(passages []assay.PassageReport) {
	for i, p := range passages {
		if i == 0 {
			v.line()
			v.line(bold("passages"))
		}
		spans := append([]span{plainf("  %s ", grade(p.Score)), keptMark(p.Kept), plain(" ")}, place(p.Title, p.Heading, p.Document, p.Date)...)
		v.line(append(spans, dimf(" %d:%d", p.Start, p.End))...)
		if p.Why != "" {
			v.line(dim("         " + cleanLine(p.Why)))
		}
		for _, s := range p.Strips {
			v.line(plainf("       %s ", grade(s.Score)), keptMark(s.Kept), dim(" "+shorten(s.Text, 100)))
		}
	}
}

func keptMark(kept bool) span {
	if kept {
		return span{"✓", styleGreen}
	}
	return span{"✗", styleRed}
}

// claims writes what the checks made of the answer.
func (v traceView) claims(claims []assay.Claim) {
	for i, c := range claims {
		if i == 0 {
			v.line(bold("claims"))
		}
		v.line(plainf("  %.2f ", c.Score), span{string(c.Support), supportStyle(c.Support)}, plain(" "+shorten(c.Text, 100)), dim(citations(c.Citations)))
	}
}

// citations are the numbers of sources as marks.
func citations(numbers []int) string {
	var b strings.Builder
	for _, n := range numbers {
		fmt.Fprintf(&b, " [%d]", n)
	}
	return b.String()
}

func supportStyle(s assay.Support) style {
	switch s {
	case assay.Supported:
		return styleGreen
	case assay.Unsupported, assay.Contradicted:
		return styleRed
	}
	return styleYellow
}
