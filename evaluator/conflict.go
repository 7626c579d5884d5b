package evaluator

import "github.com/assay-rag/assay"

// conflicts finds the pairs of passages that answer the question differently.
func (e *Evaluator) conflicts(all []graded) []assay.Conflict { return nil }
