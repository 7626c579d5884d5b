package main

import "math"

// memory is how many steps the curvature is estimated from.
const memory = 12

// minimise is the limited-memory BFGS method (Nocedal and Wright 2006,
// algorithm 7.5) with backtracking by Armijo's rule.
func minimise(f func(x, gradient []float64) float64, x []float64, iterations int) []float64 {
	n := len(x)
	g := make([]float64, n)
	value := f(x, g)
	var steps, changes [][]float64
	for range iterations {
		direction := twoLoop(g, steps, changes)
		slope := dot(direction, g)
		if slope >= 0 {
			break
		}
		next, nextG := make([]float64, n), make([]float64, n)
		size, nextValue := 1.0, 0.0
		if len(steps) == 0 {
			size = 1 / max(1, math.Sqrt(dot(g, g)))
		}
		for try := 0; ; try++ {
			for i := range x {
				next[i] = x[i] + size*direction[i]
			}
			nextValue = f(next, nextG)
			if nextValue <= value+1e-4*size*slope {
				break
			}
			if try == 30 {
				return x
			}
			size /= 2
		}
		step, change := make([]float64, n), make([]float64, n)
		for i := range x {
			step[i], change[i] = next[i]-x[i], nextG[i]-g[i]
		}
		if dot(step, change) > 1e-14 {
			steps, changes = append(steps, step), append(changes, change)
			if len(steps) > memory {
				steps, changes = steps[1:], changes[1:]
			}
		}
		done := value-nextValue < 1e-8
		x, g, value = next, nextG, nextValue
		if done {
			break
		}
	}
	return x
}

// twoLoop multiplies the gradient by the estimate of the inverse curvature.
func twoLoop(g []float64, steps, changes [][]float64) []float64 {
	d := make([]float64, len(g))
	for i := range g {
		d[i] = -g[i]
	}
	alpha := make([]float64, len(steps))
	for i := len(steps) - 1; i >= 0; i-- {
		alpha[i] = dot(steps[i], d) / dot(steps[i], changes[i])
		axpy(-alpha[i], changes[i], d)
	}
	if last := len(steps) - 1; last >= 0 {
		scale := dot(steps[last], changes[last]) / dot(changes[last], changes[last])
		for i := range d {
			d[i] *= scale
		}
	}
	for i := range steps {
		beta := dot(changes[i], d) / dot(steps[i], changes[i])
		axpy(alpha[i]-beta, steps[i], d)
	}
	return d
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func axpy(a float64, x, y []float64) {
	for i := range x {
		y[i] += a * x[i]
	}
}
