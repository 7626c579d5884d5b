package llmtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Key is the key that a recording's server knows. A recording writes {{key}} where
// the server repeats it.
const Key = "sk-test-7Qm2xT9vLr4KbW8nZc3H"

// Playback answers HTTP from a recording: a txtar file whose comment says where it
// comes from, and that holds, one after another,
//
//	-- response --             what the server sends: status, headers, body
//	-- response, then nothing --  the same, after which it hangs
//	-- request --              what it was asked: method, path and JSON
//
// The first request gets the first response and so on, the last one all that
// follow. What a server was asked is compared with the requests that are there, and
// written into the file by go test -update where the test has such a flag.
//
// It is a real connection to net/http, without a network: it works inside
// synctest, for any host, with TLS or without.
type Playback struct {
	t         testing.TB
	file      string
	archive   *txtar.Archive
	responses []response
	serving   sync.WaitGroup
	borrowed  bool // what is asked isn't compared

	mu    sync.Mutex
	asked []Asked
}

// Asked is a request that came.
type Asked struct {
	Method string
	URL    string // path and query
	Host   string
	Header http.Header
	Body   string
}

type response struct {
	content []byte
	hangs   bool
}

// Play reads a recording. When t ends, it compares the requests and waits for all
// connections to be closed.
func Play(t testing.TB, file string) *Playback {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(bytes.TrimSpace(a.Comment)) == 0 {
		t.Errorf("%s: its first lines must say where it comes from", file)
	}
	p := &Playback{t: t, file: file, archive: a}
	for _, f := range a.Files {
		if strings.HasPrefix(f.Name, "response") {
			p.responses = append(p.responses, response{
				content: bytes.ReplaceAll(f.Data, []byte("{{key}}"), []byte(Key)),
				hangs:   f.Name == "response, then nothing",
			})
		}
	}
	if len(p.responses) == 0 {
		t.Fatalf("%s: holds no response", file)
	}
	t.Cleanup(func() {
		p.serving.Wait()
		if !p.borrowed {
			p.compareRequests()
		}
	})
	return p
}

// Borrow plays it to other requests than those in it: they aren't compared.
func (p *Playback) Borrow() { p.borrowed = true }

// HTTP returns a client to which the recording answers, whatever the host.
func (p *Playback) HTTP() *http.Client {
	dial := func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		p.serving.Go(func() { p.serve(server) })
		return client, nil
	}
	return &http.Client{Transport: &http.Transport{DialContext: dial, DialTLSContext: dial, DisableKeepAlives: true}}
}

// Asked returns the requests that came so far.
func (p *Playback) Asked() []Asked {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Asked(nil), p.asked...)
}

// section returns what the recording holds under a name.
func (p *Playback) section(name string) ([]byte, bool) {
	for _, f := range p.archive.Files {
		if f.Name == name {
			return f.Data, true
		}
	}
	return nil, false
}

// serve answers one request. net.Pipe holds nothing back: a client that leaves in
// the middle ends it.
func (p *Playback) serve(c net.Conn) {
	defer c.Close()
	req, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	p.mu.Lock()
	r := p.responses[min(len(p.asked), len(p.responses)-1)]
	p.asked = append(p.asked, Asked{req.Method, req.URL.RequestURI(), req.Host, req.Header, string(body)})
	p.mu.Unlock()
	if _, err := c.Write(r.content); err == nil && r.hangs {
		_, _ = io.Copy(io.Discard, c)
	}
}

// compareRequests compares what was asked with the recording, as far as that tells.
func (p *Playback) compareRequests() {
	var got []string
	for _, a := range p.asked {
		got = append(got, a.Method+" "+a.URL+"\n"+indented(a.Body))
	}
	n := 0
	for i, f := range p.archive.Files {
		if f.Name != "request" {
			continue
		}
		if n == len(got) {
			p.t.Errorf("%s: asked %d times, fewer than recorded", p.file, len(got))
			return
		}
		if updating() {
			p.archive.Files[i].Data = []byte(got[n])
		} else if string(f.Data) != got[n] {
			p.t.Errorf("%s: request %d is\n%sand was\n%s", p.file, n+1, got[n], f.Data)
		}
		n++
	}
	p.save()
}

// save writes the recording where the test updates.
func (p *Playback) save() {
	if updating() {
		if err := os.WriteFile(p.file, txtar.Format(p.archive), 0o644); err != nil {
			p.t.Error(err)
		}
	}
}

// updating tells whether the test was run with a flag -update of its own.
func updating() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

// indented puts JSON one field a line.
func indented(s string) string {
	if s == "" {
		return ""
	}
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(strings.TrimSpace(s)), "", "  "); err != nil {
		return fmt.Sprintf("not JSON: %v\n%s\n", err, s)
	}
	return b.String() + "\n"
}
