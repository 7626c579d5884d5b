package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

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
	here    bool     // may come from a file in the working folder that nobody named
}

// settings are all of them, in the order in which "assay config" lists them.
var settings = []setting{
	{name: "index", about: "folder of the lasting index", here: true},
	{name: "encoder", about: "what finds meanings: builtin (else), off or a folder", here: true},
	{name: "evaluator", about: "what judges without a language model: builtin (else), words or a folder"},
	{name: "model", about: "language model that writes answers; none: they are quoted"},
	{name: "base_url", about: "address of its API"},
	{name: "provider", about: "form of its API", choices: []string{providerOpenAI, providerAnthropic}},
	{name: "api_key_file", about: "file with the key"},
	{name: "azure_version", about: "version of Azure's dated API"},
	{name: "second_model", about: "model to ask where the first can't be"},
	{name: "second_base_url", about: "address of its API (else that of second_provider, or base_url)"},
	{name: "second_provider", about: "form of its API", choices: []string{providerOpenAI, providerAnthropic}},
	{name: "second_api_key_file", about: "file with its key"},
	{name: "judge", about: "when a model grades and checks", usual: judgeOff, choices: []string{judgeOff, judgeUnsure, judgeAlways}},
	{name: "judge_model", about: "model that does (else model)"},
	{name: "judge_base_url", about: "address of its API (else that of judge_provider, or base_url)"},
	{name: "judge_provider", about: "form of its API", choices: []string{providerOpenAI, providerAnthropic}},
	{name: "judge_api_key_file", about: "file with its key"},
	{name: "judge_calls", about: "passages in one call, or a call each", usual: "one", choices: []string{"one", "each"}},
	{name: "embed_model", about: "model that finds meanings, instead of the encoder"},
	{name: "embed_base_url", about: "address of its API (else that of embed_provider, or base_url)"},
	{name: "embed_provider", about: "form of its API", choices: []string{providerOpenAI}},
	{name: "embed_api_key_file", about: "file with its key"},
	{name: "embed_dim", about: "numbers in its vectors (else as in the index, or it is asked)"},
	{name: "embed_query_prefix", about: "text that it wants before a question"},
	{name: "embed_passage_prefix", about: "text that it wants before a passage"},
	{name: "calibration", about: "file of assay calibrate, for grades and thresholds"},
	{name: "stream", about: "what is shown of an answer before its end (else verified on a terminal)", choices: []string{streamOff, "draft", "verified"}, here: true},
	{name: "thoughts", about: "tokens that a model may think before it replies (else by its name)"},
	{name: "router", about: "who decides how much of the loop runs", usual: routerBuiltin, choices: []string{routerBuiltin, routerModel}},
	{name: "parallel", about: "calls of an endpoint at once", usual: "8"},
	{name: "call_timeout", about: "time for one call", usual: "2m"},
	{name: "timeout", about: "time for an answer (1m without a model)", usual: "5m"},
	{name: "max_calls", about: "model calls for an answer", usual: fmt.Sprint(llm.DefaultBudget.Calls)},
	{name: "max_tokens", about: "tokens for an answer", usual: fmt.Sprint(llm.DefaultBudget.Tokens)},
	{name: "max_cost", about: "US dollars for an answer", usual: fmt.Sprint(llm.DefaultBudget.Money)},
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
	values  map[string]value
	prices  llm.Prices
	files   []string // those read, the one that counts first
	unasked bool     // no model will be asked: there is no need of keys
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

// whole is a setting that is a number from 1, or 0 where nothing sets it.
func (c *config) whole(name string) (int, error) {
	text := c.get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, misusef("give a number from 1, or nothing for the default", "%s: %s %q", c.values[name].from, name, text)
	}
	return n, nil
}

// duration is a setting that is a time.
func (c *config) duration(name string) (time.Duration, error) {
	d, err := time.ParseDuration(c.get(name))
	if err != nil || d <= 0 {
		return 0, misusef("give a time such as 90s or 2m", "%s: %s %q", c.values[name].from, name, c.get(name))
	}
	return d, nil
}

