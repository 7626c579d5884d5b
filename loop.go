package assay

// Step is a step of the loop.
type Step string

// ReasonCode names what keeps an answer from being complete.
type ReasonCode string
