//go:build !linux

package simd

import "testing"

// guarded returns n zero values. On Linux they stand at the end of memory.
func guarded[T any](t testing.TB, n int) []T { return make([]T, n) }
