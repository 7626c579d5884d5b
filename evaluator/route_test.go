package evaluator

import (
	"context"
	"testing"

	"github.com/assay-rag/assay"
)

func TestRoute(t *testing.T) {
	e := newEvaluator(t, nil)
	for question, retrieve := range map[string]bool{
		"hi":                       false,
		"Hello there!":             false,
		"Hey, how are you?":        false,
		"Thanks a lot 🙏":           false,
		"ok, thank you very much!": false,
		"Who are you?":             false,
		"what can you do":          false,
		"Good morning, everyone":   false,
		"bye":                      false,
		"Guten Tag!":               false,
		"Danke schön":              false,
		"Bonjour, ça va ?":         false,
		"¡Hola! ¿Qué tal?":         false,
		"你好":                       false,
		"ありがとう":                    false,
		"спасибо":                  false,

		"hi, how many days of leave do I get?":  true,
		"Thanks. And what about part-timers?":   true,
		"help":                                  true,
		"Who are you allowed to invite?":        true,
		"How do I say thanks to a colleague?":   true,
		"What can you do with the API?":         true,
		"great expectations":                    true,
		"hello world example":                   true,
		"Hello Kitty":                           true,
		"the team":                              true,
		"?":                                     true,
		"parental leave":                        true,
		"Wer bist du, und wie viel Urlaub gibt": true,
	} {
		got, err := e.Route(context.Background(), assay.Query{Question: question})
		if err != nil || got.Retrieve != retrieve || got.Mode != assay.ModeFull || got.Why == "" {
			t.Errorf("Route(%q) = %+v, %v; want Retrieve %t", question, got, err, retrieve)
		}
	}
}
