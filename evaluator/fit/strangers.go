package main

import (
	"strings"
)

// The sets hold few passages that are about something else: their negatives were
// searched for, and share the question's subject. A retriever asked about what
// it doesn't have returns just such strangers, so they are made here.
const (
	negativeStranger = "stranger"  // of another set
	negativeMate     = "same form" // of a question in the same words about another subject
)

// strangers returns negative rows made of the positive ones: each question with
// a text that answers another question, of another set, and of the same form in
// its own set.
func strangers(rows []answerRow, seed uint64) []answerRow {
	var positive []int
	mates := map[string][]int{}
	for i, r := range rows {
		if r.Label == 1 {
			positive = append(positive, i)
			key := r.Set + "\x00" + formOf(r.Question)
			mates[key] = append(mates[key], i)
		}
	}
	var out []answerRow
	pair := func(r answerRow, other answerRow, kind string) {
		if other.Group == r.Group && other.Set == r.Set || other.Question == r.Question || other.Text == r.Text {
			return
		}
		if len(r.Answer) >= answerLetters && strings.Contains(other.Text, r.Answer) {
			return
		}
		if kind == negativeMate && !lacksName(r.Question, other.Text) {
			return
		}
		out = append(out, answerRow{Question: r.Question, Text: other.Text, Set: r.Set, Sentence: other.Sentence, Negative: kind, Group: r.Group})
	}
	for _, i := range positive {
		r := rows[i]
		h := hash(r.Question+r.Text, seed+1)
		if h%3 == 0 {
			if other := rows[positive[h/3%uint64(len(positive))]]; other.Set != r.Set && other.Sentence == r.Sentence {
				pair(r, other, negativeStranger)
			}
		}
		if same := mates[r.Set+"\x00"+formOf(r.Question)]; len(same) > 1 && h%2 == 0 {
			pair(r, rows[same[h/2%uint64(len(same))]], negativeMate)
		}
	}
	return out
}

// formOf is the beginning of a question, which tells what is asked of what is
// yet to come.
func formOf(question string) string {
	words := strings.Fields(strings.ToLower(question))
	return strings.Join(words[:min(3, len(words))], " ")
}

// lacksName tells whether the text lacks a longer word of the question, so that
// it is about another subject.
func lacksName(question, text string) bool {
	folded := strings.ToLower(text)
	for _, w := range strings.Fields(strings.ToLower(question)) {
		if w = strings.Trim(w, "?,.'\"()"); len(w) >= 6 && !strings.Contains(folded, w[:5]) {
			return true
		}
	}
	return false
}
