package text

import "strings"

// abbrKind says what follows an abbreviation's full stop when it doesn't end
// the sentence.
type abbrKind uint8

const (
	abbrTitle  abbrKind = iota // anything: it never ends a sentence ("Dr.", "e.g.")
	abbrName                   // anything but a word that begins sentences ("Inc.", "al.")
	abbrNumber                 // a number ("No. 5", "p. 12")
	abbrDate                   // a number, or as abbrName ("Jan. 5")
	abbrLast                   // a small letter ("etc.", "a.m.")
)

// abbreviations are in small letters without the last full stop.
var abbreviations = kinds(map[abbrKind]string{
	abbrTitle: `mr mrs ms dr prof gen sen rep gov capt cmdr lt col sgt maj rev hon messrs mme mlle mgr hr fr frl dipl ing
		sra dra dott sig dña excmo pres supt insp mt
		e.g i.e eg ie vs cf viz approx ca resp incl excl inkl exkl zzgl ggf evtl sog bzw vgl z.b d.h u.a s.o s.u o.ä i.d.r v.a z.t
		p.ex p.ej ej ex c.-à-d env cad bijv d.w.z t.ex bl.a f.eks dvs t.d т.е т.н напр`,
	abbrName:   `inc ltd corp co jr sr bros plc llc gmbh al ph.d st ave blvd rd univ dept est assn mfg ed eds trans vols esq м г ул им`,
	abbrNumber: `no nos nr nrs p pp pg vol fig figs abb eq eqs sec sect ch chap art arts para par ver v rev op tab tel ext n núm num pág págs cap lit ziff kap bd s стр рис`,
	abbrDate:   `jan feb mar apr jun jul aug sep sept oct nov dec okt dez mon tue tues wed thu thur thurs fri sat janv févr avr juil déc ene`,
	abbrLast:   `etc usw osv u.s.w ecc enz etcetera a.m p.m min max hrs secs mins lb lbs oz ft m.in др пр`,
})

func kinds(lists map[abbrKind]string) map[string]abbrKind {
	m := make(map[string]abbrKind)
	for kind, words := range lists {
		for w := range strings.FieldsSeq(words) {
			m[w] = kind
		}
	}
	return m
}

// starters are words that begin sentences, and hardly ever a name. Articles
// that are also part of names (le, la, de, van) are not among them.
var starters = words(`
	the a an this that these those there here it its he she they we you i his her their our my your what which who
	when where why how if in on at by for from with without as after before during since while although though because
	but and or so yet however therefore moreover also then thus some any all each every both many most more no not
	one two three to do does did is are was were will can could should would may must please see use note it's don't
	der die das ein eine er sie es wir ihr ich man dies diese dieser dieses wenn weil als nach bei mit ohne aber und
	oder doch auch dann so nur jede jeder alle viele im am zum zur für auf wie wer wo wann warum
	les un une il elle ils elles nous vous je on ce cet cette ces si quand dans pour avec sans mais et ou donc
	los las una ello ella ellos nosotros este esta estos estas cuando en con sin pero si no por para como
	il gli uno lui lei loro noi questo questa questi quando nel nella per con senza ma se non
	o os as um uma ele ela eles isso este esta quando em com sem mas se não
	het een hij zij wij dit deze als met maar en voor
	det den ett en han hon vi detta om när men och för
	он она они мы вы это этот эта если когда в на с но и не по для как`)

// months are those of the languages that write an ordinal with a full stop.
var months = words(`januar jänner februar märz april mai juni juli august september oktober november dezember
	marts maj december mars tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta
	syyskuuta lokakuuta marraskuuta joulukuuta`)

func words(list string) map[string]struct{} {
	m := make(map[string]struct{})
	for w := range strings.FieldsSeq(list) {
		m[w] = struct{}{}
	}
	return m
}
