package wire

import (
	"cmp"
	"encoding/base64"
	"errors"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-rag/assay/llm/internal/plain"
)

// secrets are strings that may not be shown, the longest first.
type secrets []string

// shortest is how long a string must be to count as a secret. Local servers take
// any key, and people give them "none" or "EMPTY".
const shortest = 6

// private matches the names of headers whose values are secrets.
var private = regexp.MustCompile(`(?i)auth|key|token|secret|cookie`)

// newSecrets gathers what may not be shown of keys and headers.
func newSecrets(keys []string, header http.Header) (s secrets) {
	for name, values := range header {
		if private.MatchString(name) {
			keys = append(keys, values...)
		}
	}
	for _, k := range keys {
		inJSON := strings.ReplaceAll(k, "/", `\/`) // as some servers put it
		for _, form := range []string{k, inJSON, strings.TrimPrefix(k, "Bearer "), strings.TrimPrefix(k, "Basic "), base64.StdEncoding.EncodeToString([]byte(k))} {
			if len(form) >= shortest {
				s = append(s, form)
			}
		}
	}
	slices.SortFunc(s, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(s)
}

// keyLike matches what looks like a key, or like the rest of one that a server has
// masked, whosever it is.
var keyLike = regexp.MustCompile(`(?i)\bbearer\s+[^\s"',;]{16,}|\b(?:sk|pk|gsk|xai|hf|nvapi)[-_][\w*.-]{6,}|\bAIza[\w-]{10,}`)

const hidden = "[key]"

// scrub hides the secrets in a message, and whatever looks like one.
func (s secrets) scrub(text string) string {
	return keyLike.ReplaceAllString(s.hide(text), hidden)
}

// hide hides the secrets in a text.
func (s secrets) hide(text string) string {
	for _, secret := range s {
		text = strings.ReplaceAll(text, secret, hidden)
	}
	return text
}

// placeholder matches what is given as a key where any will do: "ollama",
// "lm-studio", "12345678".
var placeholder = regexp.MustCompile(`^(?:[A-Za-z_-]{1,15}|\d{1,15}|.{1,7})$`)

// unsaid are the secrets that no reply may hold: all but placeholders, which may be
// words of an answer. What merely looks like a key stays in a reply, since a document
// may have it as an example.
func (s secrets) unsaid() secrets {
	return slices.DeleteFunc(slices.Clone(s), placeholder.MatchString)
}

// scrubError returns err, or its scrubbed text where that holds a secret.
func (s secrets) scrubError(err error) error {
	if clean := s.scrub(err.Error()); clean != err.Error() {
		return errors.New(clean)
	}
	return err
}

// maxMessage bounds a message, in bytes.
const maxMessage = 300

// unseen is what of a page people don't see.
var unseen = regexp.MustCompile(`(?is)<(?:script|style)\b.*?</(?:script|style)\s*>|<[^>]*>`)

// FirstWords is how a text begins that was to be something else: without the tags
// of a page, on one line, short.
func FirstWords(s string) string {
	s = plain.Cut(s, 16<<10)
	if isPage(s) {
		s = html.UnescapeString(unseen.ReplaceAllString(s, " "))
	}
	return plain.Cut(plain.Line(strings.ToValidUTF8(s, "�")), maxMessage)
}

// isPage tells whether a text is a page for people.
func isPage(s string) bool { return strings.HasPrefix(strings.TrimSpace(s), "<") }
