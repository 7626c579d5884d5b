package eval

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/llm"
)

func openJournal(t *testing.T, path string) *Journal {
	t.Helper()
	j, err := OpenJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// payingOracle is an oracle that counts what it is asked, pays for it, and fails where it
// is told to.
type payingOracle struct {
	calls atomic.Int64
	fail  func(call int64) error
}

func (c *payingOracle) Grade(ctx context.Context, q assay.Query, passages []assay.Passage) (assay.Assessment, error) {
	n := c.calls.Add(1)
	llm.MeterFrom(ctx).Settle(llm.Usage{Calls: 1, Tokens: 100, Money: 0.5})
	if c.fail != nil {
		if err := c.fail(n); err != nil {
			return assay.Assessment{}, err
		}
	}
	return graderFunc(oracle).Grade(ctx, q, passages)
}

func (c *payingOracle) GradeStrips(context.Context, assay.Query, []assay.Strip) ([]assay.Grade, error) {
	return nil, errors.New("strips are not measured")
}

// A measurement that was killed must go on where it stopped and come to the same.
func TestJournalGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	set := gateSet(20)
	run := func(ctx context.Context, j *Journal, c *payingOracle) (*GateReport, error) {
		return Gate(ctx, set, []GateSystem{{Name: "judge", Version: "small", Grader: c}}, &Options{Journal: j})
	}
	whole, err := run(t.Context(), nil, &payingOracle{})
	if err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	first := &payingOracle{fail: func(call int64) error {
		if call == 15 {
			cancel()
		}
		return ctx.Err()
	}}
	j := openJournal(t, path)
	if _, err := run(ctx, j, first); !errors.Is(err, context.Canceled) {
		t.Fatalf("error is %v, want that of the context", err)
	}
	j.Close()
	// What was being written when it was killed.
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(`{"task":"gate","set":"ma`)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}

	second := &payingOracle{}
	r, err := run(t.Context(), openJournal(t, path), second)
	if err != nil {
		t.Fatal(err)
	}
	if got := second.calls.Load(); got != 26 {
		t.Errorf("%d of 40 were asked after 14, want 26", got)
	}
	if r.Systems[0].AUROC != whole.Systems[0].AUROC || *r.Systems[0].Usage != *whole.Systems[0].Usage {
		t.Errorf("AUROC %v, usage %+v; in one go %v, %+v", r.Systems[0].AUROC, r.Systems[0].Usage, whole.Systems[0].AUROC, whole.Systems[0].Usage)
	}
	third := &payingOracle{}
	if _, err := run(t.Context(), openJournal(t, path), third); err != nil || third.calls.Load() != 0 {
		t.Errorf("all is known, and %d were asked: %v", third.calls.Load(), err)
	}
}

// A failure is not an answer: it is asked again.
func TestJournalKeepsNoFailures(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	for _, c := range []struct {
		grader *payingOracle
		failed int
		asked  int64
	}{
		{&payingOracle{fail: func(call int64) error {
			if call <= 5 {
				return errors.New("timeout")
			}
			return nil
		}}, 5, 20},
		{&payingOracle{}, 0, 5},
	} {
		r, err := Gate(t.Context(), gateSet(10), []GateSystem{{Name: "judge", Grader: c.grader}}, &Options{Journal: openJournal(t, path)})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Systems[0].Undetermined.Count; got != c.failed || c.grader.calls.Load() != c.asked {
			t.Errorf("%d failed of %d asked, want %d of %d", got, c.grader.calls.Load(), c.failed, c.asked)
		}
	}
}

func TestJournalRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.jsonl")
	measure := func(version string) error {
		_, err := Gate(t.Context(), gateSet(2), []GateSystem{{Name: "judge", Version: version, Grader: &payingOracle{}}}, &Options{Journal: openJournal(t, path)})
		return err
	}
	if err := measure("small"); err != nil {
		t.Fatal(err)
	}
	want := `eval gate: the journal ` + path + ` is of judge in version "small", and this is version "large"; name another journal`
	if err := measure("large"); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error is %v, want %s", err, want)
	}
	other := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(other, []byte("my notes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenJournal(other); err == nil || !strings.Contains(err.Error(), "notes.txt:1: not a line of a journal; name another file") {
		t.Errorf("error is %v", err)
	}
	if data, _ := os.ReadFile(other); string(data) != "my notes\n" {
		t.Errorf("the notes read %q now", data)
	}
	if _, err := OpenJournal(filepath.Join(dir, "no", "folder")); err == nil {
		t.Error("a journal in a folder that isn't there was opened")
	}
}

// Where the disk is full the measurement ends, and says so.
func TestJournalThatCannotBeWritten(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "run.jsonl"))
	j.Close()
	c := &payingOracle{}
	_, err := Gate(t.Context(), gateSet(20), []GateSystem{{Name: "judge", Grader: c}}, &Options{Journal: j})
	if !errors.Is(err, os.ErrClosed) {
		t.Errorf("error is %v, want that of the file", err)
	}
	if c.calls.Load() > 1 {
		t.Errorf("%d were asked whose answers could not be kept", c.calls.Load())
	}
}
