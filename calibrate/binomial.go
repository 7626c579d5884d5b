package calibrate

import "math"

// binomialTail is the probability of at most k successes in n trials that succeed
// with probability p each, exactly, p in (0, 1).
func binomialTail(k, n int, p float64) float64 {
	if k >= n {
		return 1
	}
	sum := 0.0
	for i := range k + 1 {
		sum += math.Exp(logChoose(n, i) + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return min(sum, 1)
}

// logChoose is the logarithm of n over k.
func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
