package evaluator

import (
	"context"
	"strings"
	"unicode"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// Route decides that nothing is retrieved only where the whole question is small
// talk: greetings, thanks, farewells, and questions about the program itself.
// The mode is always full, because here grading and checking cost nothing. It
// never returns an error.
func (e *Evaluator) Route(_ context.Context, q assay.Query) (assay.Route, error) {
	if smallTalk(q.Question) {
		return assay.Route{Mode: assay.ModeFull, Why: "small talk, nothing to look up"}, nil
	}
	return assay.Route{Retrieve: true, Mode: assay.ModeFull, Why: "grading and checking cost nothing here"}, nil
}

// maxSmallTalk is the longest small talk, in words: a judgement.
const maxSmallTalk = 9

// smallTalk tells whether s is made of nothing but courtesies.
func smallTalk(s string) bool {
	words := questionWords(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.So, r) { // emoji
			return ' '
		}
		return r
	}, s))
	if len(words) == 0 || len(words) > maxSmallTalk {
		return false
	}
	courtesy := false
	for at := 0; at < len(words); {
		n := longestPhrase(words[at:])
		switch {
		case n > 0:
			at += n
			courtesy = true
		case courtesyFillers[words[at]]:
			at++
		default:
			return false
		}
	}
	return courtesy
}

// longestPhrase is how many words the longest courtesy takes at their beginning.
func longestPhrase(words []string) int {
	for n := min(len(words), 6); n > 0; n-- {
		if courtesies[strings.Join(words[:n], " ")] {
			return n
		}
	}
	return 0
}

// courtesyFillers stand beside a courtesy and say nothing by themselves.
var courtesyFillers = set("there again all everyone team folks assistant assay bot so very much a lot and please today my friend for your the help you too")

// courtesies are folded phrases, one a line.
var courtesies = phrases(`
hi
hello
hey
hiya
howdy
yo
good morning
good afternoon
good evening
good night
greetings
how are you
how are you doing
how is it going
how s it going
what is up
what s up
nice to meet you
thanks
thank you
thank you very much
many thanks
thanks a lot
thx
ty
cheers
great
ok
okay
cool
perfect
bye
goodbye
bye bye
see you
see you later
have a nice day
who are you
what are you
what is your name
what can you do
what do you do
how can you help me
are you a bot
are you a robot
are you human
are you a human
are you an ai
are you there
hallo
guten tag
guten morgen
guten abend
servus
moin
wie geht es dir
wie geht es ihnen
wie geht s
danke
danke schon
dankeschon
vielen dank
tschuss
auf wiedersehen
wer bist du
wer sind sie
was kannst du
bonjour
bonsoir
salut
coucou
comment ca va
ca va
merci
merci beaucoup
au revoir
qui es tu
qui etes vous
hola
buenos dias
buenas tardes
buenas noches
como estas
que tal
gracias
muchas gracias
adios
hasta luego
quien eres
ciao
buongiorno
buonasera
grazie
grazie mille
arrivederci
chi sei
ola
bom dia
boa tarde
boa noite
obrigado
obrigada
tchau
hoi
goedemorgen
dank je
dank u
hej
tack
привет
здравствуйте
спасибо
пока
до свидания
кто ты
你好
您好
谢谢
再见
你是谁
こんにちは
ありがとう
ありがとうございます
さようなら
안녕하세요
감사합니다
`)

// phrases folds each line of a list as questions are folded.
func phrases(list string) map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(list) {
		if words := questionWords(line); len(words) > 0 {
			for i, w := range words {
				words[i] = text.Fold(w)
			}
			out[strings.Join(words, " ")] = true
		}
	}
	return out
}
