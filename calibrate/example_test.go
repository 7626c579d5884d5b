package calibrate_test

import (
	"fmt"

	"github.com/assay-rag/assay/calibrate"
)

// Grades of 60 questions, and what a person says of the evidence.
func Example() {
	var labels []calibrate.Label
	for i := range 60 {
		score := float64(i%20)/20 + 0.02
		labels = append(labels, calibrate.Label{Score: score, Positive: i%20 >= 8 || i%20 == 5})
	}
	c, err := calibrate.Fit(labels, &calibrate.Options{Costs: calibrate.Costs{Wrong: 10, Fallback: 1}, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("a grade of 0.6 means %.2f\n", c.Map.Probability(0.6))
	fmt.Printf("Correct from %.2f\n", c.Thresholds.Upper)
	fmt.Println(c.Promise)
	// Output:
	// a grade of 0.6 means 0.92
	// Correct from 0.95
	// with confidence 95 %, at most 10 % of the answers passed as Correct rest on insufficient evidence, as long as new questions resemble the labelled ones. It holds from grade 0.38 on, where 36 of 60 pass and 0 of them are wrong
}
