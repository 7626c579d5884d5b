package ingest

import (
	"regexp"
	"sync"
)

// lazily returns a pattern that is compiled when it is first used. To compile
// all of this package's at once takes longer than to answer a question, and a
// program that only asks needs none.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
