package main

import (
	"bytes"
	"errors"

	"github.com/assay-rag/assay"
	"github.com/assay-rag/assay/calibrate"
)

// calibrating is the flag that names a calibration.
type calibrating struct {
	Calibration string `type:"given" placeholder:"FILE" complete:"file" help:"Map grades and set thresholds as this file of \"assay calibrate\" says (else $$ASSAY_CALIBRATION)."`
}

// given adds the setting that the flag gives to others.
func (f calibrating) given(others map[string]string) map[string]string {
	others["calibration"] = f.Calibration
	return others
}

// versioned is a grader that tells its version: it changes with the grades.
type versioned interface{ Version() string }

// identityOf is how the built-in evaluator is named in a calibration.
func identityOf(g assay.Grader) calibrate.Identity {
	id := calibrate.Identity{Name: "assay evaluator"}
	if v, ok := g.(versioned); ok {
		id.Version = v.Version()
	}
	return id
}

// builtIn is the evaluator that grades for "assay ask" where there is no index.
func (e env) builtIn(f judging) (assay.Grader, calibrate.Identity, error) {
	c, err := e.configure(f.given(map[string]string{}))
	if err != nil {
		return nil, calibrate.Identity{}, err
	}
	grader, err := e.evaluator(c, nil, nil)
	if err != nil {
		return nil, calibrate.Identity{}, err
	}
	return grader, identityOf(grader), nil
}

// calibration reads the calibration that the settings name; nil where they name none.
func (c *config) calibration() (*calibrate.Calibration, error) {
	named := c.values["calibration"]
	if named.text == "" {
		return nil, nil
	}
	if c.get("judge") != judgeOff {
		return nil, misusef("leave one of them out", "%s: a calibration is of the built-in evaluator alone, and judge is %s (%s)", named.from, c.get("judge"), c.values["judge"].from)
	}
	data, err := readSmall(named.text, true)
	if err != nil {
		return nil, failf("see whether the file is there; it is made by: assay calibrate --out FILE LABELS", "%s: %w", named.from, err)
	}
	calibration, err := calibrate.Read(bytes.NewReader(data))
	if err != nil {
		return nil, failf("make it anew: assay calibrate --out FILE LABELS", "%s: %s: %w", named.from, named.text, err)
	}
	return calibration, nil
}

// calibrate puts a calibration around the grader, where the settings name one, and its
// thresholds where the command line gives none.
func (c *config) calibrate(parts *assay.Parts, o *assay.Options) error {
	calibration, err := c.calibration()
	if calibration == nil {
		return err
	}
	if err := calibration.For(identityOf(parts.Grader)); errors.Is(err, calibrate.ErrOther) {
		return failf("use the --evaluator that it was made with; or grade the labels anew, with the --evaluator to be used: assay calibrate --regrade --out "+quoted(c.get("calibration"))+" LABELS",
			"%s: %s: %w", c.values["calibration"].from, c.get("calibration"), err)
	}
	parts.Grader = calibrate.Grader(parts.Grader, calibration)
	if o.Thresholds == nil {
		o.Thresholds = &calibration.Thresholds
	}
	return nil
}

// thresholds are those of the calibration in force, else the default ones.
func (c *config) thresholds() (assay.Thresholds, error) {
	calibration, err := c.calibration()
	if calibration == nil {
		return assay.DefaultThresholds, err
	}
	return calibration.Thresholds, nil
}
