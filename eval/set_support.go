package eval

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-rag/assay/text"
)

// supportWords are the labels for claims in words; only full support is
// positive.
func supportWords() map[string]bool {
	return map[string]bool{
		"supported": true, "partial": false, "partially_supported": false,
		"unsupported": false, "not_supported": false, "contradicted": false,
	}
}

// readLabel reads a label given as true or false, 1 or 0, or one of the words.
func readLabel(raw json.RawMessage, words map[string]bool) (bool, error) {
	switch string(raw) {
	case "true", "1":
		return true, nil
	case "false", "0":
		return false, nil
	}
	var word string
	if json.Unmarshal(raw, &word) == nil {
		if positive, ok := words[word]; ok {
			return positive, nil
		}
	}
	known := append([]string{"true", "false", "1", "0"}, slices.Sorted(maps.Keys(words))...)
	if raw == nil {
		return false, fmt.Errorf("the label is missing; known are %s", strings.Join(known, ", "))
	}
	return false, fmt.Errorf("label %s is none of %s", raw, strings.Join(known, ", "))
}

// wiceRow is a row of WiCE (Kamoi et al. 2023), with whole pages or chunks.
type wiceRow struct {
	Claim    string
	Label    json.RawMessage
	Evidence []string
	// Supporting has alternatives, each a list of positions in Evidence. Chunks have
	// none.
	Supporting [][]int `json:"supporting_sentences"`
	Meta       struct {
		ID    string
		Title string `json:"claim_title"`
	}
}

// readWiCE: claims of Wikipedia against the pages that they cite; partly
// supported is not supported. The group is the article of the claim.
func readWiCE(l *loader, f *file) error {
	return rows(f, func(line int, row wiceRow) error {
		if strings.TrimSpace(row.Claim) == "" || len(row.Evidence) == 0 {
			return f.errorf(line, "a row of WiCE needs claim and evidence")
		}
		positive, err := readLabel(row.Label, supportWords())
		if err != nil {
			return f.errorf(line, "%w", err)
		}
		item := SupportItem{
			Claim: row.Claim, Evidence: strips(row.Meta.ID, "", row.Evidence),
			Positive: positive, Group: row.Meta.Title,
		}
		l.set.Support = append(l.set.Support, item)
		helps := make([]bool, len(row.Evidence))
		for _, at := range slices.Concat(row.Supporting...) {
			if at < 0 || at >= len(helps) {
				return f.errorf(line, "supporting sentence %d is not among the %d of the evidence", at, len(helps))
			}
			helps[at] = true
		}
		if slices.Contains(helps, true) {
			l.set.Strips = append(l.set.Strips, StripItem{Question: row.Claim, Strips: item.Evidence, Helps: helps, Group: item.Group})
		}
		return nil
	})
}

// readBEGIN: BEGIN (Dziri et al. 2022) has replies of dialogue systems with the
// knowledge given to them, as a table in which quotation marks mean nothing. Only
// "Fully attributable" is positive; "Generic" replies say nothing that could be
// supported. The group is the piece of knowledge.
func readBEGIN(l *loader, f *file) error {
	columns := map[string]int{}
	var width int
	return f.lines(func(line int, row []byte) error {
		cells := strings.Split(strings.TrimRight(string(row), "\r\n"), "\t")
		if len(columns) == 0 {
			for i, name := range cells {
				columns[name] = i
			}
			width = len(cells)
			return nil
		}
		if len(cells) != width {
			return f.errorf(line, "%d columns where the header has %d", len(cells), width)
		}
		item := SupportItem{
			Claim: strings.TrimSpace(cells[columns["response"]]),
			Group: cells[columns["knowledge"]],
		}
		switch label := cells[columns["begin_label"]]; label {
		case "Fully attributable":
			item.Positive = true
		case "Not fully attributable", "Generic":
		default:
			return f.errorf(line, "begin_label %q is none of Fully attributable, Not fully attributable, Generic", label)
		}
		if item.Claim == "" {
			return f.errorf(line, "the response is empty")
		}
		item.Evidence = strips(fmt.Sprintf("%s:%d", f.name(), line), "", sentences(item.Group))
		l.set.Support = append(l.set.Support, item)
		return nil
	})
}

