//go:build !amd64 && !arm64

package simd

// accelerated returns the sets in assembly that run here, slowest first.
func accelerated() []*Kernels { return nil }
