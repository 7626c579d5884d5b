package calibrate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// fileVersion is that of the form of the file.
const fileVersion = 1

// ErrOther says that a calibration is of another grader, or another version of it.
var ErrOther = errors.New("the calibration is of another grader")

// Write writes the calibration as JSON.
func (c *Calibration) Write(w io.Writer) error {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("calibrate write: %w", err)
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

// Read reads what Write writes, and refuses what can't be used: a file of another
// form, a map that doesn't rise, thresholds that are none.
func Read(r io.Reader) (*Calibration, error) {
	c := &Calibration{}
	if err := json.NewDecoder(r).Decode(c); err != nil {
		return nil, fmt.Errorf("calibrate read: not a calibration: %w", err)
	}
	if c.Version != fileVersion {
		return nil, fmt.Errorf("calibrate read: the file has version %d, and this program reads %d", c.Version, fileVersion)
	}
	if c.Grader.Name == "" {
		return nil, errors.New("calibrate read: the file doesn't say whose grades it is for")
	}
	if err := errors.Join(c.Map.validate(), c.Thresholds.Validate()); err != nil {
		return nil, fmt.Errorf("calibrate read: %w", err)
	}
	return c, nil
}

// For refuses a calibration that is not of this grader, with ErrOther.
func (c *Calibration) For(grader Identity) error {
	if c.Grader != grader {
		return fmt.Errorf("%w: of %s, and the one in use is %s", ErrOther, c.Grader, grader)
	}
	return nil
}
