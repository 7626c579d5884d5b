// Package simd is the arithmetic of a transformer encoder, and of an exact scan
// over int8 vectors, written for the processors it runs on.
//
// A [Kernels] is one set of functions for one kind of processor: AVX-512 with or
// without its int8 dot product, AVX2, NEON, or plain Go. [Best] picks the fastest
// that runs here. All sets keep one contract, so a caller packs its weights for
// [Kernels.Width] columns and never asks again which processor it is on:
//
//	k := simd.Best()
//	// panel p of the weights holds columns p·Width … p·Width+Width-1
//	k.MatMul(out[p*k.Width:], n, in, depth, panel, bias, rows, depth)
//
// plain.go says in Go what every function means, and the tests hold the assembly
// to it. The assembly is written by the programs in gen, never by hand.
//
// Lengths are checked once a call, before the assembly starts: a slice that is too
// short is a bug of the caller's, and panics. Nothing here allocates, and all
// functions may be called at once from many goroutines.
package simd
