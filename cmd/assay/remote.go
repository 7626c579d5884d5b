package main

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/assay-rag/assay/llm"
	"github.com/assay-rag/assay/llm/anthropic"
	"github.com/assay-rag/assay/llm/openai"
)

// The forms of API.
const (
	providerOpenAI    = "openai"
	providerAnthropic = "anthropic"
)

// keyVariable names the environment variable for the key of an endpoint whose
// settings have this prefix: ASSAY_API_KEY, ASSAY_SECOND_API_KEY and so on.
func keyVariable(prefix string) string { return "ASSAY_" + strings.ToUpper(prefix) + "API_KEY" }

// remote is a model behind an API, and how it is reached.
type remote struct {
	model        string
	base         string // address of its API
	provider     string
	azureVersion string
	timeout      time.Duration // for one call
	key          secret
	keyFrom      string // where the key is from; empty: there is none
	// keyAt is where a key is looked for, to say so where there is none.
	keyAt string
}

// secret is a key: no way of printing shows it.
type secret struct{ text string }

func (secret) String() string   { return "(a key)" }
func (secret) GoString() string { return "(a key)" }

// usualBase are the addresses of the providers themselves.
var usualBase = map[string]string{providerOpenAI: "https://api.openai.com/v1", providerAnthropic: "https://api.anthropic.com"}

// ownKeys are the variables that hold the key for a host, by the end of its name.
var ownKeys = map[string]string{
	"api.openai.com":                    "OPENAI_API_KEY",
	"openai.azure.com":                  "AZURE_OPENAI_API_KEY",
	"api.anthropic.com":                 "ANTHROPIC_API_KEY",
	"api.mistral.ai":                    "MISTRAL_API_KEY",
	"openrouter.ai":                     "OPENROUTER_API_KEY",
	"generativelanguage.googleapis.com": "GEMINI_API_KEY",
}

// baseVariables hold an address that a user's other programs go to.
var baseVariables = map[string]string{providerOpenAI: "OPENAI_BASE_URL", providerAnthropic: "ANTHROPIC_BASE_URL"}

// remote is the one that the settings with this prefix describe: "", "second_",
// "judge_" or "embed_". Where they borrow the address of the model that answers, its
// form and key are the same.
func (e env) remote(c *config, prefix string) (remote, error) {
	p := remote{model: cmp.Or(c.get(prefix+"model"), c.get("model"))}
	if c.borrows(prefix) {
		prefix = ""
	}
	p.base, p.provider = c.get(prefix+"base_url"), c.get(prefix+"provider")
	if prefix == "" {
		p.azureVersion = c.get("azure_version")
	}
	timeout, err := c.duration("call_timeout")
	if err != nil {
		return p, err
	}
	p.timeout = timeout
	if p.provider == "" {
		p.provider = guessProvider(p.base, p.model)
	}
	if p.base == "" {
		p.base = cmp.Or(e.getenv(baseVariables[p.provider]), usualBase[p.provider])
	}
	host := hostOf(p.base)
	if scheme, _, ok := strings.Cut(strings.ToLower(p.base), "://"); host == "" || ok && scheme != "http" && scheme != "https" {
		return p, misusef("it is such as http://localhost:8080/v1", "%q is not the address of an API", redacted(p.base))
	}
	if strings.Contains(p.base, "@") {
		return p, misusef("put the key into "+keyVariable(prefix)+", or a file: api_key_file", "the address of the API holds a password")
	}
	if c.unasked {
		return p, nil
	}
	return p, e.findKey(c, prefix, host, &p)
}

// redacted is an address without what may be a key in it.
func redacted(address string) string {
	if at := strings.LastIndexByte(address, '@'); at >= 0 {
		return "…" + address[at:]
	}
	address, _, _ = strings.Cut(address, "?")
	return address
}

func guessProvider(base, model string) string {
	if base == "" && strings.HasPrefix(model, "claude") || strings.HasSuffix(hostOf(base), "anthropic.com") {
		return providerAnthropic
	}
	return providerOpenAI
}

