package ingest

import (
	"cmp"
	"path"
	"strings"
	"time"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/text"
)

// What a document says of itself is looked for in its first and last lines.
const (
	headLines = 15
	footLines = 6
	lineLimit = 300 // bytes of a line that are looked at
)

// languageSample is how much text the language is told from, in bytes.
const languageSample = 8 << 10

// document makes the document of a draft.
func (d *draft) document(name string) assay.Document {
	if d.meta == nil {
		d.meta = make(map[string]string)
	}
	doc := assay.Document{Text: d.text.String(), Meta: d.meta}
	doc.Title = d.documentTitle(doc.Text, name)
	doc.Language = d.documentLanguage(doc.Text)
	lines := edgeLines(doc.Text, d.blocks)
	doc.Date, doc.DateFrom = documentDate(d.meta, lines, name)
	doc.Version = documentVersion(d.meta, lines, name)
	documentStatus(d.meta, lines)
	if len(doc.Meta) == 0 {
		doc.Meta = nil
	}
	return doc
}

// documentTitle prefers what front matter says, then what the page calls itself
// (without the name of the site, where the rest is the first heading), then the
// first heading of the first level, or one that all others are below, then the
// file's name. Of text without marks only the first line may be the title.
func (d *draft) documentTitle(s, name string) string {
	if t := squeeze(d.meta["title"]); t != "" {
		return strings.ReplaceAll(t, "\n", " ")
	}
	if d.unmarked {
		return cmp.Or(d.title, path.Base(strings.ReplaceAll(name, `\`, "/")))
	}
	first := ""
	for _, b := range d.blocks {
		if b.Kind == Heading && b.Level == 1 {
			first = headingText(s[b.Start:b.End])
			break
		}
	}
	if d.title != "" && (first == "" || !strings.HasPrefix(d.title, first) && !strings.HasSuffix(d.title, first)) {
		return strings.ReplaceAll(d.title, "\n", " ")
	}
	if first != "" {
		return first
	}
	if t := d.loneHeading(s); t != "" {
		return t
	}
	return path.Base(strings.ReplaceAll(name, `\`, "/"))
}

// loneHeading returns the heading that a text begins with, if no other is of
// its level or above.
func (d *draft) loneHeading(s string) string {
	if len(d.blocks) == 0 || d.blocks[0].Kind != Heading {
		return ""
	}
	for _, b := range d.blocks[1:] {
		if b.Kind == Heading && b.Level <= d.blocks[0].Level {
			return ""
		}
	}
	return headingText(s[d.blocks[0].Start:d.blocks[0].End])
}

func headingText(line string) string { return strings.TrimSpace(strings.TrimLeft(line, "#")) }

// documentLanguage tells the language from the text, or else takes the
// document's word.
func (d *draft) documentLanguage(s string) string {
	if code := text.Detect(cutAt(s, languageSample)); code != "" {
		return code
	}
	for _, said := range []string{d.language, d.meta["lang"], d.meta["language"]} {
		if code, _, _ := strings.Cut(strings.ReplaceAll(said, "_", "-"), "-"); len(code) == 2 {
			return strings.ToLower(code)
		}
	}
	return ""
}

// cutAt returns the beginning of s, at most n bytes, cut between letters.
func cutAt(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}

// edgeLines returns the first and last lines of a document's paragraphs, items
// and tables, without marks of lists and tables.
func edgeLines(s string, blocks []Block) []string {
	var head, foot []string
	for _, b := range blocks {
		if len(head) >= headLines {
			break
		}
		head = appendLines(head, s, b, headLines)
	}
	for i := max(0, len(blocks)-footLines); i < len(blocks); i++ {
		foot = appendLines(foot, s, blocks[i], headLines+footLines)
	}
	return append(head, foot[max(0, len(foot)-footLines):]...)
}

func appendLines(lines []string, s string, b Block, limit int) []string {
	if b.Kind == Code || b.Kind == Heading {
		return lines
	}
	for line := range strings.Lines(s[b.Start:b.End]) {
		if len(lines) >= limit {
			break
		}
		line = strings.Trim(cutAt(line, lineLimit), " \t\n|-*()[]_")
		if b.Kind == Table {
			line = strings.Replace(line, " | ", ": ", 1)
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// dateKeys are the keys of front matter that date a document, best first.
var dateKeys = []string{
	"last_updated", "lastupdated", "last-updated", "updated", "updated_at", "last_update.date", "last_modified", "lastmod",
	"last-modified", "modified", "last_modified_at", "ms.date", "last_reviewed", "last-reviewed", "reviewed", "review_date",
	"effective_date", "effective-date", "effective", "date", "published", "pubdate", "created",
}

// documentDate returns when the document was last true, by its own word or its
// file's name.
func documentDate(meta map[string]string, lines []string, name string) (time.Time, assay.DateFrom) {
	for _, k := range dateKeys {
		if t, ok := parseDate(meta[k]); ok {
			return t, assay.DateFromDocument
		}
	}
	for _, line := range lines {
		if m := dated().FindStringSubmatch(line); m != nil {
			if t, rest, ok := readDate(m[1]); ok && afterDate().MatchString(rest) {
				return t, assay.DateFromDocument
			}
		}
	}
	if m := dateInName().FindStringSubmatch(path.Base(name)); m != nil {
		if t, err := time.Parse("2006-01-02", m[1]+"-"+m[2]+"-"+m[3]); err == nil {
			return t, assay.DateFromName
		}
	}
	return time.Time{}, ""
}

var (
	dated = lazily(`(?i)^(?:this (?:page|document|policy|article) was )?(?:last (?:updated?|modified|reviewed|revised|changed|edited)|` +
		`updated|modified|revised|reviewed|revision date|effective(?: date| from| as of)?|date|published|as of|valid from|release date|` +
		`stand|zuletzt (?:aktualisiert|geändert|bearbeitet)|dernière mise à jour|mis à jour le|última actualización|actualizado|` +
		`最終更新日?|更新日期?|最后更新)(?:\s+(?:on|at|am|le|el))?\s*[:：]?\s*(.{6,})`)
	// afterDate is all that may follow: a sentence that begins with a date is no
	// line of the document about itself.
	afterDate  = lazily(`^(?i:[\s\pP]*(?:(?:t|at|um|à|kl)?\s*\d{1,2}[:.h]\d{2}(?:[:.]\d{2})*(?:\s*[ap]\.?m\b\.?|\s*uhr)?(?:[\s(]*(?:z|[a-z]{3,4}|[+-]\d{2}:?\d{2})\b)?)?[\s\pP]*)$`)
	dateInName = lazily(`(?:^|[^0-9])((?:19|20)\d\d)[-_.]?(0[1-9]|1[0-2])[-_.]?(0[1-9]|[12]\d|3[01])(?:[^0-9]|$)`)

	isoDate    = lazily(`^((?:19|20)\d\d)[-/.年]\s?(\d{1,2})(?:[-/.月]\s?(\d{1,2}))?[月日]?([^0-9]|$)`)
	dayFirst   = lazily(`^(?:\pL{2,10},?\s+)?(\d{1,2})(?:st|nd|rd|th)?\.?[ -](\pL{3,10})\.?,?[ -]((?:19|20)\d\d)`)
	monthFirst = lazily(`^(?:\pL{2,10},\s+)?(\pL{3,10})\.?\s+(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?((?:19|20)\d\d)`)
	dotted     = lazily(`^(\d{1,2})([./])(\d{1,2})[./]((?:19|20)\d\d)`)
)

// months are the months by the letters that their names begin with, in English,
// German, French and Spanish.
var months = map[string]string{
	"jan": "1", "ene": "1", "feb": "2", "fév": "2", "fev": "2", "mar": "3", "mär": "3", "apr": "4", "avr": "4", "abr": "4", "may": "5",
	"mai": "5", "jun": "6", "juin": "6", "jul": "7", "juil": "7", "aug": "8", "aoû": "8", "ago": "8", "sep": "9", "oct": "10", "okt": "10",
	"nov": "11", "dec": "12", "dez": "12", "déc": "12", "dic": "12",
}

// parseDate reads the date that a string begins with.
func parseDate(s string) (time.Time, bool) {
	t, _, ok := readDate(s)
	return t, ok
}

// readDate reads the date that a string begins with, and returns what follows.
// Days and months that could be either (03/04/2024) are no date; a month alone
// is its first day.
func readDate(s string) (date time.Time, rest string, ok bool) {
	s = strings.TrimSpace(s)
	y, m, day := "", "", "1"
	var f []string
	if f = isoDate().FindStringSubmatch(s); f != nil {
		y, m, day = f[1], f[2], f[3]
		f[0] = strings.TrimSuffix(f[0], f[4])
	} else if f = dayFirst().FindStringSubmatch(s); f != nil {
		y, m, day = f[3], month(f[2]), f[1]
	} else if f = monthFirst().FindStringSubmatch(s); f != nil {
		y, m, day = f[3], month(f[1]), f[2]
	} else if f = dotted().FindStringSubmatch(s); f != nil {
		y, m, day = f[4], f[3], f[1]
		if f[2] == "/" {
			switch {
			case len(f[3]) == 2 && f[3] > "12":
				m, day = f[1], f[3]
			case len(f[1]) < 2 || f[1] <= "12":
				return time.Time{}, "", false
			}
		}
	}
	if f == nil {
		return time.Time{}, "", false
	}
	if day == "" {
		day = "1"
	}
	date, err := time.Parse("2006-1-2", y+"-"+strings.TrimPrefix(m, "0")+"-"+strings.TrimPrefix(day, "0"))
	return date, s[len(f[0]):], err == nil
}

// month returns the number of a month by its name.
func month(name string) string {
	name = strings.ToLower(name)
	for _, n := range []int{4, 3} {
		r := []rune(name)
		if m, ok := months[string(r[:min(n, len(r))])]; ok {
			return m
		}
	}
	return ""
}

var (
	versionLine   = lazily(`(?i)^(?:document |doc |software |product |applies to )?version\s*[:#]?\s*(v?\d[\w.+-]*)\s*(?:[,;()—–].*|\.\s.*|-\s.*)?$`)
	versionInName = lazily(`(?i)(?:^|[-_. ])v(\d+(?:\.\d+)*)(?:[-_. ]|$)`)
)

func documentVersion(meta map[string]string, lines []string, name string) string {
	for _, k := range []string{"version", "doc_version", "document_version", "revision"} {
		if v := meta[k]; v != "" && len(v) <= 40 {
			return v
		}
	}
	for _, line := range lines[:min(len(lines), headLines)] {
		if m := versionLine().FindStringSubmatch(line); m != nil {
			return strings.TrimRight(m[1], ".")
		}
	}
	base := path.Base(name)
	if m := versionInName().FindStringSubmatch(strings.TrimSuffix(base, path.Ext(base))); m != nil {
		return m[1]
	}
	return ""
}

var (
	statusLine   = lazily(`(?i)^status\s*[:：]\s*(\pL[\pL -]{2,30}?)(?:[.,;(]|\s+by\s+(.{2,120})|$)`)
	obsoleteLine = lazily(`(?i)^(?:(?:note|warning|important|notice|caution)\s*[:!]\s*)?(?:this|the) (?:document|page|policy|guide|article|version|handbook|procedure|runbook|specification)` +
		`(?: (?:is|has been|was))?(?: (?:now|officially|no longer maintained and is))? (deprecated|superseded|archived|obsolete|retired|withdrawn|a draft|replaced|outdated)` +
		`(?:[^.]*? (?:by|see|use)\s+(.{2,120}))?`)
)

// documentStatus fills meta["status"] and meta["superseded_by"] from a line near
// the top, unless the front matter has them.
func documentStatus(meta map[string]string, lines []string) {
	if meta["deprecated"] == "true" && meta["status"] == "" {
		meta["status"] = "deprecated"
	}
	if meta["draft"] == "true" && meta["status"] == "" {
		meta["status"] = "draft"
	}
	for _, line := range lines[:min(len(lines), headLines)] {
		m := statusLine().FindStringSubmatch(line)
		if m == nil {
			m = obsoleteLine().FindStringSubmatch(line)
		}
		if m == nil {
			continue
		}
		status := strings.TrimPrefix(strings.ToLower(strings.TrimSpace(m[1])), "a ")
		if status == "replaced" {
			status = "superseded"
		}
		if meta["status"] == "" {
			meta["status"] = status
		}
		if by := strings.Trim(m[2], " ."); by != "" && meta["superseded_by"] == "" {
			meta["superseded_by"] = by
		}
		return
	}
	if meta["superseded_by"] != "" && meta["status"] == "" {
		meta["status"] = "superseded"
	}
}
