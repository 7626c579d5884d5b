package eval

import (
	"crypto/sha256"
	"fmt"
	"slices"
)

// Part is a part of a set: what is tuned on one is reported on the other.
type Part string

// The parts.
const (
	PartAll        Part = "all"
	PartValidation Part = "validation"
	PartTest       Part = "test"
)

// PartOf tells to which part a group belongs, by the first byte of its SHA-256: the
// same in every run, on every machine, whatever else is in the set.
func PartOf(group string) Part {
	if sha256.Sum256([]byte(group))[0] < 128 {
		return PartValidation
	}
	return PartTest
}

// halfOf halves the groups in another way, so that each part has halves too.
func halfOf(group string) int { return int(sha256.Sum256([]byte(group))[1] >> 7) }

// Part returns the items whose groups belong to the part; PartAll is the set. For
// retrieval the documents stay, and the questions are those of the part. An error
// means that there is no such part, or that nothing belongs to it.
func (s *Set) Part(p Part) (*Set, error) {
	switch p {
	case PartAll:
		return s, nil
	case PartValidation, PartTest:
	default:
		return nil, fmt.Errorf("eval: part %q is none of %s, %s, %s", p, PartValidation, PartTest, PartAll)
	}
	out := &Set{
		Name: s.Name, Of: p,
		Gate:    ofPart(s.Gate, p, func(it GateItem) string { return it.Group }),
		Strips:  ofPart(s.Strips, p, func(it StripItem) string { return it.Group }),
		Support: ofPart(s.Support, p, func(it SupportItem) string { return it.Group }),
		Useful:  ofPart(s.Useful, p, func(it UsefulItem) string { return it.Group }),
		Route:   ofPart(s.Route, p, func(it RouteItem) string { return it.Group }),
		Answers: ofPart(s.Answers, p, func(it AnswerItem) string { return it.Group }),
	}
	if s.Retrieval != nil {
		pool := *s.Retrieval
		pool.Questions = ofPart(pool.Questions, p, func(q RetrievalItem) string { return q.Group })
		out.Retrieval = &pool
	}
	if len(out.Tasks()) == 0 {
		return nil, fmt.Errorf("eval: no item of set %s is in its %s part", s.Name, p)
	}
	return out, nil
}

func ofPart[T any](items []T, p Part, group func(T) string) []T {
	return slices.DeleteFunc(slices.Clone(items), func(it T) bool { return PartOf(group(it)) != p })
}

// part is the set's part, which is all of it unless something was left out.
func (s *Set) part() Part {
	if s.Of == "" {
		return PartAll
	}
	return s.Of
}
