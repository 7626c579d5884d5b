package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/assay-rag/assay/evaluator"
	"github.com/assay-rag/assay/text"
)

// answerRow is a question with a text that answers it (1) or not (0).
type answerRow struct {
	Question string `json:"q"`
	Text     string `json:"p"`
	Label    int    `json:"label"`
	Set      string `json:"set"`
	Sentence int    `json:"sent"`
	Answer   string `json:"answer"`
	Negative string `json:"neg"`
	Group    string `json:"grp"`
}

// claimRow is a claim with evidence.
type claimRow struct {
	Claim    string `json:"claim"`
	Evidence string `json:"evidence"`
	Label    string `json:"label"`
	Set      string `json:"set"`
	TwoWay   int    `json:"two_way"`
	Weak     int    `json:"weak"`
	Group    string `json:"grp"`
}

func readAnswers(folder string) ([]answerRow, error) { return readRows[answerRow](folder) }

func readClaims(folder string) ([]claimRow, error) { return readRows[claimRow](folder) }

// readRows reads all *.jsonl.gz of a folder, in the order of their names.
func readRows[R any](folder string) ([]R, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no *.jsonl.gz in %s: -data is the folder above train", folder)
	}
	var rows []R
	for _, name := range files {
		if rows, err = readFile(name, rows); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
	}
	return rows, nil
}

func readFile[R any](name string, rows []R) ([]R, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(z); d.More(); {
		var r R
		if err := d.Decode(&r); err != nil {
			return nil, fmt.Errorf("row %d: %w", len(rows)+1, err)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// shortest is the fewest terms of a text that counts for the background table.
const shortest = 12

// writeBackground counts each distinct text once.
func writeBackground(out string, limit int, answers []answerRow, claims []claimRow) error {
	counts, seen, passages := map[string]int{}, map[string]bool{}, 0
	count := func(s string) {
		if seen[s] {
			return
		}
		seen[s] = true
		tokens := text.Analyze(s, "en")
		if len(tokens) < shortest {
			return
		}
		passages++
		here := make(map[string]bool, len(tokens))
		for _, t := range tokens {
			if !here[t.Term] {
				here[t.Term] = true
				counts[t.Term]++
			}
		}
	}
	for _, r := range answers {
		count(r.Text)
	}
	for _, r := range claims {
		count(r.Evidence)
	}
	f, err := os.Create(filepath.Join(out, "background.txt"))
	if err != nil {
		return err
	}
	if err := evaluator.WriteBackground(f, passages, counts, limit); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
