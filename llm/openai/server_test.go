package openai_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// server is a server made of a function from what is asked, and remembers that.
type server struct {
	t      testing.TB
	answer func(asked map[string]any) (status int, body string)

	mu    sync.Mutex
	asked []map[string]any
}

// RoundTrip implements http.RoundTripper.
func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	asked := map[string]any{}
	if content, err := io.ReadAll(r.Body); err != nil || len(content) > 0 && json.Unmarshal(content, &asked) != nil {
		s.t.Errorf("asked %q, %v", content, err)
	}
	asked["url"] = r.URL.String()
	s.mu.Lock()
	s.asked = append(s.asked, asked)
	s.mu.Unlock()
	status, body := s.answer(asked)
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), Request: r,
	}, nil
}

func (s *server) client() *http.Client { return &http.Client{Transport: s} }

// since returns what was asked since the last time.
func (s *server) since() []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}