// within is a time limit for a call cut to a share of the time for an answer. An endpoint
// that hangs is left alone after its second call (see llm.ResilientOptions): where all of
// them hang, one share is left, in which the documents are quoted. It is at least a
// millisecond.
func (c *config) within(limit time.Duration) (time.Duration, error) {
	whole, err := c.duration("timeout")
	shares := 2*c.endpoints() + 1
	share := min(limit, whole/time.Duration(shares)).Round(time.Millisecond)
	return max(share, time.Millisecond), err
}

// endpoints is how many endpoints may be asked for an answer. What makes vectors is one
// by itself.
func (c *config) endpoints() int {
	known := map[string]bool{}
	for _, r := range c.roles() {
		switch {
		case r == embeds:
			known[r.name] = true
		case r == writes || c.borrows(r.prefix):
			known[""] = true
		default:
			known[c.get(r.prefix+"base_url")+" "+c.get(r.prefix+"provider")] = true
		}
	}
	return max(1, len(known))
}

// configFile is the part of a configuration file that is not a plain setting.
type configFile struct {
	Prices map[string]priceList `yaml:"prices"`
}

// priceList is what a file says that a model costs.
type priceList map[string]float64

// price is the list as a price.
func (l priceList) price() (p llm.Price, err error) {
	for name, amount := range l {
		if !(amount >= 0 && amount < 1e9) { // written so that NaN fails
			return p, fmt.Errorf("%s can't be %v", name, amount)
		}
		switch name {
		case "in":
			p.In = amount
		case "out":
			p.Out = amount
		case "cached":
			p.Cached = &amount
		default:
			return p, fmt.Errorf("there is no %q", name)
		}
	}
	for _, name := range []string{"in", "out"} {
		if _, ok := l[name]; !ok {
			return p, fmt.Errorf("%q is missing", name)
		}
	}
	return p, nil
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
// have come with somebody else's documents: it has no say in where documents and keys
// go, and in what is paid.
func (c *config) read(path string, meant bool) error {
	data, err := readSmall(path, meant)
	if err != nil {
		return failf("see whether the file is there, and readable", "configuration %s: %w", path, err)
	}
	text, err := withoutMark("configuration "+path, string(data))
	if err != nil {
		return err
	}
	var given map[string]any
	var file configFile
	err = yaml.Unmarshal([]byte(text), &given)
	if err == nil {
		err = yaml.Unmarshal([]byte(text), &file)
	}
	if err != nil {
		return failf("mend the file; its form is YAML, a setting a line: model: gpt-4.1-mini", "configuration %s: %s", path, strings.TrimSpace(yaml.FormatError(err, false, false)))
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		at := slices.IndexFunc(settings, func(s setting) bool { return s.name == name })
		if at < 0 && name != "prices" {
			return failf("the settings are listed by: assay config", "configuration %s: there is no setting %q", path, name)
		}
		if !meant && (at < 0 || !settings[at].here) {
			return failf("where you mean it, name the file: --config "+configName+" (or "+configVariable+"="+configName+")",
				"%s in this folder sets %s, and nobody named that file: it may have come with somebody else's documents", configName, name)
		}
		v := given[name]
		if v == nil || at < 0 {
			continue
		}
		if kind := reflect.TypeOf(v).Kind(); kind == reflect.Slice || kind == reflect.Map {
			return failf("give it one value: "+name+": …", "configuration %s: %s has several values", path, name)
		}
		c.values[name] = value{settings[at].text(v), path}
	}
	for model, p := range file.Prices {
		price, err := p.price()
		if err != nil {
			return failf("a price is such as {in: 0.4, cached: 0.1, out: 1.6}, in US dollars for a million tokens", "configuration %s: the price of %s: %w", path, model, err)
		}
		c.prices[model] = price
	}
	c.files = append([]string{path}, c.files...)
	return nil
}

// readSmall reads a small file. A name that nobody gave must be a regular file: a pipe
// would be waited for.
func readSmall(path string, meant bool) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !meant && !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err == nil && len(data) > maxConfig {
		err = fmt.Errorf("it is larger than %d MiB", maxConfig>>20)
	}
	return data, err
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
