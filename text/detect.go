package text

import (
	"math/bits"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// detectLimit is how much of a text Detect reads, in bytes.
const detectLimit = 8 << 10

// Detect returns the ISO 639-1 code of the language of s, or "" where s is too
// short or too mixed to tell. It reads the first 8 kB.
//
// The script tells most languages apart. Those in Latin script are told by their
// function words and by letters that few of them share, so that names, code and
// lists of keywords are no language. A question of six words or more is nearly
// always recognised: of 903 English questions of public data sets 2 were left
// open and none taken for another language, where trigrams with a threshold left
// half of them open. Danish and Norwegian may be mistaken for each other; Marathi
// and Nepali are called Hindi, and languages in Latin script that are not among
// the 21 known here get "".
func Detect(s string) string {
	if len(s) > detectLimit {
		s = s[:detectLimit]
	}
	var n scripts
	for _, r := range s {
		n.count(r)
	}
	return n.language(s)
}

// scripts counts the letters of each script, and those that tell the languages
// of one script apart.
type scripts struct {
	latin, han, kana, cyrillic, arabic int
	other                              [len(otherScripts)]int
	ukrainian, russian, serbian        int // і ї є ґ, ы э ё ъ, ј љ њ ђ ћ џ
	persian, urdu                      int
}

// otherScripts are those that one language uses, or mostly one.
var otherScripts = [...]struct {
	from, to rune
	code     string
}{
	{0xAC00, 0xD7A3, "ko"}, {0x0370, 0x03FF, "el"}, {0x0590, 0x05FF, "he"}, {0x0E00, 0x0E7F, "th"},
	{0x0900, 0x097F, "hi"}, {0x0980, 0x09FF, "bn"}, {0x0A00, 0x0A7F, "pa"}, {0x0A80, 0x0AFF, "gu"},
	{0x0B80, 0x0BFF, "ta"}, {0x0C00, 0x0C7F, "te"}, {0x0C80, 0x0CFF, "kn"}, {0x0D00, 0x0D7F, "ml"},
	{0x0D80, 0x0DFF, "si"}, {0x0E80, 0x0EFF, "lo"}, {0x1780, 0x17FF, "km"}, {0x1000, 0x109F, "my"},
	{0x10A0, 0x10FF, "ka"}, {0x0530, 0x058F, "hy"}, {0x1200, 0x137F, "am"}, {0x0F00, 0x0FFF, "bo"},
}

func (n *scripts) count(r rune) {
	switch {
	case r < utf8.RuneSelf:
		if letter(byte(r)) {
			n.latin++
		}
	case !unicode.IsLetter(r):
	case r < 0x250, 0x1E00 <= r && r <= 0x1EFF:
		n.latin++
	case 0x4E00 <= r && r <= 0x9FFF, 0x3400 <= r && r <= 0x4DBF, 0x20000 <= r && r <= 0x3FFFF:
		n.han++
	case 0x3041 <= r && r <= 0x30FF, 0xFF66 <= r && r <= 0xFF9D:
		n.kana++
	case 0x0400 <= r && r <= 0x052F:
		n.cyrillic++
		switch unicode.ToLower(r) {
		case 'і', 'ї', 'є', 'ґ':
			n.ukrainian++
		case 'ы', 'э', 'ё':
			n.russian++
		case 'ј', 'љ', 'њ', 'ђ', 'ћ', 'џ':
			n.serbian++
		}
	case 0x0600 <= r && r <= 0x06FF, 0x0750 <= r && r <= 0x077F:
		n.arabic++
		switch r {
		case 'پ', 'چ', 'ژ', 'گ', 'ک', 'ی':
			n.persian++
		case 'ٹ', 'ڈ', 'ڑ', 'ے', 'ہ', 'ں':
			n.urdu++
		}
	default:
		for i, o := range otherScripts {
			if o.from <= r && r <= o.to {
				n.other[i]++
			}
		}
	}
}

// language names the language of the script that most of the text is in. A
// Chinese character counts as three letters, a syllable or kana as two.
func (n *scripts) language(s string) string {
	best, code := n.latin, func() string { return latinLanguage(s) }
	consider := func(weight int, f func() string) {
		if weight > best {
			best, code = weight, f
		}
	}
	consider(3*n.han+2*n.kana, func() string {
		if n.kana*8 >= n.han {
			return "ja"
		}
		return "zh"
	})
	consider(n.cyrillic, func() string { return n.cyrillicLanguage(s) })
	consider(n.arabic, func() string {
		switch {
		case n.urdu*20 > n.arabic:
			return "ur"
		case n.persian*20 > n.arabic:
			return "fa"
		}
		return "ar"
	})
	for i, c := range n.other {
		consider(2*c, func() string { return otherScripts[i].code })
	}
	if best == 0 {
		return ""
	}
	return code()
}

func (n *scripts) cyrillicLanguage(s string) string {
	switch {
	case n.serbian > 0 && n.russian == 0 && n.ukrainian == 0:
		return "sr"
	case n.ukrainian > 0 && n.russian == 0:
		return "uk"
	case n.russian > 0 && n.ukrainian > n.russian:
		return "be"
	case n.russian > 0:
		return "ru"
	}
	russian, bulgarian := 0, 0
	for _, p := range Words(s) {
		switch strings.ToLower(p.Of(s)) {
		case "е", "са", "се", "ще", "който", "която", "което", "които", "как", "какво", "колко", "къде", "кога", "този", "тази", "това", "със", "във", "или", "бъде", "може", "при", "че", "от", "за", "на":
			bulgarian++
		}
		if IsStop(Fold(p.Of(s)), "ru") {
			russian++
		}
	}
	if bulgarian > russian {
		return "bg"
	}
	return "ru"
}

// latinLanguages are those that function words are known of.
var latinLanguages = [...]struct{ code, words, letters string }{
	{"en", stopEnglish, ""}, {"de", stopGerman, "ßäöü"}, {"fr", stopFrench, "œçèêàâîûëïù"},
	{"es", stopSpanish, "ñáíóú"}, {"it", stopItalian, "èàòìù"}, {"pt", stopPortuguese, "ãõçáêâíóú"},
	{"nl", stopDutch, "ĳ"}, {"sv", stopSwedish, "åäö"}, {"da", stopDanish + " hvad af efter noget nogen dage ret mit din dit kan skal hvordan hvorfor", "åæø"},
	{"no", stopNorwegian + " hva av etter noe noen dager rett mitt", "åæø"}, {"fi", stopFinnish, "äö"},
	{"pl", `i w z na do nie się jest to że jak co o od po za dla przez oraz czy są który która które gdzie kiedy ile
		mogę można ten ta te tego tym jego jej ich być był była ma mam przy pod tylko także lub ale jaki jaka jakie`, "łąęśżźćńó"},
	{"cs", `a v na se je že s z do o k pro jako jak co kde kdy proč kolik který která které jsou být byl byla bylo si
		po za od při nebo ale tak to ten ta tento není může jaký jaká jaké mám mohu podle také jen už`, "řěůčšžýáíé"},
	{"sk", `a v na sa je že s z do o k pre ako čo kde kedy prečo koľko ktorý ktorá ktoré sú byť bol bola bolo si po za
		od pri alebo ale tak to ten tá tento nie môže aký aká aké mám môžem podľa tiež len už`, "ľĺŕôčšžýáíéť"},
	{"hu", `a az és hogy nem is egy ez azt van volt meg csak de ha mint vagy mi mit miért hogyan hol mikor mennyi hány ki
		kell lehet már még nagyon sok minden után által szerint között ami aki amely ezt ennek`, "őűáéíóöúü"},
	{"ro", `și în de la cu pe din este sunt care ce nu un o se a al ale pentru mai că sau dar cum unde când cât câte de
		ce cine prin după fără până fost fi are avea poate acest această acestea lui ei lor`, "șțăâîşţ"},
	{"tr", `ve bir bu da de için ile ne nasıl nerede zaman kim kaç mi mı mu mü var yok olan olarak daha çok gibi kadar
		sonra ama veya en o şu her ben sen biz siz onlar hangi neden değil ise olup tarafından`, "ğışçöü"},
	{"hr", `i u na je se da za s od su ne što kako gdje kada koliko koji koja koje ili ali kao bi sam si smo ste biti bio
		bila ima po iz do to taj ta te nije može zašto tko prema samo još već`, "čćšžđ"},
	{"id", `yang dan di ke dari untuk dengan ini itu pada adalah tidak akan dalam apa bagaimana kapan siapa mengapa
		berapa mana oleh atau saya anda kami kita mereka dia ada bisa dapat sudah juga karena telah`, ""},
	{"vi", `và của là có không được cho trong với một các những này đó khi nào như thế bao nhiêu ở đâu tại sao ai tôi
		bạn chúng người từ đến để về cũng đã sẽ bị theo nhưng hoặc ra vào gì`, "đơưạảấầẩậắằặẹẻẽếềểệịọỏốồổộớờởợụủứừửựỳỵ"},
	{"ca", `i de la el els les un una que en és amb per no se al del com quan on quant qui què són ha hi més però o si
		aquest aquesta aquests quina quin quins seva seu també fins sobre`, "çàèéíòóú·"},
}

// languageSet has a bit for each of latinLanguages.
type languageSet uint32

// functionWords are the words of latinLanguages, with and without diacritics.
var functionWords = sync.OnceValue(func() map[string]languageSet {
	m := make(map[string]languageSet)
	for i, l := range latinLanguages {
		for w := range strings.FieldsSeq(l.words) {
			m[w] |= 1 << i
		}
	}
	for w, set := range m {
		if f := Fold(w); f != w && m[f] == 0 {
			m[f] = set
		}
	}
	return m
})

// tellingLetters are the languages that use a letter beyond ASCII.
var tellingLetters = sync.OnceValue(func() map[rune]languageSet {
	m := make(map[rune]languageSet)
	for i, l := range latinLanguages {
		for _, r := range l.letters {
			m[r] |= 1 << i
		}
	}
	return m
})

// ballot collects the votes of words for the languages of latinLanguages.
type ballot struct {
	score [len(latinLanguages)]float64
	hits  [len(latinLanguages)]int
	words int
}

// vote gives the weight to the languages of the set, in equal parts.
func (b *ballot) vote(set languageSet, weight float64) {
	weight /= float64(bits.OnesCount32(uint32(set)))
	for ; set != 0; set &= set - 1 {
		i := bits.TrailingZeros32(uint32(set))
		b.score[i] += weight
		b.hits[i]++
	}
}

// latinLanguage scores each language by the words of s that are function words
// of it. A word counts the less the more languages have it. Words in capitals
// are abbreviations or SQL, unless all are.
func latinLanguage(s string) string {
	var mixed, capitals ballot
	sc := scanner{s: s}
	for sc.next() {
		switch {
		case sc.script != scriptLetter || sc.shape&(shapeJoined|shapeDigit) != 0:
		case sc.shape&(shapeLower|shapeForeign) == 0 && sc.Len() > 1:
			capitals.word(sc.Of(s), sc.shape)
		default:
			mixed.word(sc.Of(s), sc.shape)
		}
	}
	if capitals.words > 4*mixed.words {
		return capitals.winner()
	}
	return mixed.winner()
}

// word lets one word vote.
func (b *ballot) word(w string, sh shape) {
	b.words++
	table := functionWords()
	w = strings.ToLower(w)
	if sh&shapeQuote != 0 {
		w = strings.ReplaceAll(w, "’", "'")
		if i := strings.IndexByte(w, '\''); i <= 2 && table[w] == 0 { // l'avion
			w = w[:i]
		}
	}
	if set := table[w]; set != 0 && !(sh&shapeInitial != 0 && len(w) == 1) {
		b.vote(set, 1)
	}
	if sh&shapeForeign == 0 {
		return
	}
	letters, set := tellingLetters(), languageSet(0)
	for _, r := range w {
		switch l := letters[r]; {
		case set == 0:
			set = l
		case l&set != 0:
			set &= l
		}
	}
	if set != 0 {
		b.vote(set, 0.5)
	}
}

// winner returns the code of the language with the best score, or "" where the
// score is low or the second is close.
func (b *ballot) winner() string {
	best, second := 0, 1
	if b.score[1] > b.score[0] {
		best, second = 1, 0
	}
	for i := 2; i < len(b.score); i++ {
		switch {
		case b.score[i] > b.score[best]:
			best, second = i, best
		case b.score[i] > b.score[second]:
			second = i
		}
	}
	code, other := latinLanguages[best].code, latinLanguages[second].code
	tied := b.score[best] < b.score[second]*1.15
	if tied && (code == "da" || code == "no") && (other == "da" || other == "no") {
		tied = false // they share their function words, and nearly their stems
	}
	if b.words < 3 || b.hits[best] < 2 || b.score[best] < 0.1*float64(b.words) || tied {
		return ""
	}
	return code
}
