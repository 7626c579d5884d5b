package evaluator

import (
	"strings"

	"github.com/assay-rag/assay/text"
)

// opposites are words that turn a statement around when one stands for the
// other.
const opposites = `increase decrease; increased decreased; rise fall; rose fell; higher lower; high low; more less; more fewer;
above below; before after; first last; maximum minimum; max min; largest smallest; biggest smallest; longest shortest;
oldest youngest; older younger; earlier later; early late; best worst; better worse; most least; majority minority;
accept reject; accepted rejected; allow forbid; allowed prohibited; allowed forbidden; permit prohibit; permitted prohibited;
enable disable; enabled disabled; include exclude; included excluded; required optional; mandatory optional; mandatory voluntary;
paid unpaid; public private; internal external; open closed; open close; start end; started ended; begin end; began ended;
win lose; won lost; victory defeat; success failure; succeed fail; succeeded failed; pass fail; passed failed; alive dead;
born died; male female; man woman; men women; husband wife; father mother; son daughter; brother sister; king queen;
north south; northern southern; east west; eastern western; left right; inside outside; indoor outdoor; above under; upper lower;
positive negative; active inactive; possible impossible; legal illegal; true false; same different; similar different; old new;
hot cold; warm cool; fast slow; faster slower; strong weak; stronger weaker; heavy light; easy difficult; easy hard; simple complex;
cheap expensive; rich poor; young old; safe dangerous; full empty; major minor; join leave; joined left; hire fire; buy sell;
bought sold; add remove; added removed; import export; encrypt decrypt; lock unlock; love hate; loved hated; like dislike;
agree disagree; agreed disagreed; approve deny; approved denied; approved rejected; support oppose; supported opposed;
present absent; always never; often rarely; all none; everyone nobody; many few; gain loss; profit loss; ancient modern;
temporary permanent; fixed variable; single multiple; single married; married divorced; day night; summer winter; up down;
upward downward; ascending descending; asia europe; solo together; natural artificial; manual automatic; known unknown;
popular unpopular; common rare; famous unknown; full part; monthly yearly; annual monthly; weekly monthly; daily weekly; standard premium; basic pro;
free paid; domestic international; adult child; adults children; production staging; inbound outbound; read write; upload download;
live dead; fiction nonfiction; comedy tragedy; guilty innocent; unable able`

// antonymTable maps a term to the terms that stand for its opposite.
func antonymTable() map[string][]string {
	table := map[string][]string{}
	for pair := range strings.SplitSeq(opposites, ";") {
		words := strings.Fields(pair)
		a, b := text.Analyze(words[0], "en"), text.Analyze(words[1], "en")
		if len(a) == 1 && len(b) == 1 && a[0].Term != b[0].Term { // a stop word has no term to be found by
			table[a[0].Term] = append(table[a[0].Term], b[0].Term)
			table[b[0].Term] = append(table[b[0].Term], a[0].Term)
		}
	}
	return table
}
