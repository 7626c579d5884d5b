package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-rag/assay/llm"
)

// configCmd prints what is in force.
type configCmd struct {
	Models   modelling `embed:""`
	Encoding encoding  `embed:""`
	JSON     bool      `name:"json" help:"Print the settings as JSON."`
}

// Help teaches by example.
func (configCmd) Help() string {
	return `A setting comes from a flag, else from the environment (ASSAY_ and its name in capitals), else from a file: the one named by --config or $ASSAY_CONFIG, or ./assay.yaml over the user's own (~/.config/assay/assay.yaml), else it has its default.

A file has a setting a line, and may say what models cost, in US dollars for a million tokens:

    model: qwen2.5-7b-instruct
    base_url: http://localhost:8080/v1
    judge: unsure
    prices:
      qwen2.5-7b-instruct: {in: 0, out: 0}

A key is no setting. It is read from $ASSAY_API_KEY, from the file that api_key_file names, or, for a provider's own address, from the provider's usual variable ($OPENAI_API_KEY, $ANTHROPIC_API_KEY …). It is never printed, traced or stored.

Examples:

    assay config
    assay config --model gpt-4.1-mini --json | jq '.settings.model'`
}

// configReport is the JSON form.
type configReport struct {
	Files    []string                 `json:"files"`
	Settings map[string]settingReport `json:"settings"`
	Keys     map[string]settingReport `json:"keys"` // where each is from, never what it is
	Prices   map[string]llm.Price     `json:"prices"`
}

type settingReport struct {
	Value string `json:"value"`
	From  string `json:"from"` // empty: nothing sets it
}

// Run prints the settings.
func (c *configCmd) Run(e env) error {
	config, err := e.configure(c.Models.given(c.Encoding.given()))
	if err != nil {
		return err
	}
	report := configReport{Files: append([]string{}, config.files...), Settings: map[string]settingReport{}, Keys: map[string]settingReport{}, Prices: config.prices}
	for _, s := range settings {
		v := config.values[s.name]
		if strings.HasSuffix(s.name, "base_url") {
			v.text = redacted(v.text)
		}
		report.Settings[s.name] = settingReport{v.text, v.from}
	}
	if dir, err := e.lasting(""); err == nil && config.get("index") == "" {
		report.Settings["index"] = settingReport{dir, "default"}
	}
	for _, role := range config.roles() {
		report.Keys[role.name] = e.keyReport(config, role.prefix)
	}
	if c.JSON {
		return writeJSON(e.stdout, report, true)
	}
	e.writeConfig(report)
	return nil
}

// keyReport says where the key of an endpoint is from, or where it is missing.
func (e env) keyReport(c *config, prefix string) settingReport {
	p, err := e.remote(c, prefix)
	switch {
	case err != nil:
		return settingReport{"none: " + message(err), ""}
	case p.keyFrom == "":
		return settingReport{"none, and none may be needed (else set " + p.keyAt + ")", ""}
	}
	return settingReport{"set", p.keyFrom}
}

// writeConfig writes the settings for a person.
func (e env) writeConfig(r configReport) {
	s := e.outScreen()
	row := func(name, value, from, about string) {
		if from != "" {
			from = " (" + from + ")"
		}
		if value == "" {
			value, from = "–", ""
		}
		s.indented(strings.Repeat(" ", 23), plainf("%-22s ", name), bold(cleanLine(value)), dim(from), dim("  "+about))
	}
	for _, setting := range settings {
		v := r.Settings[setting.name]
		row(setting.name, v.Value, v.From, setting.about)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Keys)) {
		row("key of "+name, r.Keys[name].Value, r.Keys[name].From, "")
	}
	for _, name := range slices.Sorted(maps.Keys(r.Prices)) {
		p := r.Prices[name]
		row("price of "+name, fmt.Sprintf("$%g in, $%g out, a million tokens", p.In, p.Out), "", "")
	}
	for _, file := range r.Files {
		row("file", file, "", "")
	}
}
