package llm_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/assay-rag/assay/llm"
)

func TestMeterRefusesWhatWouldExceed(t *testing.T) {
	for _, c := range []struct {
		name   string
		budget llm.Budget
		wants  []llm.Usage
		spent  string // which bound the last want meets; empty: none
	}{
		{"a limit of 3 is 3", llm.Budget{Searches: 3}, []llm.Usage{{Searches: 1}, {Searches: 1}, {Searches: 1}}, ""},
		{"and not 4", llm.Budget{Searches: 3}, []llm.Usage{{Searches: 3}, {Searches: 1}}, "searches: at most 3"},
		{"zero is the default", llm.Budget{}, []llm.Usage{{Drafts: 2}, {Drafts: 1}}, "drafts: at most 2"},
		{"negative is none", llm.Budget{Calls: -1}, []llm.Usage{{Calls: 1}}, "calls: at most 0"},
		{"tokens", llm.Budget{Tokens: 100}, []llm.Usage{{Calls: 1, Tokens: 101}}, "tokens: at most 100"},
		{"money", llm.Budget{Money: 0.01}, []llm.Usage{{Money: 0.006}, {Money: 0.006}}, "money: at most $0.0100"},
		{"what is not wanted does not count", llm.Budget{Searches: -1}, []llm.Usage{{Drafts: 1}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := llm.NewMeter(c.budget)
			var err error
			for i, w := range c.wants {
				before := m.Used()
				if err = m.Reserve(w); err != nil {
					if i < len(c.wants)-1 {
						t.Fatalf("want %d: %v", i, err)
					}
					if m.Used() != before {
						t.Error("a refusal took something")
					}
				}
			}
			if (err != nil) != (c.spent != "") || err != nil && (!errors.Is(err, llm.ErrSpent) || !strings.Contains(err.Error(), c.spent)) {
				t.Errorf("got %v, want %q", err, c.spent)
			}
		})
	}
}

func TestMeterSettles(t *testing.T) {
	m := llm.NewMeter(llm.Budget{Tokens: 100})
	if err := m.Reserve(llm.Usage{Calls: 1, Tokens: 90}); err != nil {
		t.Fatal(err)
	}
	m.Settle(llm.Usage{Tokens: -60})
	if err := m.Reserve(llm.Usage{Calls: 1, Tokens: 70}); err != nil {
		t.Errorf("what was given back can't be used: %v", err)
	}
	if got := m.Used(); got.Tokens != 100 || got.Calls != 2 {
		t.Errorf("used %+v", got)
	}
}

func TestMeterIsSharedThroughTheContext(t *testing.T) {
	m := llm.NewMeter(llm.Budget{Calls: 50})
	ctx := llm.WithMeter(context.Background(), m)
	var refused sync.Map
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			if llm.MeterFrom(ctx).Reserve(llm.Usage{Calls: 1}) != nil {
				refused.Store(i, true)
			}
		})
	}
	wg.Wait()
	n := 0
	refused.Range(func(any, any) bool { n++; return true })
	if n != 50 || m.Used().Calls != 50 {
		t.Errorf("%d refused, %d used, of a budget of 50", n, m.Used().Calls)
	}
}

func TestNoMeterBoundsNothing(t *testing.T) {
	m := llm.MeterFrom(context.Background())
	if err := m.Reserve(llm.Usage{Searches: llm.Unlimited, Money: 1e9}); err != nil {
		t.Error(err)
	}
	m.Settle(llm.Usage{Calls: 1})
	if searches, drafts := m.Left(); searches == 0 || drafts == 0 || m.Used() != (llm.Usage{}) {
		t.Error("a nil meter counts")
	}
}
