// Fit fits the weights of package evaluator to labelled pairs.
//
//	go run ./evaluator/fit -data DIR -out evaluator/weights
//	go run ./evaluator/fit -data DIR -out evaluator/weights -network FOLDER
//	go run ./evaluator/fit -data DIR -confidence
//
// DIR holds train/answer/*.jsonl.gz, questions with passages that answer them or
// don't, and train/support/*.jsonl.gz, claims with evidence. Nothing else below
// DIR is read but for -network. Out is a folder that takes background.txt, the table of how
// often words occur in the passages, and model.json, the weights.
//
// The pairs are split by document or question: most to fit, some to calibrate
// and to choose thresholds, the rest to report on. The same data and seed give
// the same files.
//
// With -network it fits the models that weigh what that network reads beside what the
// words say, and adds them to the weights that stand in out. Its grades are calibrated
// on DIR/clapnq and DIR/popqa, on their validation parts.
//
// With -confidence it fits, with the weights as they are built in, how sure
// package assay is of an answer: it asks questions of the documents that the
// weights were not fitted on, of an index that covers half of them, and prints
// the weights for confidence.go in the module's root.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/assay-rag/assay/evaluator"
)

func main() {
	data := flag.String("data", "", "folder that holds train/answer and train/support")
	out := flag.String("out", "", "folder that takes background.txt and model.json")
	terms := flag.Int("terms", 28000, "terms to keep in the background table")
	seed := flag.Uint64("seed", 1, "seed of the split")
	network := flag.String("network", "", "folder of a trained network (train/export.py)")
	confidence := flag.Bool("confidence", false, "fit the confidence of answers, and print it")
	flag.Parse()
	if *data == "" || (*out == "") != *confidence || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	fit := func() error { return run(*data, *out, *terms, *seed) }
	if *network != "" {
		fit = func() error { return fitNetwork(*data, *out, *network, *seed) }
	}
	if *confidence {
		fit = func() error { return fitConfidence(*data, *seed) }
	}
	if err := fit(); err != nil {
		fmt.Fprintln(os.Stderr, "fit:", err)
		os.Exit(1)
	}
}

func run(data, out string, terms int, seed uint64) error {
	answers, err := readAnswers(filepath.Join(data, "train", "answer"))
	if err != nil {
		return err
	}
	claims, err := readClaims(filepath.Join(data, "train", "support"))
	if err != nil {
		return err
	}
	fmt.Printf("read %d pairs of question and passage, %d of claim and evidence\n", len(answers), len(claims))
	if err := writeBackground(out, terms, answers, claims); err != nil {
		return err
	}
	passage, strip, claim := evaluator.FeatureNames()
	w := evaluator.Weights{Passage: blankModel(passage, 1), Strip: blankModel(strip, 1), Claim: blankModel(claim, 3)}
	e, err := evaluatorWith(out, w)
	if err != nil {
		return err
	}
	made := strangers(answers, seed)
	fmt.Printf("made %d pairs of a question with a text about something else\n", len(made))
	answers = append(answers, made...)
	ctx := context.Background()
	w.Passage = fitAndReport("passages", passage, passageExamples(ctx, e, answers, seed), 1, true)
	supports := claimExamples(e, claims, seed)
	w.Claim = fitAndReport("claims", claim, supports, 3, true)
	w.Support = chooseSupport(&w.Claim, supports)
	if e, err = evaluatorWith(out, w); err != nil { // strips are graded beside their passages
		return err
	}
	w.Strip = fitAndReport("strips", strip, stripExamples(ctx, e, answers, seed), 1, false)
	return writeModel(out, w)
}

// evaluatorWith writes the weights and makes an Evaluator of them.
func evaluatorWith(out string, w evaluator.Weights) (*evaluator.Evaluator, error) {
	if err := writeModel(out, w); err != nil {
		return nil, err
	}
	return evaluator.New(nil, &evaluator.Options{Weights: os.DirFS(out)})
}

func blankModel(names []string, outputs int) evaluator.Model {
	m := evaluator.Model{Bias: make([]float64, outputs)}
	for _, n := range names {
		s := evaluator.Shape{Name: n, Knots: []float64{0}, Values: make([][]float64, outputs)}
		for k := range s.Values {
			s.Values[k] = []float64{0}
		}
		m.Features = append(m.Features, s)
	}
	return m
}

// writeModel writes the weights with as many digits as matter.
func writeModel(out string, w evaluator.Weights) error {
	models := []*evaluator.Model{&w.Passage, &w.Strip, &w.Claim}
	if n := w.Network; n != nil {
		models = append(models, &n.Passage, &n.Strip, &n.Claim)
	}
	for _, m := range models {
		round(m.Bias)
		for _, s := range m.Features {
			round(s.Knots)
			for _, row := range s.Values {
				round(row)
			}
		}
	}
	raw, err := json.MarshalIndent(w, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "model.json"), append(compactRows(raw), '\n'), 0o644)
}

func round(values []float64) {
	for i, v := range values {
		values[i] = math.Round(v*1e4) / 1e4
	}
}

// compactRows puts each list of numbers on one line.
func compactRows(raw []byte) []byte {
	var out []byte
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if c != '\n' {
			out = append(out, c)
			continue
		}
		next := i + 1
		for next < len(raw) && raw[next] == ' ' {
			next++
		}
		number := next < len(raw) && (raw[next] == '-' || raw[next] >= '0' && raw[next] <= '9')
		closes := next < len(raw) && raw[next] == ']' && len(out) > 0 && out[len(out)-1] >= '0' && out[len(out)-1] <= '9'
		if number || closes {
			i = next - 1
			continue
		}
		out = append(out, c)
	}
	return out
}
