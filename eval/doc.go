// Package eval measures Assay on labelled data.
package eval