// expertqaRow is a row of ExpertQA (Malaviya et al. 2024).
type expertqaRow struct {
	Question string
	Answers  map[string]struct { // by the system that wrote it
		Text       string `json:"answer_string"`
		Usefulness string
		Claims     []struct {
			Text     string `json:"claim_string"`
			Evidence []string
			Support  string
		}
	}
}

// citationMark is how answers of ExpertQA point to their sources.
var citationMark = regexp.MustCompile(`(?:,?\s*\[\d+(?:\s*[,–-]\s*\d+)*\])+`)

// expertRatings are what experts said of whole answers, on our five steps.
func expertRatings() map[string]int {
	return map[string]int{"Very useful": 5, "Useful": 4, "Partially useful": 3, "Not useful at all": 1}
}

// readExpertQA: claims of several systems with the sources that they cite, judged by
// experts of the subject; only "Complete" support is positive. Claims without
// evidence, where there is nothing to check, and without a judgement are left out.
// The experts' opinion of each answer is a rating. The group is the question, the
// kind the system.
func readExpertQA(l *loader, f *file) error {
	return rows(f, func(line int, row expertqaRow) error {
		if strings.TrimSpace(row.Question) == "" {
			return f.errorf(line, "a row of ExpertQA needs question and answers")
		}
		for _, system := range slices.Sorted(maps.Keys(row.Answers)) {
			answer := row.Answers[system]
			for n, c := range answer.Claims {
				if c.Support == "N/A" || len(c.Evidence) == 0 {
					continue
				}
				if !slices.Contains([]string{"Complete", "Partial", "Incomplete", "Missing"}, c.Support) {
					return f.errorf(line, "support %q is none of Complete, Partial, Incomplete, Missing, N/A", c.Support)
				}
				claim := strings.TrimSpace(citationMark.ReplaceAllString(c.Text, ""))
				if claim == "" {
					return f.errorf(line, "claim %d of %s has no text", n+1, system)
				}
				var evidence []string
				for _, e := range c.Evidence {
					evidence = append(evidence, sentences(e)...)
				}
				l.set.Support = append(l.set.Support, SupportItem{
					Claim: claim, Positive: c.Support == "Complete",
					Evidence: strips(fmt.Sprintf("%s:%d, %s, claim %d", f.name(), line, system, n+1), "", evidence),
					Group:    row.Question, Kind: system,
				})
			}
			if rating, ok := expertRatings()[answer.Usefulness]; ok && strings.TrimSpace(answer.Text) != "" {
				l.set.Useful = append(l.set.Useful, UsefulItem{row.Question, answer.Text, rating, row.Question, system})
			}
		}
		return nil
	})
}

// ownSupportRow is a row of one's own for claims.
type ownSupportRow struct {
	Claim    string
	Evidence texts
	Label    json.RawMessage
	Group    string
	Kind     string
}

// texts is a list of strings, or a single one that is cut into sentences.
type texts []string

// UnmarshalJSON reads either form.
func (t *texts) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = sentences(one)
		return nil
	}
	return json.Unmarshal(data, (*[]string)(t))
}

// readOwnSupport: a claim may have no evidence at all: it is there to be found
// unsupported. Without "group", the evidence is the group.
func readOwnSupport(l *loader, f *file) error {
	return rows(f, func(line int, row ownSupportRow) error {
		if strings.TrimSpace(row.Claim) == "" {
			return f.errorf(line, `a row for support needs "claim", "evidence" and "label"`)
		}
		positive, err := readLabel(row.Label, supportWords())
		if err != nil {
			return f.errorf(line, "%w", err)
		}
		item := SupportItem{Claim: row.Claim, Positive: positive, Group: row.Group, Kind: row.Kind}
		if item.Group == "" {
			item.Group = strings.Join(row.Evidence, "\n")
		}
		item.Evidence = strips(fmt.Sprintf("%s:%d", f.name(), line), "", row.Evidence)
		l.set.Support = append(l.set.Support, item)
		return nil
	})
}

func sentences(s string) []string {
	var out []string
	for _, span := range text.Sentences(s) {
		if t := strings.TrimSpace(span.Of(s)); t != "" {
			out = append(out, t)
		}
	}
	return out
}
