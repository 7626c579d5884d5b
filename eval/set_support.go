package eval

import (
	"encoding/json"
	"fmt"
	"maps"
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
	Meta     struct {
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
		l.set.Support = append(l.set.Support, SupportItem{
			Claim: row.Claim, Evidence: strips(row.Meta.ID, "", row.Evidence),
			Positive: positive, Group: row.Meta.Title,
		})
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
