//go:build race

package encoder_test

// raceDetector: under it, a sync.Pool forgets what it holds at random.
const raceDetector = true
