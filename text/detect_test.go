package text

import (
	"strings"
	"testing"
)

func TestDetect(t *testing.T) {
	for line := range strings.Lines(questions) {
		want, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if want == "-" {
			want = ""
		}
		if got := Detect(text); got != want {
			t.Errorf("Detect(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestDetectLong(t *testing.T) {
	for text, want := range map[string]string{
		prose: "en", proseGerman: "de", proseChinese: "zh",
		strings.ToUpper(proseGerman):                       "de",
		strings.Repeat(prose, 100) + proseChinese:          "en",
		"Go语言的 GOMAXPROCS 环境变量是什么意思？":                      "zh",
		"The word 漢字 means Chinese characters in Japanese": "en",
		strings.Repeat("word", 5000):                       "",
	} {
		if got := Detect(text); got != want {
			t.Errorf("Detect(%.60q…) = %q, want %q", text, got, want)
		}
	}
}

// questions are a language and a question in it a line; "-" stands for texts of
// which nobody can tell.
const questions = `en	How many days of parental leave do I get?
en	What is the difference between a mutex and a channel?
en	who won the 2018 world cup
en	when was the treaty of versailles signed
en	Can employees carry over unused vacation days?
en	What is Kubernetes?
en	how do I install docker on ubuntu
en	Where did van Gogh die and who was he with?
en	who plays the role of el chapo in narcos
en	where does the band la dispute come from
en	when did de gaulle become president of france
en	what was the name of the ship in pirates of the caribbean
en	how to set max_connections in postgres
en	why do cats purr when they are sick
en	list all open invoices for Q3
en	who is the ceo of apple
de	Wie viele Tage Elternzeit stehen mir zu?
de	Wie kann ich mein Passwort zurücksetzen?
de	Wann wurde die Berliner Mauer gebaut?
de	Was kostet die Lieferung nach Österreich pro Paket?
de	Welche Unterlagen brauche ich für den Antrag?
de	wo finde ich die rechnung vom letzten monat
fr	Combien de jours de congé parental ai-je droit ?
fr	Comment puis-je réinitialiser mon mot de passe ?
fr	Quelle est la capitale de l'Australie ?
fr	Où se trouve le bureau des ressources humaines ?
fr	Quand est-ce que la facture doit être payée ?
fr	quels sont les documents nécessaires pour la demande
es	¿Cuántos días de vacaciones tengo al año?
es	¿Cómo puedo restablecer mi contraseña?
es	Cuál es la capital de Australia y cuántos habitantes tiene
es	Dónde está la oficina de recursos humanos
it	Quanti giorni di congedo parentale mi spettano?
it	Come posso reimpostare la mia password?
it	Qual è la capitale della Francia e quanti abitanti ha?
it	Dove si trova l'ufficio delle risorse umane?
pt	Quantos dias de licença parental eu tenho?
pt	Como posso redefinir a minha senha do sistema?
pt	Qual é a capital da Austrália?
pt	Onde fica o escritório de recursos humanos?
nl	Hoeveel dagen ouderschapsverlof krijg ik?
nl	Hoe kan ik mijn wachtwoord opnieuw instellen?
nl	Wat is de hoofdstad van Australië en hoeveel mensen wonen er?
sv	Hur många dagar föräldraledighet har jag rätt till?
sv	Hur kan jag återställa mitt lösenord?
sv	Vad är skillnaden mellan en hund och en katt?
da	Hvor mange dages barsel har jeg ret til?
da	Hvordan kan jeg nulstille min adgangskode?
no	Hvor mange dager foreldrepermisjon har jeg rett til?
no	Hvordan kan jeg tilbakestille passordet mitt?
fi	Kuinka monta päivää vanhempainvapaata minulla on?
fi	Miten voin vaihtaa salasanani tässä palvelussa?
pl	Ile dni urlopu rodzicielskiego mi przysługuje?
pl	Jak mogę zresetować swoje hasło w systemie?
cs	Kolik dní rodičovské dovolené mám a jak o ni požádám?
tr	Kaç gün ebeveyn izni hakkım var ve nasıl başvurulur?
hu	Hány nap szülői szabadság jár nekem és hogyan kell kérni?
ro	Câte zile de concediu parental am și cum se cere?
id	Berapa hari cuti yang bisa saya dapat dalam setahun?
vi	Tôi được nghỉ phép bao nhiêu ngày trong một năm?
ru	Сколько дней отпуска мне положено?
uk	Скільки днів відпустки мені належить?
bg	Колко дни отпуск ми се полагат и как се иска?
zh	我可以休多少天育儿假？
ja	育児休暇は何日取れますか？
ko	육아휴직은 며칠인가요?
ar	كم عدد أيام إجازة الوالدين؟
fa	چند روز مرخصی زایمان دارم؟
he	כמה ימי חופשת לידה מגיעים לי?
el	Πόσες ημέρες γονικής άδειας δικαιούμαι;
th	ฉันลาคลอดได้กี่วัน
hi	मुझे कितने दिन की छुट्टी मिलेगी?
-	ok
-	go
-	hi
-	Kubernetes
-	MacBook Pro M3
-	docker compose up -d
-	SELECT id FROM users WHERE name = 'x';
-	GOMAXPROCS
-	Nikon D850
-	func main() { fmt.Println(x) }
-	el niño
-	Toyota Corolla Hybrid 2024
-	Volkswagen
-	de
-	die hard
-	E=mc2
-	42
-	???
-	reset password
-	What do der die das mean?
`
