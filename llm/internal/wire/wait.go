package wire

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longestWait bounds what a server may ask for; more is not a wait but a mistake.
const longestWait = 7 * 24 * time.Hour

// Wait is how long the headers of a response ask to be left alone: by Retry-After
// in either form, by retry-after-ms, or else by when an exhausted limit is full
// again. It is 0 where they don't say.
func Wait(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return bounded(ms * float64(time.Millisecond))
	}
	if s := h.Get("Retry-After"); s != "" {
		return span(s, now(h))
	}
	wait := time.Duration(0)
	for name := range h {
		name = strings.ToLower(name)
		if !strings.Contains(name, "ratelimit") || !strings.Contains(name, "reset") {
			continue
		}
		// Several limits are told of at once; what matters is what has run out.
		if left := h.Get(strings.Replace(name, "reset", "remaining", 1)); left == "" || left == "0" {
			wait = max(wait, span(h.Get(name), now(h)))
		}
	}
	return wait
}

// now is the server's time where it gives one: its clock may differ from ours.
func now(h http.Header) time.Time {
	if t, err := http.ParseTime(h.Get("Date")); err == nil {
		return t
	}
	return time.Now()
}

// span reads a wait: seconds, a duration such as 6m0s, or a time in any of the
// forms in which servers put one.
func span(s string, now time.Time) time.Duration {
	s = strings.TrimSpace(s)
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		switch {
		case n > 1e11: // milliseconds since 1970
			return bounded(n*1e6 - float64(now.UnixNano()))
		case n > 1e9: // seconds since 1970
			return bounded(n*1e9 - float64(now.UnixNano()))
		}
		return bounded(n * float64(time.Second))
	}
	if d, err := time.ParseDuration(s); err == nil {
		return bounded(float64(d))
	}
	if t, err := http.ParseTime(s); err == nil {
		return bounded(float64(t.Sub(now)))
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return bounded(float64(t.Sub(now)))
	}
	return 0
}

// bounded is a wait in nanoseconds, none where it is in the past or no number.
func bounded(ns float64) time.Duration {
	switch {
	case !(ns > 0):
		return 0
	case ns > float64(longestWait):
		return longestWait
	}
	return time.Duration(ns)
}
