package main

import (
	"context"
	"strings"
	"testing"

	"github.com/assay-rag/assay/index"
)

// TestDiagnose wants advice in terms of the command line, not of the library.
func TestDiagnose(t *testing.T) {
	e := newTester(t)
	for kind, want := range map[error]string{
		index.ErrModel:    "assay index embed --anew --index /x",
		index.ErrDamaged:  "assay index repair --index /x",
		index.ErrVersion:  "--index DIR",
		index.ErrReadOnly: "--index DIR",
		index.ErrNotIndex: "--index DIR",
	} {
		f := e.env.diagnose(context.Background(), &index.Error{Op: "open", Path: "/x/index.db", Kind: kind, Hint: "call ForgetVectors"})
		if !strings.Contains(f.do, want) || strings.Contains(f.do, "ForgetVectors") {
			t.Errorf("%v: the advice is %q, want %q in it", kind, f.do, want)
		}
	}
	f := e.env.diagnose(context.Background(), &index.Error{Op: "embed", Path: "/x/index.db", Kind: index.ErrModel, Hint: "let it finish"})
	if f.do != "let it finish" {
		t.Errorf("where another process makes the vectors anew, the advice is %q", f.do)
	}
}
