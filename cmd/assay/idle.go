package main

import (
	"log/slog"
	"strings"
)

// idle tells of models that the settings name and that nothing would ask. On the
// command line that can't be meant. The environment and a file may hold more than one
// command needs: they are worth a warning, unless it was said as well that no model
// judges.
func (e env) idle(c *config) error {
	if v := c.values["second_model"]; v.text != "" && !c.has(writes) {
		e.warn("second_model (" + v.from + ") is ignored: there is no model for it to stand in for; name one: --model NAME")
	}
	if c.has(judges) {
		return nil
	}
	off := c.values["judge"]
	for _, name := range []string{"judge_model", "judge_base_url"} {
		switch v := c.values[name]; {
		case v.text == "":
		case strings.HasPrefix(v.from, "--"):
			return misusef("say when it judges: --judge unsure, or --judge always", "%s: no model judges (judge is off: %s)", v.from, off.from)
		case off.from == "default":
			e.warn(name + " (" + v.from + ") is ignored: no model judges; say when one does: --judge unsure, or --judge always")
			return nil
		}
	}
	return nil
}

// warn writes a warning for a person.
func (e env) warn(text string) { slog.New(warnings{e.errScreen()}).Warn(text) }
