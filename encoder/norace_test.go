//go:build !race

package encoder_test

const raceDetector = false
