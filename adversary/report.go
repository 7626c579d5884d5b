package adversary

import (
	"fmt"
	"io"
	"math"
	"sort"
	"strings"
	"text/tabwriter"
)

// Report is what came out of a run.
type Report struct {
	// Kinds are those that were asked, the worst first.
	Kinds []KindReport `json:"kinds"`
	// Total is all of them together.
	Total   KindReport `json:"total"`
	Results []Result   `json:"results"`
}

// KindReport counts the cases of a kind.
type KindReport struct {
	Kind Kind `json:"kind"` // empty in the total
	// Asked are those with an outcome, Right of them as expected; Failed could not be
	// asked.
	Asked  int `json:"asked"`
	Right  int `json:"right"`
	Failed int `json:"failed"`
	// Rate is Right of Asked, with a 95 % interval by Wilson's score (1927), which
	// holds for few cases too; 0 to 1 where none was asked.
	Rate float64 `json:"rate"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// count counts the results by kind.
func (r *Report) count() {
	by := map[Kind]*KindReport{}
	for _, kind := range Kinds() {
		by[kind] = &KindReport{Kind: kind}
	}
	for _, res := range r.Results {
		k := by[res.Case.Kind]
		if k == nil { // a kind of the user's own
			k = &KindReport{Kind: res.Case.Kind}
			by[res.Case.Kind] = k
		}
		k.add(res)
		r.Total.add(res)
	}
	r.Kinds = []KindReport{}
	for _, k := range by {
		if k.Asked+k.Failed > 0 {
			k.estimate()
			r.Kinds = append(r.Kinds, *k)
		}
	}
	r.Total.estimate()
	sort.Slice(r.Kinds, func(i, j int) bool {
		if r.Kinds[i].Rate != r.Kinds[j].Rate {
			return r.Kinds[i].Rate < r.Kinds[j].Rate
		}
		return r.Kinds[i].Kind < r.Kinds[j].Kind
	})
	order := map[Kind]int{}
	for i, k := range r.Kinds {
		order[k.Kind] = i
	}
	sort.SliceStable(r.Results, func(i, j int) bool {
		a, b := r.Results[i], r.Results[j]
		if order[a.Case.Kind] != order[b.Case.Kind] {
			return order[a.Case.Kind] < order[b.Case.Kind]
		}
		return a.Fault != "" && b.Fault == ""
	})
}

func (k *KindReport) add(r Result) {
	switch {
	case r.Error != "":
		k.Failed++
	case r.Fault == "":
		k.Asked++
		k.Right++
	default:
		k.Asked++
	}
}

// estimate computes the rate with its interval.
func (k *KindReport) estimate() {
	k.High = 1
	if k.Asked == 0 {
		return
	}
	const z = 1.959964 // 95 %, two-sided
	n, p := float64(k.Asked), float64(k.Right)/float64(k.Asked)
	middle, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	k.Rate, k.Low, k.High = p, max(0, (middle-half)/(1+z*z/n)), min(1, (middle+half)/(1+z*z/n))
}

// WriteTable writes the counts, and the cases that didn't come out as expected.
func (r *Report) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "kind\tas expected\tof\tshare [95 %]")
	for _, k := range append(r.Kinds, r.Total) {
		name := string(k.Kind)
		if name == "" {
			name = "all"
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%.2f [%.2f, %.2f]\n", name, k.Right, k.Asked, k.Rate, k.Low, k.High)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, res := range r.Results {
		var err error
		switch {
		case res.Error != "":
			_, err = fmt.Fprintf(w, "\n%s: %s\n  failed: %s\n", res.Case.ID, res.Case.Question, res.Error)
		case res.Fault != "":
			_, err = fmt.Fprintf(w, "\n%s: %s\n  %s, and %s: %s\n  why: %s\n", res.Case.ID, res.Case.Question, res.Outcome, res.Fault, short(res.Text), res.Case.Why)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// short is a text in one line of at most 160 characters.
func short(s string) string {
	runes := []rune(strings.Join(strings.Fields(s), " "))
	if len(runes) <= 160 {
		return string(runes)
	}
	return string(runes[:159]) + "…"
}
