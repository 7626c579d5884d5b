package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/encoder"
	"github.com/assay-rag/assay/encoder/minilm"
	"github.com/assay-rag/assay/evaluator"
)

// fitNetwork fits the second models, which weigh what a network reads beside what the
// words say, and adds them to the weights in out. It goes by the groups that the
// network was not trained on.
func fitNetwork(data, out, network string, seed uint64) error {
	raw, err := os.ReadFile(filepath.Join(out, "model.json"))
	if err != nil {
		return err
	}
	var w evaluator.Weights
	if err := json.Unmarshal(raw, &w); err != nil {
		return err
	}
	passage, strip, claim := evaluator.NetworkNames()
	w.Network = &evaluator.NetworkWeights{Passage: blankModel(passage, 1), Strip: blankModel(strip, 1), Claim: blankModel(claim, 3)}
	if err := writeModel(out, w); err != nil {
		return err
	}
	base, err := encoder.Load(minilm.Source(), nil)
	if err != nil {
		return err
	}
	reader, err := encoder.Load(encoder.Dir(network), &encoder.Options{Beside: base}) // it borrows MiniLM's words
	if err != nil {
		return err
	}
	o := &evaluator.Options{Weights: os.DirFS(out), Reader: reader, Embedder: base}
	e, err := evaluator.New(nil, o)
	if err != nil {
		return err
	}
	answers, err := readAnswers(filepath.Join(data, "train", "answer"))
	if err != nil {
		return err
	}
	claims, err := readClaims(filepath.Join(data, "train", "support"))
	if err != nil {
		return err
	}
	answers, claims = heldOutAnswers(answers), heldOutClaims(claims)
	fmt.Printf("%d pairs of question and passage, %d of claim and evidence were held out\n", len(answers), len(claims))
	ctx := context.Background()
	w.Network.Passage = fitAndReport("passages, with the network", passage, networkPassages(ctx, e, answers, seed), 1, true)
	w.Network.Strip = fitAndReport("strips, with the network", strip, networkStrips(ctx, e, answers, seed), 1, false)
	supports := networkClaims(ctx, e, claims, seed)
	w.Network.Claim = fitAndReport("claims, with the network", claim, supports, 3, true)
	w.Network.Support = chooseSupport(&w.Network.Claim, supports)
	if err := writeModel(out, w); err != nil {
		return err
	}
	if e, err = evaluator.New(nil, o); err != nil { // with the weights just fitted
		return err
	}
	if err := calibrateGate(data, e, &w.Network.Passage); err != nil {
		return err
	}
	return writeModel(out, w)
}

// heldOut is the division of train/rows.py: one group in twenty is not trained on.
func heldOut(set, group string) bool {
	return sha256.Sum256([]byte(set + "/" + group))[0] < 13
}

func heldOutAnswers(rows []answerRow) []answerRow {
	var out []answerRow
	for _, r := range rows {
		if heldOut(r.Set, cmp.Or(r.Group, r.Question)) {
			out = append(out, r)
		}
	}
	return out
}

func heldOutClaims(rows []claimRow) []claimRow {
	var out []claimRow
	for _, r := range rows {
		if heldOut(r.Set, cmp.Or(r.Group, r.Evidence)) {
			out = append(out, r)
		}
	}
	return out
}

func networkPassages(ctx context.Context, e *evaluator.Evaluator, rows []answerRow, seed uint64) []example {
	return mixed(weighed(parallel(rows, func(r answerRow) example {
		x := baseOf(r, seed)
		q, p := passageOf(r)
		x.x = must(e.NetworkPassage(ctx, q, p))
		return x
	})))
}

// weighed are the examples that the second model weighs.
func weighed(all []example) []example {
	return slices.DeleteFunc(all, func(x example) bool { return x.x == nil })
}

func networkStrips(ctx context.Context, e *evaluator.Evaluator, rows []answerRow, seed uint64) []example {
	var out []example
	for _, some := range parallel(rows, func(r answerRow) []example {
		if r.Sentence == 1 {
			return nil
		}
		return sentenceExamples(r, baseOf(r, seed), func(q assay.Query, strips []assay.Strip) [][]float64 {
			return must(e.NetworkStrips(ctx, q, strips))
		})
	}) {
		out = append(out, some...)
	}
	return mixed(weighed(out))
}

func networkClaims(ctx context.Context, e *evaluator.Evaluator, rows []claimRow, seed uint64) []example {
	return weighed(parallel(rows, func(r claimRow) example {
		x, strip := claimOf(r, seed)
		x.x = must(e.NetworkClaim(ctx, r.Claim, []assay.Strip{strip}))
		return x
	}))
}

// must is for a network in this process: it fails only if the program is wrong.
func must[T any](v T, err error) T {
	if err != nil {
		panic(errors.Join(errors.New("fit: the network could not read"), err))
	}
	return v
}
