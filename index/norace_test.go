//go:build !race

package index

// raced tells whether the race detector watches, under which processes start slowly.
const raced = false
