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
	for _, r := range []role{stands, judges, embeds} {
		if v := c.values[r.prefix+"base_url"]; v.text != "" && c.get(r.name) == "" {
			e.warn(r.prefix + "base_url (" + v.from + ") is ignored: no model is named there; name one: " + r.name)
		}
	}
	judge, off := c.values["judge_model"], c.values["judge"]
	switch {
	case judge.text == "" || c.has(judges):
	case strings.HasPrefix(judge.from, "--"):
		return misusef("say when it judges: --judge unsure, or --judge always", "%s: no model judges (judge is off: %s)", judge.from, off.from)
	case off.from == "default":
		e.warn("judge_model (" + judge.from + ") is ignored: no model judges; say when it does: --judge unsure, or --judge always")
	}
	return nil
}

// unchecking refuses a command line that names a model for a check that no model makes:
// it writes nothing. The environment and a file may name it for other commands.
func (c *config) unchecking() error {
	model, base := c.values["model"], c.values["base_url"]
	if c.has(judges) || !c.has(writes) {
		return nil
	}
	for _, v := range []value{model, base} {
		if strings.HasPrefix(v.from, "--") && !(v == base && c.at(embeds)) {
			return misusef("say when it judges: --judge unsure, or --judge always", "%s: no model checks (judge is off)", v.from)
		}
	}
	return nil
}

// warn writes a warning for a person.
func (e env) warn(text string) { slog.New(warnings{e.errScreen()}).Warn(text) }
