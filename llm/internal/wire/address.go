package wire

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
)

// ParseAddress reads the address of an API as a person writes it, with or without
// a scheme, white space around it and a slash at its end. The error doesn't repeat
// it: there may be a key in it.
func ParseAddress(written string) (*url.URL, error) {
	written = strings.TrimSpace(written)
	if !strings.Contains(written, "://") {
		written = scheme(written) + "://" + written
	}
	u, err := url.Parse(written)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("the address of an API is like https://api.openai.com/v1 or localhost:8080; this one can't be read")
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	return u, nil
}

// scheme is http for a host that can only be near, and https for all others.
func scheme(hostPath string) string {
	host, _, _ := strings.Cut(hostPath, "/")
	if h, port, ok := strings.Cut(host, ":"); ok && !strings.Contains(port, ":") {
		host = h
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if err == nil || !strings.Contains(host, ".") || strings.HasSuffix(host, ".local") || strings.HasPrefix(host, "[") {
		return "http"
	}
	return "https"
}

// ParseKey reads a key as it comes from a file or an environment, with white space
// around it. The error doesn't repeat it.
func ParseKey(written string) (string, error) {
	key := strings.TrimSpace(written)
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return "", errors.New("the key has a character that no key can have; it isn't shown here")
	}
	return key, nil
}