// findKey looks for the key: in the file that is named; in the provider's own
// variable, which is for the provider's own host, or one that the provider's own
// variable names, and for nobody else; and in the variable of ours.
func (e env) findKey(c *config, prefix, host string, p *remote) error {
	if path := c.get(prefix + "api_key_file"); path != "" {
		data, err := readSmall(path, true)
		if err != nil {
			return failf("see whether the file is there, and readable", "the key: %w", err)
		}
		p.key, p.keyFrom = secret{strings.TrimSpace(string(data))}, path
		return nil
	}
	own := ""
	for suffix, name := range ownKeys {
		if host == suffix || strings.HasSuffix(host, "."+suffix) {
			own = name
		}
	}
	if own == "" && p.base == e.getenv(baseVariables[p.provider]) {
		own = ownKeys[hostOf(usualBase[p.provider])]
	}
	p.keyAt = cmp.Or(own, keyVariable(prefix))
	for _, name := range []string{own, keyVariable(prefix)} {
		if name == "" {
			continue
		}
		if text := strings.TrimSpace(e.getenv(name)); text != "" {
			p.key, p.keyFrom = secret{text}, name
			return nil
		}
	}
	if own != "" && p.base == usualBase[p.provider] {
		return failf("set "+own+", or name a server of your own: --base-url http://localhost:8080/v1", "there is no key for %s", host)
	}
	return nil
}

// client talks to the endpoint.
func (p remote) client() (llm.Model, error) {
	if p.provider == providerAnthropic {
		return anthropic.New(p.model, &anthropic.Options{BaseURL: p.base, Key: p.key.text, Timeout: p.timeout})
	}
	return openai.New(p.model, p.options())
}

// options are those of an OpenAI-compatible endpoint.
func (p remote) options() *openai.Options {
	return &openai.Options{BaseURL: p.base, Key: p.key.text, AzureVersion: p.azureVersion, Timeout: p.timeout}
}

// embedding are the options of a model that makes vectors there.
func (p remote) embedding(c *config) *openai.EmbedderOptions {
	return &openai.EmbedderOptions{Options: *p.options(), QueryPrefix: c.get("embed_query_prefix"), PassagePrefix: c.get("embed_passage_prefix")}
}

// models lists the models that the endpoint has.
func (p remote) models(ctx context.Context) ([]string, error) {
	client, err := p.client()
	if err != nil {
		return nil, err
	}
	lister, ok := client.(interface {
		Models(context.Context) ([]string, error)
	})
	if !ok {
		return nil, p.unchosen("it can't list its models: name one with --model")
	}
	return lister.Models(ctx)
}

// role is what a model is for, and the prefix of its settings.
type role struct{ name, prefix string }

// The roles.
var (
	writes = role{"model", ""}
	stands = role{"second_model", "second_"} // in for the one that writes
	judges = role{"judge_model", "judge_"}
	embeds = role{"embed_model", "embed_"}
)

// has tells whether the settings have a model for a role. Where they name an address
// and no model, and nothing else uses the address, its own model writes.
func (c *config) has(r role) bool {
	switch r {
	case writes:
		return c.get("model") != "" || c.get("base_url") != "" && !c.at(judges) && !c.at(embeds)
	case stands:
		return c.get("second_model") != "" && c.has(writes)
	case judges:
		return c.get("judge") != judgeOff
	}
	return c.get(r.name) != ""
}

// at tells whether base_url is the address of a role's model, which has a name.
func (c *config) at(r role) bool {
	return c.has(r) && c.get(r.name) != "" && c.borrows(r.prefix)
}

// borrows tells whether the settings with this prefix leave the address to those of the
// model that answers: they name neither one nor a provider, which has its own.
func (c *config) borrows(prefix string) bool {
	return c.get(prefix+"base_url") == "" && c.get(prefix+"provider") == ""
}

// roles are those for which the settings have a model.
func (c *config) roles() []role {
	return slices.DeleteFunc([]role{writes, stands, judges, embeds}, func(r role) bool { return !c.has(r) })
}
