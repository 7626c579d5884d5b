package eval

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"
)

// Journal keeps in a file what systems said of items, so that a measurement that
// was ended goes on where it stopped. It is lines of JSON, an item and a system
// each. What a system failed on is not kept: it is asked again.
//
// A nil Journal keeps nothing. It may be used concurrently, but a file by one
// process at a time.
type Journal struct {
	path string
	mu   sync.Mutex
	file *os.File
	kept map[journalEntry]journalReply
	// versions are those that the systems had, by name.
	versions map[string]string
}

// journalEntry names what was asked of whom.
type journalEntry struct {
	Task    Task   `json:"task"`
	Set     string `json:"set"`
	System  string `json:"system"`
	Version string `json:"version"`
	Item    string `json:"item"`
}

// journalReply is what was said, with what it took.
type journalReply struct {
	Value json.RawMessage `json:"value"`
	MS    float64         `json:"ms"`
	Usage *Usage          `json:"usage,omitempty"`
}

// OpenJournal reads the file, and makes it where there is none. Close the result.
func OpenJournal(path string) (_ *Journal, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("eval journal: %w", err)
	}
	j := &Journal{path: path, file: f, kept: map[journalEntry]journalReply{}, versions: map[string]string{}}
	if err := j.read(); err != nil {
		f.Close()
		return nil, fmt.Errorf("eval journal: %w", err)
	}
	return j, nil
}

// Close closes the file.
func (j *Journal) Close() error {
	if err := j.file.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return fmt.Errorf("eval journal: %w", err)
	}
	return nil
}

// journalLine is a line of the file.
type journalLine struct {
	journalEntry
	journalReply
}

// read takes in the lines. A last one without an end was being written when the
// measurement was killed; it is cut off.
func (j *Journal) read() error {
	reader := bufio.NewReader(j.file)
	end := int64(0)
	for n := 1; ; n++ {
		text, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		end += int64(len(text))
		var line journalLine
		if err := json.Unmarshal(text, &line); err != nil || line.Task == "" || line.System == "" {
			return fmt.Errorf("%s:%d: not a line of a journal; name another file, or remove this one to begin anew", j.path, n)
		}
		j.kept[line.journalEntry] = line.journalReply
		j.versions[line.System] = line.Version
	}
	return errors.Join(j.file.Truncate(end), seek(j.file, end))
}

// admit refuses a journal that holds another version of a system: half of the
// figures would be of one, half of the other.
func (j *Journal) admit(m measurement) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, s := range m.systems {
		if had, ok := j.versions[s.Name]; ok && had != s.Version {
			return fmt.Errorf("the journal %s is of %s in version %q, and this is version %q; name another journal, or remove this one to begin anew",
				j.path, s.Name, had, s.Version)
		}
	}
	return nil
}

// entry names an item and a system.
func (m measurement) entry(system, item int) journalEntry {
	s := m.systems[system]
	return journalEntry{m.task, m.set.Name, s.Name, s.Version, m.key(item)}
}

// recalled fills in the reply where the journal has it.
func recalled[T any](j *Journal, e journalEntry, r *reply[T]) bool {
	if j == nil {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	kept, ok := j.kept[e]
	if !ok || json.Unmarshal(kept.Value, &r.value) != nil {
		return false
	}
	r.took = time.Duration(kept.MS * float64(time.Millisecond))
	if kept.Usage != nil {
		r.used = *kept.Usage
	}
	return true
}

// remember writes the reply, unless it is a failure.
func remember[T any](j *Journal, e journalEntry, r reply[T]) error {
	if j == nil || r.err != nil {
		return nil
	}
	value, err := json.Marshal(r.value)
	if err != nil {
		return fmt.Errorf("eval journal: %w", err)
	}
	line := journalLine{e, journalReply{Value: value, MS: milliseconds(r.took)}}
	if r.used != (Usage{}) {
		line.Usage = &r.used
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(line); err != nil {
		return fmt.Errorf("eval journal: %w", err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.kept[e], j.versions[e.System] = line.journalReply, e.Version
	if _, err := j.file.Write(text.Bytes()); err != nil {
		return fmt.Errorf("eval journal: %w", err)
	}
	return nil
}

// itemKey names an item by what a system is shown of it.
func itemKey(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}
