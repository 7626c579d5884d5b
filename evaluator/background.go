package evaluator

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// background is how often words occur in text at large: it weighs the words of
// a question where no index does, and steadies the counts of a small one.
//
// The table is kept as text and searched in place: one line a term, sorted by
// bytes, the last byte of a line its level. A level is the term's inverse
// document frequency, -ln(share of passages with the term), in steps of
// levelStep from levelZero. Nothing is parsed when a program starts.
type background struct {
	passages int     // how many passages were counted
	unseen   float64 // the share of a term that is not in the table
	table    string
}

const (
	levelZero = '!'
	levelStep = 0.15
	levelTop  = '~'
)

// newBackground reads the form that WriteBackground writes.
func newBackground(s string) (background, error) {
	head, table, ok := strings.Cut(s, "\n")
	fields := strings.Fields(head)
	if !ok || len(fields) != 4 || fields[0] != "passages" || fields[2] != "unseen" {
		return background{}, fmt.Errorf("background table: the first line is %.40q, not \"passages N unseen SHARE\"; write the table again with the fit program", head)
	}
	n, err := strconv.Atoi(fields[1])
	if err != nil {
		return background{}, fmt.Errorf("background table: passages: %w", err)
	}
	unseen, err := strconv.ParseFloat(fields[3], 64)
	if err != nil || !(unseen > 0 && unseen < 1) {
		return background{}, fmt.Errorf("background table: the share %q of unseen terms is not between 0 and 1", fields[3])
	}
	return background{n, unseen, table}, nil
}

// share returns the share of passages that hold the term, in (0, 1).
func (b background) share(term string) float64 {
	lo, hi := 0, len(b.table)
	for lo < hi {
		mid := lo + (hi-lo)/2
		start := strings.LastIndexByte(b.table[lo:mid], '\n') + 1 + lo
		end := strings.IndexByte(b.table[start:], '\n')
		if end < 0 {
			return b.unseen
		}
		end += start
		line := b.table[start:end]
		switch strings.Compare(line[:len(line)-1], term) {
		case 0:
			return math.Exp(-levelStep * float64(line[len(line)-1]-levelZero))
		case -1:
			lo = end + 1
		default:
			hi = start
		}
	}
	return b.unseen
}

// WriteBackground writes a table of how often terms occur in passages at large:
// counts holds, for each term, the number of passages with it. Terms in fewer
// than five passages are left out, and all but the limit most frequent.
func WriteBackground(w io.Writer, passages int, counts map[string]int, limit int) error {
	const atLeast = 5 // what is rarer is a misspelling or a name more often than a word
	type entry struct {
		term string
		n    int
	}
	var kept []entry
	for term, n := range counts {
		if n >= atLeast && term != "" && !strings.ContainsAny(term, "\n\r") {
			kept = append(kept, entry{term, n})
		}
	}
	slices.SortFunc(kept, func(a, b entry) int {
		if a.n != b.n {
			return b.n - a.n
		}
		return strings.Compare(a.term, b.term)
	})
	unseen := float64(atLeast) / 2 / float64(passages)
	if len(kept) > limit {
		unseen = float64(kept[limit].n) / 2 / float64(passages)
		kept = kept[:limit]
	}
	slices.SortFunc(kept, func(a, b entry) int { return strings.Compare(a.term, b.term) })
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "passages %d unseen %.3g\n", passages, unseen)
	for _, e := range kept {
		level := math.Round(-math.Log(float64(e.n)/float64(passages)) / levelStep)
		out.WriteString(e.term)
		out.WriteByte(byte(min(max(levelZero+level, levelZero), levelTop)))
		out.WriteByte('\n')
	}
	return out.Flush()
}
