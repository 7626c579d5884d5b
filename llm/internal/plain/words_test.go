package plain

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
)

// decoded is the error of reading JSON into v.
func decoded(text string, v any) error { return json.Unmarshal([]byte(text), v) }

func encoded(v any) error {
	_, err := json.Marshal(v)
	return err
}

func TestWords(t *testing.T) {
	var reply struct {
		Grade struct {
			Score float64 `json:"score"`
		} `json:"grade"`
	}
	op := func(what string, err error) error {
		return &url.Error{Op: "Post", URL: "http://host/?key=sesame-open-42", Err: &net.OpError{Op: what, Net: "tcp", Err: err}}
	}
	_, garbled := gzip.NewReader(strings.NewReader("no such thing at all"))
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New("the mill stands still"), "the mill stands still"},
		{io.ErrUnexpectedEOF, "it broke off before its end"},
		{io.EOF, "the connection was closed before anything came"},
		{fmt.Errorf("reading: %w", io.ErrUnexpectedEOF), "reading: it broke off before its end"},
		{context.DeadlineExceeded, "the time was over"},
		{fmt.Errorf("waiting: %w; before that: it rained", context.DeadlineExceeded), "waiting: the time was over; before that: it rained"},
		{context.Canceled, "it was called off"},
		{op("dial", os.NewSyscallError("connect", syscall.ECONNREFUSED)), "connection refused: nothing listens there"},
		{op("dial", os.NewSyscallError("connect", syscall.EHOSTUNREACH)), "no way leads to the host"},
		{op("dial", os.ErrDeadlineExceeded), "no connection came about in time"},
		{op("dial", &net.DNSError{Err: "no such host", Name: "nowhere.example", IsNotFound: true}), "there is no host named nowhere.example"},
		{op("dial", &net.DNSError{Err: "server misbehaving", Name: "a.example"}), "the name of the host a.example can't be looked up"},
		{op("read", os.NewSyscallError("read", syscall.ECONNRESET)), broke},
		{op("dial", os.NewSyscallError("connect", syscall.EACCES)), "permission denied"},
		{op("remote error", errors.New("tls: handshake failure")), "no secure connection came about"},
		{errors.New("http2: server sent GOAWAY and closed the connection"), broke},
		{garbled, "what came is garbled"},
		{decoded(`{"grade":{"score":"high"}}`, &reply), `"grade.score" is a text, where a number is wanted`},
		{decoded(`[1]`, &reply), "the JSON is a list, where an object is wanted"},
		{decoded(`7`, new([]string)), "the JSON is a number, where a list is wanted"},
		{decoded(`true`, new(string)), "the JSON is true or false, where a text is wanted"},
		{fmt.Errorf("line 3: %w", decoded(`<html>`, &reply)), "line 3: it is no JSON, from byte 1 on"},
		{decoded(`{"grade":`, &reply), "the JSON breaks off"},
		{encoded(math.Inf(1)), "JSON has no way to put +Inf"},
		{encoded(func() {}), "JSON has no way to put a part of it"},
		{encoded(json.RawMessage("{no")), "a part of it is no JSON"},
	} {
		err := Error(c.err)
		if got := Words(c.err); got != c.want || err.Error() != got {
			t.Errorf("%q becomes %q and %q, not %q", c.err, got, err, c.want)
		}
		if !errors.Is(err, c.err) {
			t.Errorf("%q no longer wraps what went wrong", err)
		}
		if again := Error(err); again.Error() != err.Error() {
			t.Errorf("%q becomes %q", err, again)
		}
	}
}

// TestWordsOfTheNet has connections fail for real.
func TestWordsOfTheNet(t *testing.T) {
	closes := func(w http.ResponseWriter, said string) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(c, said)
		c.Close()
	}
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	own := secure.Client() // which trusts it
	for _, c := range []struct {
		name, said string // by the server, before it closes
		want       string
	}{
		{"nothing", "", "the connection was closed before anything came"},
		{"another protocol", "SSH-2.0-OpenSSH_9.6\r\n", "what answers there speaks no HTTP"},
		{"a part", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", "it broke off before its end"},
		{"chunks that aren't", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "what came is garbled"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { closes(w, c.said) }))
		if got := Words(get(s.Client(), s.URL)); got != c.want {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
		s.Close()
		if got := Words(get(s.Client(), s.URL)); got != "connection refused: nothing listens there" {
			t.Errorf("a server that is gone: %q", got)
		}
	}
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	if got := Words(get(own, strings.Replace(plain.URL, "http:", "https:", 1))); got != "it speaks http and not https" {
		t.Errorf("https where there is http: %q", got)
	}
	if got := Words(get(&http.Client{}, secure.URL)); got != "its certificate is signed by nobody that this machine trusts" {
		t.Errorf("a certificate of its own: %q", got)
	}
	if got := Words(get(own, strings.Replace(secure.URL, "127.0.0.1", "localhost", 1))); got != "its certificate is for another host" {
		t.Errorf("another's certificate: %q", got)
	}
}

func get(c *http.Client, url string) error {
	r, err := c.Get(url)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	_, err = new(bytes.Buffer).ReadFrom(r.Body)
	return err
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"", 0, ""}, {"abc", 3, "abc"}, {"abc", 2, "ab…"}, {"aé", 2, "a…"}, {"é", 1, "…"},
	} {
		if got := Cut(c.in, c.n); got != c.want {
			t.Errorf("%q to %d: %q, not %q", c.in, c.n, got, c.want)
		}
	}
	if got := Line(" a\n\tb  c "); got != "a b c" {
		t.Errorf("%q", got)
	}
}
