package openai

import (
	"cmp"
	"net/url"
	"regexp"
	"strings"

	"github.com/assay-rag/assay/llm/internal/wire"
)

// address is where an API is.
type address struct {
	base  url.URL // without a slash at its end
	query string  // sent with every request
	azure bool    // the key goes into a header of its own
}

const openAI = "https://api.openai.com/v1"

// azureHost matches the hosts of Azure's own API.
var azureHost = regexp.MustCompile(`\.(?:openai|cognitiveservices|services\.ai)\.azure\.com(?::\d+)?$`)

// version matches the part of a path that tells the API's version.
var version = regexp.MustCompile(`/v\d[^/]*(?:/|$)`)

// newAddress finds the API by what a person writes: with or without a scheme,
// /v1 or a slash at the end, or copied with the path of a call. A path that ends in
// that of a call is taken as it is; otherwise one without a version gets /v1.
//
// azureVersion asks for Azure's dated API, where the model is part of the path.
func newAddress(written, azureVersion, model string) (address, error) {
	u, err := wire.ParseAddress(cmp.Or(strings.TrimSpace(written), openAI))
	if err != nil {
		return address{}, err
	}
	path, exact := withoutCall(u.Path)
	a := address{base: url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host}, azure: azureVersion != "" || azureHost.MatchString(u.Host)}
	if _, _, deployed := strings.Cut(path, "/openai/deployments/"); deployed {
		a.azure = true
		if v := u.Query().Get("api-version"); azureVersion == "" && v != "" {
			azureVersion = v
		}
	} else if azureVersion != "" {
		path = strings.TrimSuffix(path, "/openai") + "/openai/deployments/" + model
	} else if a.azure && path == "" {
		path = "/openai/v1"
	} else if !exact && !version.MatchString(path) {
		path += "/v1"
	}
	a.base.Path = path
	if azureVersion != "" {
		a.query = url.Values{"api-version": {azureVersion}}.Encode()
	}
	return a, nil
}

// withoutCall takes the path of a call off the end.
func withoutCall(path string) (base string, exact bool) {
	for _, call := range []string{"/chat/completions", "/completions", "/embeddings", "/models", "/responses"} {
		if base, ok := strings.CutSuffix(path, call); ok {
			return base, true
		}
	}
	return path, false
}

// to is the address of a call.
func (a address) to(call string) *url.URL {
	u := a.base
	u.Path += call
	u.RawQuery = a.query
	return &u
}

// models is where the models are listed.
func (a address) models() *url.URL {
	if before, _, deployed := strings.Cut(a.base.Path, "/deployments/"); deployed {
		a.base.Path = before
	}
	return a.to("/models")
}
