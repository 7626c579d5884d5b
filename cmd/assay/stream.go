package main

import (
	"io"
	"strings"

	"github.com/assay-rag/assay"
)

// streamView writes the text of an answer as it comes.
type streamView struct {
	out, err *screen
	manner   assay.Streaming
	open     *screen // on which a line has begun; nil: on none
}

// event writes a piece of text and returns what it adds to the answer. What is
// verified is the answer itself; a draft is shown beside it, and goes nowhere else.
func (v *streamView) event(ev assay.Event) string {
	switch {
	case ev.Kind == assay.EventText && v.manner == assay.StreamVerified:
		v.out.text(ev.Text, styleNone)
		v.open = v.out
		return ev.Text
	case ev.Kind == assay.EventText:
		v.err.text(ev.Text, styleDim)
		v.open = v.err
	case ev.Kind == assay.EventDone && v.manner == assay.StreamDraft: // whichever step the draft was of
		v.breakOff()
	}
	return ""
}

// breakOff ends the line that has begun, where it won't go on.
func (v *streamView) breakOff() {
	if v.open != nil {
		v.open.line()
		v.open = nil
	}
}

// text writes a piece of running text, which the next piece may go on.
func (s *screen) text(piece string, look style) {
	piece = clean(piece)
	if s.colour && look != styleNone {
		piece = "\x1b[" + string(look) + "m" + piece + "\x1b[0m"
	}
	_, _ = io.Copy(s.w, strings.NewReader(piece))
}
