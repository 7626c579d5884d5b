//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/evaluator"
	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/openai"
	"github.com/assay-rag/assay/prompted"
)

// figures are what one run over many questions comes to. The peer prints the same.
type figures struct {
	Questions int     `json:"questions"`
	Seconds   float64 `json:"seconds"`
	P50       float64 `json:"p50_ms"`
	P99       float64 `json:"p99_ms"`
	CPU       float64 `json:"cpu_ms"`   // of a question, the endpoint's left out
	EarlyMB   float64 `json:"early_mb"` // resident after a tenth of the questions
	EndMB     float64 `json:"end_mb"`   // resident at the end
}

// perSecond is how many questions were answered in a second.
func (f figures) perSecond() float64 { return float64(f.Questions) / f.Seconds }

// asking is how questions are asked.
type asking struct {
	judge    string // off, unsure or always
	stream   bool   // the answer, as it is checked
	again    bool   // the same question each time
	base     string // the model's address
	count    int    // of questions
	inFlight int    // of them at a time
}

// run asks the questions and measures.
func (a asking) run(ctx context.Context) (figures, error) {
	model, err := openai.New("fake", &openai.Options{BaseURL: a.base})
	if err != nil {
		return figures{}, err
	}
	engine, err := a.engine(model)
	if err != nil {
		return figures{}, err
	}
	if err := a.ask(ctx, engine, 0); err != nil { // warm
		return figures{}, err
	}
	f := figures{Questions: a.count}
	took := make([]time.Duration, a.count)
	var next atomic.Int64
	var asking sync.WaitGroup
	var failed error
	var once sync.Once
	start, used := time.Now(), processor()
	for range a.inFlight {
		asking.Go(func() {
			for n := next.Add(1); int(n) <= a.count; n = next.Add(1) {
				began := time.Now()
				if err := a.ask(ctx, engine, int(n)); err != nil {
					once.Do(func() { failed = fmt.Errorf("question %d: %w", n, err) })
					return
				}
				took[n-1] = time.Since(began)
				if int(n) == max(1, a.count/10) {
					f.EarlyMB = resident()
				}
			}
		})
	}
	asking.Wait()
	f.Seconds, f.EndMB = time.Since(start).Seconds(), resident()
	f.CPU = milliseconds(processor()-used) / float64(a.count)
	slices.Sort(took)
	f.P50, f.P99 = milliseconds(took[len(took)/2]), milliseconds(took[len(took)*99/100])
	return f, failed
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// processor is how much time of processors the process has had.
func processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// resident is how much memory the process holds, in MB.
func resident() float64 {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, pages float64
	fmt.Fscan(bytes.NewReader(data), &size, &pages)
	return pages * float64(os.Getpagesize()) / 1e6
}

// engine is the loop around the model, with the decorators that the program itself
// puts around one, but for the cache of replies: no question comes twice.
func (a asking) engine(model llm.Model) (*assay.Engine, error) {
	safe := llm.Resilient(llm.Metered(model, llm.MeterOptions{Name: "fake"}), &llm.ResilientOptions{Parallel: 64})
	parts := evaluator.Parts(assay.RetrieverFunc(retrieve))
	parts.Answerer = prompted.NewGenerator(safe, &prompted.GeneratorOptions{Else: parts.Answerer})
	judge := prompted.NewJudge(safe, nil)
	switch a.judge {
	case "off":
	case "unsure":
		parts.Grader = prompted.NewCascade(parts.Grader, judge, nil)
		parts.Checker = prompted.NewCheckCascade(parts.Checker, judge)
	case "always":
		parts.Grader, parts.Checker, parts.Usefulness = judge, judge, judge
	default:
		return nil, fmt.Errorf("a judge is asked off, unsure or always, and not %q", a.judge)
	}
	return assay.New(parts, nil)
}

// page is a document of an order, in which both have the place of a number. Its
// length and its number of sentences are those of the usual example's.
const page = `Page DOC tells how the shop treats order NUMBER once it is paid.
Order NUMBER leaves the warehouse on the next working day.
A message with a link to follow order NUMBER is sent by e-mail.
The parcel of order NUMBER is insured until it is handed over.
Refunds for order NUMBER are accepted within 30 days of delivery.
What was damaged in order NUMBER is replaced without a charge.
The invoice of order NUMBER is kept in the account for ten years.
Questions on order NUMBER are answered by the support team.
Gift cards that paid for order NUMBER get their value back.
The address of order NUMBER can be changed until it is packed.
Two neighbours may sign for order NUMBER when nobody is home.
The packaging of order NUMBER is made of recycled paper.
`

// retrieve finds the four documents of the order that the question names. They hold no
// sentence that another order's hold, so that nothing is known beforehand.
func retrieve(_ context.Context, s assay.Search) ([]assay.Passage, error) {
	words := strings.FieldsFunc(s.Words, func(r rune) bool { return r < '0' || r > '9' })
	if len(words) == 0 {
		return nil, nil
	}
	out := make([]assay.Passage, 4)
	for i := range out {
		text := strings.ReplaceAll(strings.ReplaceAll(page, "NUMBER", words[0]), "DOC", strconv.Itoa(i))
		name := fmt.Sprintf("orders/%s/%d.md", words[0], i)
		out[i] = assay.Passage{Document: name, Title: name, Language: "en", Text: text, End: len(text), Score: float64(4 - i)}
	}
	return out, nil
}

// Questions that the four documents answer. Of the second the evaluator isn't sure.
const (
	plain = "Are refunds for order %d accepted within 30 days of delivery?"
	other = "What is the refund window of order %d?"
)

// ask asks the nth question. To have no answer is an error: a loop that gives up is
// fast.
func (a asking) ask(ctx context.Context, e *assay.Engine, n int) error {
	if a.again {
		n = 1
	}
	q := assay.Query{Question: fmt.Sprintf(plain, n)}
	if a.judge == "unsure" {
		q.Question = fmt.Sprintf(other, n)
	}
	if a.stream {
		q.Streaming = assay.StreamVerified
	}
	got, err := answered(ctx, e, q)
	if err != nil {
		return err
	}
	if got.Outcome == assay.Abstained || len(got.Citations) == 0 {
		return fmt.Errorf("%s, %q, where an answer with citations was to come: %v", got.Outcome, got.Text, got.Reasons)
	}
	return nil
}

// answered asks, and listens to what is told before the end where the query wants it.
func answered(ctx context.Context, e *assay.Engine, q assay.Query) (last *assay.Answer, err error) {
	if q.Streaming == assay.StreamNothing {
		return e.Ask(ctx, q)
	}
	for event, err := range e.Stream(ctx, q) {
		if err != nil {
			return nil, err
		}
		last = event.Answer
	}
	return last, nil
}
