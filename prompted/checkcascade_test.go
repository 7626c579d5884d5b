package prompted

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/assay-rag/assay"
)

// checkerFunc is a checker that remembers what it was asked.
type checkerFunc struct {
	say   func(claim string) assay.Finding
	err   error
	asked []string
}

func (c *checkerFunc) Check(_ context.Context, claims []string, _ []assay.Strip) ([]assay.Finding, error) {
	c.asked = append(c.asked, claims...)
	var out []assay.Finding
	for _, claim := range claims {
		out = append(out, c.say(claim))
	}
	return out, c.err
}

func TestCheckCascade(t *testing.T) {
	of := func(s assay.Support) func(string) assay.Finding {
		return func(claim string) assay.Finding {
			if claim == "plain" {
				return assay.Finding{Support: assay.Supported, Score: 0.9}
			}
			return assay.Finding{Support: s, Score: 0.5}
		}
	}
	for _, c := range []struct {
		name        string
		first, then *checkerFunc
		want        assay.Support // of the other claim
		asked       []string      // of the second checker
	}{
		{"the second one decides", &checkerFunc{say: of(assay.Unsupported)}, &checkerFunc{say: of(assay.Supported)}, assay.Supported, []string{"other"}},
		{"it isn't asked about what is supported", &checkerFunc{say: of(assay.Supported)}, &checkerFunc{say: of(assay.Unsupported)}, assay.Supported, nil},
		{"its failure changes nothing", &checkerFunc{say: of(assay.PartiallySupported)}, &checkerFunc{say: of(assay.Supported), err: errors.New("down")}, assay.PartiallySupported, []string{"other"}},
		{"nor does what it can't tell", &checkerFunc{say: of(assay.Unsupported)}, &checkerFunc{say: of(assay.SupportUndetermined)}, assay.Unsupported, []string{"other"}},
		{"the first one fails", &checkerFunc{say: of(assay.Unsupported), err: errors.New("down")}, &checkerFunc{say: of(assay.Supported)}, assay.Supported, []string{"plain", "other"}},
	} {
		findings, err := NewCheckCascade(c.first, c.then).Check(t.Context(), []string{"plain", "other"}, make([]assay.Strip, 1))
		if err != nil || findings[0].Support != assay.Supported || findings[1].Support != c.want || !slices.Equal(c.then.asked, c.asked) {
			t.Errorf("%s: %v, %v, asked %v", c.name, findings, err, c.then.asked)
		}
	}
}

func TestCheckElse(t *testing.T) {
	of := func(other assay.Support) func(string) assay.Finding {
		return func(claim string) assay.Finding {
			if claim == "plain" {
				return assay.Finding{Support: assay.Supported, Score: 0.9}
			}
			return assay.Finding{Support: other, Score: 0.5}
		}
	}
	for _, c := range []struct {
		name             string
		first, otherwise *checkerFunc
		want             assay.Support // of the other claim
		asked            []string      // of the one that stands in
	}{
		{"what the first says stands", &checkerFunc{say: of(assay.Contradicted)}, &checkerFunc{say: of(assay.Supported)}, assay.Contradicted, nil},
		{"where it can't tell the other does", &checkerFunc{say: of(assay.SupportUndetermined)}, &checkerFunc{say: of(assay.Unsupported)}, assay.Unsupported, []string{"other"}},
		{"where it fails the other checks all", &checkerFunc{say: of(assay.Supported), err: errors.New("down")}, &checkerFunc{say: of(assay.Unsupported)}, assay.Unsupported, []string{"plain", "other"}},
	} {
		findings, err := NewCheckElse(c.first, c.otherwise).Check(t.Context(), []string{"plain", "other"}, make([]assay.Strip, 1))
		if err != nil || findings[1].Support != c.want || !slices.Equal(c.otherwise.asked, c.asked) {
			t.Errorf("%s: %v, %v, asked %v", c.name, findings, err, c.otherwise.asked)
		}
	}
}
