package text

import (
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
)

// language is what is known of a language. Its fields never change.
type language struct {
	code string
	// stem is the Snowball stemmer; nil leaves words as they are.
	stem func(*snowballstem.Env) bool
	// stops are the folded stop words.
	stops func() map[string]struct{}
	// elides says that short words lose their vowel before another and are
	// written in one with it: l'eau, dell'arte.
	elides bool
	// endings are frequent ones that the stemmer knows with their accent alone,
	// as people type them and as they are spelt. Pairs.
	endings []string
}

// accented returns the word with the accent of its ending.
func (l *language) accented(word string) string {
	for i := 0; i < len(l.endings); i += 2 {
		if stem, ok := strings.CutSuffix(word, l.endings[i]); ok {
			return stem + l.endings[i+1]
		}
	}
	return word
}

// languages are those with a stemmer, by ISO 639-1 code.
var languages = byCode(
	language{code: "en", stem: english.Stem, stops: list(stopEnglish)},
	language{code: "de", stem: german.Stem, stops: list(stopGerman)},
	language{code: "fr", stem: french.Stem, stops: list(stopFrench), elides: true},
	language{code: "es", stem: spanish.Stem, stops: list(stopSpanish), endings: []string{"cion", "ción", "sion", "sión"}},
	language{code: "it", stem: italian.Stem, stops: list(stopItalian), elides: true},
	language{code: "pt", stem: portuguese.Stem, stops: list(stopPortuguese), endings: []string{"cao", "ção", "coes", "ções"}},
	language{code: "nl", stem: dutch.Stem, stops: list(stopDutch)},
	language{code: "sv", stem: swedish.Stem, stops: list(stopSwedish)},
	language{code: "da", stem: danish.Stem, stops: list(stopDanish)},
	language{code: "no", stem: norwegian.Stem, stops: list(stopNorwegian)},
	language{code: "nb", stem: norwegian.Stem, stops: list(stopNorwegian)},
	language{code: "fi", stem: finnish.Stem, stops: list(stopFinnish)},
	language{code: "ru", stem: russian.Stem, stops: list(stopRussian)},
	language{code: "ar", stem: arabic.Stem, stops: list("")},
	language{code: "hu", stem: hungarian.Stem, stops: list("")},
	language{code: "ga", stem: irish.Stem, stops: list("")},
	language{code: "ro", stem: romanian.Stem, stops: list("")},
	language{code: "ta", stem: tamil.Stem, stops: list("")},
	language{code: "tr", stem: turkish.Stem, stops: list("")},
)

func byCode(all ...language) map[string]*language {
	m := make(map[string]*language, len(all))
	for i := range all {
		m[all[i].code] = &all[i]
	}
	return m
}

// list makes a set of the words when it is first asked for.
func list(words string) func() map[string]struct{} {
	return sync.OnceValue(func() map[string]struct{} {
		set := make(map[string]struct{})
		for w := range strings.FieldsSeq(words) {
			set[Fold(w)] = struct{}{}
		}
		return set
	})
}

// languageOf returns the language of the code: English where it is unknown.
func languageOf(code string) *language {
	if l := languages[code]; l != nil {
		return l
	}
	return languages["en"]
}

// IsStop tells whether the folded word is a stop word of the language (an ISO
// 639-1 code; unknown or empty: English). Question words are stop words.
func IsStop(word, language string) bool {
	_, stop := languageOf(language).stops()[word]
	return stop
}
