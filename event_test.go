package assay_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/assaytest"
)

func TestStream(t *testing.T) {
	e := newEngine(t, assaytest.Parts("0.9 Leave lasts 26 weeks."))
	var kinds []string
	var last assay.Event
	for ev, err := range e.Stream(t.Context(), assay.Query{Question: "how long is leave?"}) {
		if err != nil {
			t.Fatal(err)
		}
		kinds, last = append(kinds, string(ev.Kind)+" "+string(ev.Step)), ev
	}
	want := "started route,done route,started retrieve,done retrieve,started grade,done grade,started refine,done refine,started answer,done answer,started finish,done finish,answer "
	if got := strings.Join(kinds, ","); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if last.Answer == nil || last.Answer.Outcome != assay.Answered {
		t.Errorf("the last event is %+v", last)
	}
	for range e.Stream(t.Context(), assay.Query{Question: "q"}) {
		break // leaving the range must neither panic nor yield again
	}
	var failed error
	for _, err := range e.Stream(t.Context(), assay.Query{}) {
		failed = err
	}
	if !errors.Is(failed, assay.ErrBadQuery) {
		t.Errorf("got %v", failed)
	}
}
