package prompted

import (
	"testing"

	"github.com/assay-rag/assay"
)

func TestShares(t *testing.T) {
	for _, c := range []struct {
		said, title, strip string
		want               bool
	}{
		{"26 weeks", "", "Parental leave is 26 weeks.", true},
		{"4", "", "The coffee machine is cleaned every Friday.", false},
		{"There is no limit for a hotel.", "Kitchen", "Beans are in the left cupboard.", false},
		{"the Kite gateway", "Kite gateway", "It weighs 1.2 kg.", true},
		{"weekly cleaning", "", "It is cleaned each week.", true}, // by the stem
		{"Yes", "", "It is so.", true},
		{"Nein, nie", "", "It is not.", true},
		{"no one", "", "Nobody came.", true}, // begins as a no does
		{"the", "", "It is so.", true},       // no word to go by
		{"20日", "", "休暇は20日です。", true},
		{"毎週の金曜日です。", "", "豆は左の棚にあります。", false},
		{"26 Wochen", "", "Parental leave is 26 weeks.", true},
		{"Die Elternzeit dauert für alle Angestellten ein halbes Jahr", "", "All employees may take leave for half of a year when a child is born.", true}, // another language
	} {
		strip := assay.Strip{Text: c.strip, Passage: assay.Passage{Title: c.title}}
		if got := shares(c.said, []*assay.Strip{&strip}); got != c.want {
			t.Errorf("%q and %q: %v, want %v", c.said, c.strip, got, c.want)
		}
	}
	if !shares("anything", nil) {
		t.Error("without strips there is nothing to tell by")
	}
}
