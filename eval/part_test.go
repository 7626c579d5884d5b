package eval

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-rag/assay"
)

// The division must be the same everywhere and forever: whoever tuned on one part
// must not report it.
func TestPartOf(t *testing.T) {
	for group, want := range map[string]Part{"": PartTest, "Ada Holm": PartTest, "a": PartTest, "b": PartValidation, "Harbour of Lund": PartValidation} {
		if got := PartOf(group); got != want {
			t.Errorf("%q is in %s, want %s", group, got, want)
		}
	}
	parts := map[string]int{}
	for i := range 1000 {
		g := fmt.Sprint(i)
		parts[fmt.Sprint(PartOf(g), halfOf(g))]++
	}
	for _, n := range parts {
		if len(parts) != 4 || n < 200 {
			t.Errorf("the parts and their halves have %v of 1000", parts)
		}
	}
}

func TestSetPart(t *testing.T) {
	set := load(t, "popqa.jsonl")
	validation, err1 := set.Part(PartValidation)
	test, err2 := set.Part(PartTest)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if len(validation.Gate)+len(test.Gate) != len(set.Gate) || len(validation.Route)+len(test.Route) != len(set.Route) {
		t.Errorf("%d and %d of %d items", len(validation.Gate), len(test.Gate), len(set.Gate))
	}
	for _, it := range test.Gate {
		if slices.ContainsFunc(validation.Gate, func(o GateItem) bool { return o.Group == it.Group }) {
			t.Errorf("group %s is in both parts", it.Group)
		}
	}
	if len(test.Retrieval.Documents) != len(set.Retrieval.Documents) || len(test.Retrieval.Questions) >= len(set.Retrieval.Questions) {
		t.Errorf("retrieval has %d documents and %d questions", len(test.Retrieval.Documents), len(test.Retrieval.Questions))
	}
	r, err := Gate(t.Context(), test, []GateSystem{AlwaysGate()}, nil)
	if err != nil || r.Part != PartTest {
		t.Errorf("the report is of %s: %v", r.Part, err)
	}
	var b strings.Builder
	if err := r.WriteTable(&b); err != nil || !strings.HasPrefix(b.String(), "gate · popqa, test part · ") {
		t.Errorf("the table begins %q: %v", b.String()[:40], err)
	}
	if whole, err := set.Part(PartAll); err != nil || whole != set {
		t.Errorf("all of the set is %p, %v; want the set", whole, err)
	}
	if _, err := set.Part("training"); err == nil || !strings.Contains(err.Error(), `part "training" is none of`) {
		t.Errorf("error is %v", err)
	}
	one := &Set{Name: "one", Gate: []GateItem{{Question: "q", Group: "b"}}}
	if _, err := one.Part(PartTest); err == nil || !strings.Contains(err.Error(), "no item of set one is in its test part") {
		t.Errorf("error is %v", err)
	}
}

func TestPooled(t *testing.T) {
	pooled, err := load(t, "popqa.jsonl").Pooled()
	if err != nil {
		t.Fatal(err)
	}
	if pooled.Name != "popqa pooled" || !slices.Equal(pooled.Tasks(), []Task{TaskGate}) {
		t.Errorf("it is %s, for %v", pooled.Name, pooled.Tasks())
	}
	for i, it := range pooled.Gate {
		if it.Positive != (i%2 == 0) || it.Kind == "" || len(it.Passages) == 0 {
			t.Errorf("item %d is %+v; want with and without its own passage in turn", i, it)
		}
		if own := slices.ContainsFunc(it.Passages, func(p assay.Passage) bool { return strings.HasPrefix(p.Title, it.Group) }); own != it.Positive {
			t.Errorf("item %d of %s, positive %v, has its own passage: %v", i, it.Group, it.Positive, own)
		}
	}
	if first := pooled.Gate[0]; first.Passages[0].Title != "Ada Holm" {
		t.Errorf("BM25 finds %q first for %q", first.Passages[0].Title, first.Question)
	}
	if _, err := load(t, "own_support.jsonl").Pooled(); err == nil || !strings.Contains(err.Error(), "no passages to be pooled") {
		t.Errorf("error is %v", err)
	}
}
