package evaluator

import (
	"strings"

	"github.com/assay-rag/assay/text"
)

// synonymGroups are words of which a question may use one and a document another.
// They are common words only: what a trade or a company calls its things, the
// index tells the rewriter.
const synonymGroups = `pay salary wage wages compensation paid earn; cost price fee charge; buy purchase bought purchased; sell sale sold;
employee staff worker personnel; boss manager supervisor; holiday vacation leave; job occupation profession work; company firm business enterprise;
phone telephone call; email mail e-mail; stolen stole theft; lost lose losing missing; doctor physician; ill sick illness sickness disease;
start begin began commence starts; end finish ended finished terminate expire; stop halt cease; big large huge; small little tiny;
film movie; book novel; born birth birthplace; die died death dead killed; write wrote written author writer; sing sang singer song;
build built construct constructed construction; found founded founder establish established; located situated location; live lived reside resident inhabit;
win won winner victory; marry married spouse wife husband wedding; child children kid kids baby; parent mother father;
make made produce produced manufacture manufactured manufacturer; create created creator; invent invented inventor invention; discover discovered discovery;
lead led leader head; run runs manage managed operate; direct directed director; own owned owner; show display shown; use used usage utilize;
help assist support aid; need require required necessary requirement; allow allowed permit permitted; forbid forbidden prohibit prohibited banned;
change modify alter changed; delete remove erase deleted removed; undo rollback revert; fix repair fixed repaired; broken faulty defective damaged;
error fault failure problem issue; get receive obtain received gets; give provide given supply; send submit sent deliver delivered delivers; ask request;
tell inform notify report; keep retain kept retention store stored; save stored; show indicate; connect link attach; join connect;
replace swap exchange; return refund; reset restore; update upgrade; install setup deploy; open unlock; close shut closed;
fast quick rapid speed; car vehicle automobile; plane aircraft airplane; ship boat vessel; road street; house home; city town; country nation;
area region zone; border frontier; war conflict; army military; attack assault; law legislation act; court tribunal; judge justice;
school college; university college; teacher instructor professor; student pupil; learn study training; test exam examination; money cash funds;
tax duty; bill invoice; annual yearly; monthly month; daily day; minimum least; maximum most limit; password passphrase; picture photo image photograph;
sound noise; food meal meals; drink beverage; alcohol wine beer; safe secure security; danger risk hazard dangerous; secret confidential;
rule policy regulation; procedure process; guide manual handbook; folder directory; computer laptop machine; screen display monitor;
cause reason caused; effect result consequence effects; increase rise grow growth; decrease fall reduce reduction decline; number amount count quantity;
name called known title; type kind sort; part component piece; main primary principal; first initial; last final; new recent; old ancient;
famous known popular; important significant major; difficult hard; easy simple; rich wealthy; strong powerful; happy glad; sad unhappy;
language tongue; religion faith; god deity; king monarch ruler; president leader; soldier troop troops; enemy opponent; friend companion;
river stream; mountain peak; sea ocean; forest wood woods; animal creature; illness disorder condition; treat treatment therapy cure; symptom sign symptoms;
drug medicine medication; hurt injure injury wound; body organism; gene protein; hire recruit hires; quit resign resignation; fire dismiss dismissal;
depart leave left; arrive reach came; travel trip journey; visit visited; stay remain; choose select pick; think believe opinion; want wish desire;
talk speak speech spoke; look see view; try attempt; win earn; play played player; game match; team club; score goal; music song; actor actress star;
cancel cancellation terminate; approve approval authorise; confirm confirmation verify; measure measurement reading; clean wipe wash; heavy weigh weight kg;
tall height high; long length; wide width; deep depth; far distance; old age; hot heat temperature warm; cold cool; exceed above beyond over`

// synonymCredit is the strength of a match by synonym: a judgement that the models
// were fitted with.
const synonymCredit = 0.6

// synonymTable maps a term to the terms that may stand for it.
func synonymTable() map[string]map[string]bool {
	table := map[string]map[string]bool{}
	for group := range strings.SplitSeq(synonymGroups, ";") {
		var terms []string
		for _, t := range text.Analyze(group, "en") {
			terms = append(terms, t.Term)
		}
		for _, a := range terms {
			if table[a] == nil {
				table[a] = map[string]bool{}
			}
			for _, b := range terms {
				if a != b {
					table[a][b] = true
				}
			}
		}
	}
	return table
}
