package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/assay-rag/assay/llm"
)

const (
	// configVariable names the environment variable for the configuration file.
	configVariable = "ASSAY_CONFIG"
	// configName is the file's name in the working folder and in the user's own.
	configName = "assay.yaml"
)

// setting is something that a flag, the environment or a file can set: the flag
// before the environment, that before the file, and the provider's own variables
// last.
type setting struct {
	name    string   // in the file; the variable is ASSAY_ and the name in capitals
	about   string   // in a few words
	usual   string   // the value where nothing sets it
	choices []string // nil: any
	outward bool     // has documents sent, or money spent: not from a file that nobody named
}

// settings are all of them, in the order in which "assay config" lists them.
var settings = []setting{
	{name: "index", about: "folder of the lasting index"},
	{name: "encoder", about: "what finds meanings: builtin (else), off or a folder"},
	{name: "model", about: "language model that writes answers; none: they are quoted", outward: true},
	{name: "base_url", about: "address of its API", outward: true},
	{name: "provider", about: "form of its API", choices: []string{providerOpenAI, providerAnthropic}, outward: true},
	{name: "api_key_file", about: "file with the key", outward: true},
	{name: "azure_version", about: "version of Azure's dated API", outward: true},
	{name: "second_model", about: "model to ask where the first can't be", outward: true},
	{name: "second_base_url", about: "address of its API (else base_url)", outward: true},
	{name: "second_provider", about: "form of its API", choices: []string{providerOpenAI, providerAnthropic}, outward: true},
	{name: "second_api_key_file", about: "file with its key", outward: true},
	{name: "judge", about: "when a model grades and checks", usual: judgeOff, choices: []string{judgeOff, judgeUnsure, judgeAlways}, outward: true},
	{name: "judge_model", about: "model that does (else model)", outward: true},
	{name: "judge_base_url", about: "address of its API (else base_url)", outward: true},
	{name: "judge_provider", about: "form of its API", choices: []string{providerOpenAI, providerAnthropic}, outward: true},
	{name: "judge_api_key_file", about: "file with its key", outward: true},
	{name: "judge_calls", about: "passages in one call, or a call each", usual: "one", choices: []string{"one", "each"}},
	{name: "embed_model", about: "model that finds meanings, instead of the encoder", outward: true},
	{name: "embed_base_url", about: "address of its API (else base_url)", outward: true},
	{name: "embed_provider", about: "form of its API", choices: []string{providerOpenAI}, outward: true},
	{name: "embed_api_key_file", about: "file with its key", outward: true},
	{name: "embed_dim", about: "numbers in its vectors (else it is asked)"},
	{name: "embed_query_prefix", about: "text that it wants before a question"},
	{name: "embed_passage_prefix", about: "text that it wants before a passage"},
	{name: "stream", about: "what is shown of an answer before its end (else verified on a terminal)", choices: []string{streamOff, "draft", "verified"}},
	{name: "thoughts", about: "tokens that a model may think before it replies (else by its name)"},
	{name: "router", about: "who decides how much of the loop runs", usual: routerBuiltin, choices: []string{routerBuiltin, routerModel}},
	{name: "parallel", about: "calls of an endpoint at once", usual: "8"},
	{name: "call_timeout", about: "time for one call", usual: "2m"},
	{name: "timeout", about: "time for an answer (1m without a model)", usual: "5m"},
	{name: "max_calls", about: "model calls for an answer", usual: fmt.Sprint(llm.DefaultBudget.Calls), outward: true},
	{name: "max_tokens", about: "tokens for an answer", usual: fmt.Sprint(llm.DefaultBudget.Tokens), outward: true},
	{name: "max_cost", about: "US dollars for an answer", usual: fmt.Sprint(llm.DefaultBudget.Money), outward: true},
	{name: "cache", about: "whether replies of models are kept", usual: "on", choices: []string{"on", "off"}},
	{name: "cache_size", about: "how much is kept at the most", usual: "256MiB"},
}

// When a judge is asked.
const (
	judgeOff    = "off"
	judgeUnsure = "unsure"
	judgeAlways = "always"
)

// Who decides how much of the loop runs.
const (
	routerBuiltin = "builtin" // always the whole of it, which costs nothing without a judge
	routerModel   = "model"
)

// streamOff streams nothing.
const streamOff = "off"

// text is a value from a file as text. "off" without quotes may be read as false.
func (s setting) text(v any) string {
	if b, ok := v.(bool); ok && slices.Contains(s.choices, "off") {
		return map[bool]string{true: "on", false: "off"}[b]
	}
	return fmt.Sprint(v)
}

func (s setting) variable() string { return "ASSAY_" + strings.ToUpper(s.name) }

// config is what is in force, and from where.
type config struct {
	values map[string]value
	prices llm.Prices
	files  []string // those read, the one that counts first
}

