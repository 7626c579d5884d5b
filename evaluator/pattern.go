package evaluator

import (
	"regexp"
	"sync"
)

// lazily returns a pattern that is compiled when it is first used: to compile
// them all takes a millisecond at the start of every program, and most questions
// need few of them.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
