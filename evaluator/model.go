package evaluator

import (
	"embed"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"slices"
	"sort"
)

// Model is an additive logistic model: the log-odds are the bias and, for each
// feature, a piecewise-linear function of its value, so that a person can read
// what each feature does (a generalised additive model: Hastie and Tibshirani
// 1986). Outputs holds one such sum for each output.
type Model struct {
	Features []Shape   `json:"features"`
	Bias     []float64 `json:"bias"` // one an output
}

// Shape is what one feature contributes.
type Shape struct {
	Name string `json:"name"`
	// Knots are increasing values of the feature. Below the first and above the
	// last the contribution stays what it is there.
	Knots []float64 `json:"knots"`
	// Values are the contributions to the log-odds at the knots, one row an
	// output.
	Values [][]float64 `json:"values"`
}

// Basis writes the position of x among the knots: the index of the knot below
// and the share of the one above.
func (s *Shape) Basis(x float64) (knot int, above float64) {
	k := s.Knots
	if len(k) == 1 || x <= k[0] {
		return 0, 0
	}
	if x >= k[len(k)-1] {
		return len(k) - 2, 1
	}
	i := sort.SearchFloat64s(k, x) - 1
	return i, (x - k[i]) / (k[i+1] - k[i])
}

// logit returns the log-odds of an output for the features x.
func (m *Model) logit(output int, x []float64) float64 {
	z := m.Bias[output]
	for i := range m.Features {
		s := &m.Features[i]
		knot, above := s.Basis(x[i])
		row := s.Values[output]
		z += row[knot]
		if above > 0 {
			z += above * (row[knot+1] - row[knot])
		}
	}
	return z
}

// Logits returns the log-odds of all outputs.
func (m *Model) Logits(x []float64) []float64 {
	z := make([]float64, len(m.Bias))
	for k := range z {
		z[k] = m.logit(k, x)
	}
	return z
}

// Probabilities returns the probability of each output: the logistic of the one,
// or the softmax of several.
func (m *Model) Probabilities(x []float64) []float64 {
	p := m.Logits(x)
	if len(p) == 1 {
		p[0] = logistic(p[0])
		return p
	}
	most := slices.Max(p)
	sum := 0.0
	for k := range p {
		p[k] = math.Exp(p[k] - most)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}

func logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// validate refuses a model that does not fit the features of this program.
func (m *Model) validate(names []string, outputs int) error {
	if len(m.Features) != len(names) || len(m.Bias) != outputs {
		return fmt.Errorf("%d features and %d outputs, not the %d and %d of this program", len(m.Features), len(m.Bias), len(names), outputs)
	}
	for i, s := range m.Features {
		if s.Name != names[i] {
			return fmt.Errorf("feature %d is %q, not %q", i, s.Name, names[i])
		}
		if len(s.Knots) == 0 || !sort.Float64sAreSorted(s.Knots) || len(s.Values) != outputs {
			return fmt.Errorf("feature %q: its knots must increase and it needs %d rows of values", s.Name, outputs)
		}
		for _, row := range s.Values {
			if len(row) != len(s.Knots) {
				return fmt.Errorf("feature %q has %d knots and %d values", s.Name, len(s.Knots), len(row))
			}
		}
	}
	return nil
}

// Weights are everything that was fitted.
type Weights struct {
	Passage Model `json:"passage"`
	Strip   Model `json:"strip"`
	Claim   Model `json:"claim"`
	// Support turns the claim model's probabilities into what is said of a claim.
	Support SupportThresholds `json:"support"`
	// Network weighs what a Reader reads; nil where the weights were fitted without.
	Network *NetworkWeights `json:"network,omitempty"`

	background background
	mark       uint32 // tells weights apart
}

// NetworkWeights are the second models, which weigh what a network reads beside what
// the words say.
type NetworkWeights struct {
	Passage Model             `json:"passage"`
	Strip   Model             `json:"strip"`
	Claim   Model             `json:"claim"`
	Support SupportThresholds `json:"support"`
}

// SupportThresholds are chosen by the fit program on held-out training data.
type SupportThresholds struct {
	// Supported: the probability of support is at least this.
	Supported float64 `json:"supported"`
	// Partial: at least this.
	Partial float64 `json:"partial"`
	// Contradicted: the probability of contradiction is at least this, and a
	// clash (of numbers, of negation, of antonyms) was seen.
	Contradicted float64 `json:"contradicted"`
}

// The files of a folder of weights.
const (
	modelFile      = "model.json"
	backgroundFile = "background.txt"
)

//go:embed weights
var embedded embed.FS

// loadWeights reads a folder of weights as the fit program writes it.
func loadWeights(folder fs.FS) (*Weights, error) {
	table, err := fs.ReadFile(folder, backgroundFile)
	if err != nil {
		return nil, fmt.Errorf("background table: %w", err)
	}
	raw, err := fs.ReadFile(folder, modelFile)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	w := &Weights{}
	if err := json.Unmarshal(raw, w); err != nil {
		return nil, fmt.Errorf("model: %s: %w", modelFile, err)
	}
	if w.background, err = newBackground(string(table)); err != nil {
		return nil, err
	}
	w.mark = crc32.Update(crc32.ChecksumIEEE(table), crc32.IEEETable, raw)
	parts := []expected{
		{"passage", &w.Passage, passageFeatureNames(), 1},
		{"strip", &w.Strip, stripFeatureNames(), 1},
		{"claim", &w.Claim, claimFeatureNames(), claimOutputs},
	}
	if n := w.Network; n != nil {
		parts = append(parts, expected{"network passage", &n.Passage, networkPassageNames(), 1},
			expected{"network strip", &n.Strip, networkStripNames(), 1},
			expected{"network claim", &n.Claim, networkClaimNames(), claimOutputs})
	}
	for _, m := range parts {
		if err := m.model.validate(m.names, m.outputs); err != nil {
			return nil, fmt.Errorf("model: the %s part has %w; fit it again with this version", m.name, err)
		}
	}
	return w, nil
}

// expected is one model of the weights, and what this program expects of it.
type expected struct {
	name    string
	model   *Model
	names   []string
	outputs int
}