// value is a setting's value and where it comes from.
type value struct{ text, from string }

func (c *config) get(name string) string { return c.values[name].text }

// flag is the flag that says what the command line said, with a space after it; ""
// where it said nothing.
func (c *config) flag(name string) string {
	v := c.values[name]
	if !strings.HasPrefix(v.from, "--") {
		return ""
	}
	return v.from + " " + quoted(v.text) + " "
}

// configFile is the part of a configuration file that is not a plain setting.
type configFile struct {
	Prices llm.Prices `yaml:"prices"`
}

// configure puts together what is in force. flags are those given on the command
// line, by the name of their setting.
func (e env) configure(flags map[string]string) (*config, error) {
	c := &config{values: map[string]value{}, prices: llm.Prices{}}
	for _, s := range settings {
		c.values[s.name] = value{s.usual, "default"}
		if s.usual == "" {
			c.values[s.name] = value{}
		}
	}
	if err := e.readFiles(c); err != nil {
		return nil, err
	}
	for _, s := range settings {
		if text := e.getenv(s.variable()); text != "" {
			c.values[s.name] = value{text, s.variable()}
		}
		if text := flags[s.name]; text != "" {
			c.values[s.name] = value{text, "--" + strings.ReplaceAll(s.name, "_", "-")}
		}
		if v := c.values[s.name]; s.choices != nil && v.text != "" && !slices.Contains(s.choices, v.text) {
			return nil, misusef("choose one of: "+strings.Join(s.choices, ", "), "%s: there is no %s %q", v.from, strings.ReplaceAll(s.name, "_", " "), v.text)
		}
	}
	return c, nil
}

// readFiles reads the file that is named, or else the user's own and over it that
// of the working folder.
func (e env) readFiles(c *config) error {
	named := cmp.Or(e.configFile, e.getenv(configVariable))
	if named != "" {
		return c.read(named, true)
	}
	if dir, err := e.configDir(); err == nil {
		if err := c.read(filepath.Join(dir, "assay", configName), true); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := c.read(configName, false); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// configDir is where programs keep a user's settings.
func (e env) configDir() (string, error) {
	home := e.getenv("HOME")
	switch {
	case runtime.GOOS == "windows" && e.getenv("AppData") != "":
		return e.getenv("AppData"), nil
	case runtime.GOOS == "darwin" && home != "":
		return filepath.Join(home, "Library", "Application Support"), nil
	case filepath.IsAbs(e.getenv("XDG_CONFIG_HOME")):
		return e.getenv("XDG_CONFIG_HOME"), nil
	case home != "":
		return filepath.Join(home, ".config"), nil
	}
	return "", errors.New("neither XDG_CONFIG_HOME nor HOME is set")
}

// maxConfig is the largest configuration file, in bytes.
const maxConfig = 1 << 20

// read takes in a file. One that nobody named lies in the working folder, and may
// have come with somebody else's documents: it can name a model of this machine, and
// have nothing sent elsewhere.
func (c *config) read(path string, meant bool) error {
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxConfig {
		err = fmt.Errorf("it is larger than %d MiB", maxConfig>>20)
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return failf("see whether the file is there, and readable", "configuration %s: %w", path, err)
	}
	var given map[string]any
	var file configFile
	err = yaml.Unmarshal(data, &given)
	if err == nil {
		err = yaml.Unmarshal(data, &file)
	}
	if err != nil {
		return failf("mend the file; its form is YAML, a setting a line: model: gpt-4.1-mini", "configuration %s: %s", path, strings.TrimSpace(yaml.FormatError(err, false, false)))
	}
	local := onThisMachine(fmt.Sprint(given["base_url"])) && given["provider"] == nil // else it is for the provider's own address
	for _, name := range slices.Sorted(maps.Keys(given)) {
		v := given[name]
		if name == "prices" {
			continue
		}
		at := slices.IndexFunc(settings, func(s setting) bool { return s.name == name })
		if at < 0 {
			return failf("the settings are listed by: assay config", "configuration %s: there is no setting %q", path, name)
		}
		if v == nil {
			continue
		}
		text := settings[at].text(v)
		if settings[at].outward && !meant && !local || strings.HasSuffix(name, "base_url") && !meant && !onThisMachine(text) {
			return failf("where you mean it, name the file: --config "+configName+" (or "+configVariable+"="+configName+")",
				"%s in this folder sets %s, and nobody named that file: it may not have your documents sent elsewhere", configName, name)
		}
		c.values[name] = value{text, path}
	}
	if meant || local {
		c.prices = c.prices.With(file.Prices)
	}
	c.files = append([]string{path}, c.files...)
	return nil
}

// onThisMachine tells whether an address is one of this machine itself.
func onThisMachine(address string) bool {
	host := hostOf(address)
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// hostOf is the host of an address, which may have no scheme; "" where it has none.
func hostOf(address string) string {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
