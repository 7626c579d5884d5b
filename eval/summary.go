package eval

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// LoadAll reads every set below a folder, as Load does, those of the folders in it
// first: the files of one format in one folder are a set. Skipped names the files that
// are of no known format.
func LoadAll(dir string, seed uint64) (sets []*Set, skipped []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("eval load: %w", err)
	}
	var order []string // of formats
	files := map[string][]string{}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.IsDir() {
			below, beside, err := LoadAll(path, seed)
			if err != nil {
				return nil, nil, err
			}
			sets, skipped = append(sets, below...), append(skipped, beside...)
			continue
		}
		if !isData(path) {
			continue
		}
		f, err := readFile(path)
		if err != nil {
			return nil, nil, err
		}
		form, err := detect(f)
		if err != nil || form.name != wholeFormat && !f.isRows() {
			skipped = append(skipped, path)
			continue
		}
		if len(files[form.name]) == 0 {
			order = append(order, form.name)
		}
		files[form.name] = append(files[form.name], path)
	}
	for _, name := range order {
		set, err := loadFiles(dir, files[name], seed)
		if err != nil {
			return nil, nil, err
		}
		sets = append(sets, set)
	}
	return sets, skipped, nil
}

// Summary is reports of several tasks and sets together.
type Summary struct {
	// Lines has one figure of each report.
	Lines   []SummaryLine `json:"summary"`
	Reports []Report      `json:"reports"`
}

// SummaryLine is the figure that says most of a report.
type SummaryLine struct {
	Task   Task   `json:"task"`
	Set    string `json:"set"`
	Part   Part   `json:"part"`
	Items  int    `json:"items"`
	Figure string `json:"figure"`
	// Systems are in the order of the report.
	Systems []SummaryFigure `json:"systems"`
}

// SummaryFigure is that of one system.
type SummaryFigure struct {
	Name string `json:"name"`
	Compared
}

// Summarise puts reports together. A report of a kind that has no line is among the
// reports alone.
func Summarise(reports []Report) *Summary {
	s := &Summary{Lines: []SummaryLine{}, Reports: reports}
	for _, r := range reports {
		if l, ok := r.(interface{ line() SummaryLine }); ok {
			s.Lines = append(s.Lines, l.line())
		}
	}
	return s
}

// WriteTable implements Report: all tables, and the summary at the end.
func (s *Summary) WriteTable(w io.Writer) error {
	for _, r := range s.Reports {
		if err := errors.Join(r.WriteTable(w), blank(w)); err != nil {
			return err
		}
	}
	t := newTable(w)
	t.line("summary")
	t.line("")
	t.row("task", "set", "items", "figure", "system", "value", "more than the first")
	for _, l := range s.Lines {
		for i, f := range l.Systems {
			row := []string{"", "", "", "", f.Name, f.Estimate.String()}
			if i == 0 {
				row = []string{string(l.Task), l.Set + l.Part.title(), strconv.Itoa(l.Items), l.Figure, f.Name, f.Estimate.String()}
			}
			if f.Difference != nil {
				row = append(row, f.Difference.String())
			}
			t.row(row...)
		}
	}
	return t.close()
}

func blank(w io.Writer) error {
	_, err := io.WriteString(w, "\n\n")
	if err != nil {
		err = fmt.Errorf("eval report: %w", err)
	}
	return err
}

// summaryFigures are one figure of all systems.
func summaryFigures[T any](systems []T, of func(T) (string, Compared)) []SummaryFigure {
	out := []SummaryFigure{}
	for _, s := range systems {
		name, figure := of(s)
		out = append(out, SummaryFigure{name, figure})
	}
	return slices.Clip(out)
}

func (r *GateReport) line() SummaryLine {
	return SummaryLine{r.Task, r.Set, r.Part, r.Items, "AUROC",
		summaryFigures(r.Systems, func(f GateFigures) (string, Compared) { return f.Name, f.AUROC })}
}

func (r *SupportReport) line() SummaryLine {
	return SummaryLine{r.Task, r.Set, r.Part, r.Items, "AUROC",
		summaryFigures(r.Systems, func(f SupportFigures) (string, Compared) { return f.Name, f.AUROC })}
}

func (r *StripsReport) line() SummaryLine {
	return SummaryLine{r.Task, r.Set, r.Part, r.Questions, "AUPRC",
		summaryFigures(r.Systems, func(f StripsFigures) (string, Compared) { return f.Name, f.AUPRC })}
}

func (r *UsefulReport) line() SummaryLine {
	return SummaryLine{r.Task, r.Set, r.Part, r.Answers, "rank correlation",
		summaryFigures(r.Systems, func(f UsefulFigures) (string, Compared) { return f.Name, f.Spearman })}
}

func (r *RouteReport) line() SummaryLine {
	return SummaryLine{r.Task, r.Set, r.Part, r.Items, "accuracy",
		summaryFigures(r.Systems, func(f RouteFigures) (string, Compared) { return f.Name, f.Accuracy })}
}

func (r *RetrievalReport) line() SummaryLine {
	return SummaryLine{r.Task, r.Set, r.Part, r.Questions, "nDCG@10",
		summaryFigures(r.Systems, func(f RetrievalFigures) (string, Compared) { return f.Name, f.NDCG10 })}
}

func (r *EndToEndReport) line() SummaryLine {
	return SummaryLine{r.Task, r.Set, r.Part, r.Questions, "wrong answers",
		summaryFigures(r.Systems, func(f AnswerFigures) (string, Compared) { return f.Name, f.Wrong })}
}
