package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// format is one way in which labelled data is written.
type format struct {
	name string
	// fits tells by the keys of the first row (or of the whole, for one JSON
	// document; or by the columns of a table) whether a file is of this format.
	// The first format that fits is taken.
	fits func(keys []string) bool
	read func(l *loader, f *file) error
}

// wholeFormat is the one format whose files are one JSON document; the others have a row
// a line.
const wholeFormat = "squad2"

func formats() []format {
	return []format{
		{wholeFormat, withKeys("data"), readSQuAD},
		{"clapnq", withKeys("input", "passages", "output"), readCLAPNQ},
		{"popqa", withKeys("question", "prop", "paragraphs"), readPopQA},
		{"wice-pages", withKeys("claim", "evidence", "meta", "supporting_sentences"), readWiCE},
		{"wice-chunks", withKeys("claim", "evidence", "meta"), readWiCE},
		{"begin", withKeys("knowledge", "response", "begin_label"), readBEGIN},
		{"expertqa", withKeys("question", "answers", "annotator_id"), readExpertQA},
		{"ramdocs", withKeys("question", "documents", "gold_answers"), readRAMDocs},
		{"mtrag-un", withKeys("conversation_id", "contexts", "answerability"), readMTRAG},
		{"retrievalqa", withKeys("question", "context", "data_source"), readRetrievalQA},
		{"own-support", withKeys("claim", "evidence"), readOwnSupport},
		{"own-gate", withKeys("question", "passages"), readOwnGate},
		{"own-strips", withKeys("question", "strips"), readOwnStrips},
		{"own-useful", withKeys("question", "answer", "rating"), readOwnUseful},
		{"own-route", withKeys("question", "retrieve"), readOwnRoute},
		{"own-retrieval", withKeys("question", "gold"), readOwnRetrieval},
		{"own-retrieval", withKeys("question", "answers"), readOwnRetrieval},
		{"own-retrieval", withKeys("documents"), readOwnRetrieval},
	}
}

const formatsKnown = `SQuAD 2.0 (.json), CLAPNQ, PopQA, WiCE, ExpertQA, RAMDocs, MTRAG-UN, RetrievalQA (.jsonl), BEGIN (.tsv), ` +
	`or .jsonl or .csv of your own with the keys question and passages (gate), question and strips (strips), ` +
	`claim, evidence and label (support), question, answer and rating (useful), question and retrieve (route), ` +
	`or question, documents and gold (retrieval), with answers (end-to-end)`

func withKeys(want ...string) func([]string) bool {
	return func(keys []string) bool {
		for _, k := range want {
			if !slices.Contains(keys, k) {
				return false
			}
		}
		return true
	}
}

// loader gathers a set from one file or several of one format.
type loader struct {
	set  Set
	pool *poolBuilder
	seed uint64
	// finish runs after the last file.
	finish []func() error
}

// file is one file of a set. Sets are small; it is read whole.
type file struct {
	path string
	data []byte
}

// name is the file's name without its folder.
func (f *file) name() string { return filepath.Base(f.path) }

// errorf says what is wrong on a line (from 1) of the file.
func (f *file) errorf(line int, msg string, args ...any) error {
	return fmt.Errorf("eval load: %s:%d: "+msg, append([]any{f.path, line}, args...)...)
}

// Load reads the set in a file, or in the files of a folder (.json, .jsonl, .tsv
// and .csv, without the folders in it), and recognises its format by its content.
// The seed chooses what a format leaves to chance: for PopQA, the passage of
// another entity that is set against each question's own. A row that can't be
// read is an error that names its line: a measurement on part of a set would
// not be one of the set.
func Load(path string, seed uint64) (*Set, error) {
	paths, err := dataFiles(path)
	if err != nil {
		return nil, err
	}
	return loadFiles(path, paths, seed)
}

// loadFiles reads the files of one set, which path names in errors.
func loadFiles(path string, files []string, seed uint64) (*Set, error) {
	l := &loader{pool: newPoolBuilder(), seed: seed}
	for _, p := range files {
		f, err := readFile(p)
		if err != nil {
			return nil, err
		}
		if err := l.add(f); err != nil {
			return nil, err
		}
	}
	return l.finished(path)
}

// readFile reads one file of a set; a table of one's own becomes JSON Lines.
func readFile(path string) (*file, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("eval load: %w", err)
	}
	f := &file{path, bytes.TrimPrefix(data, []byte("\ufeff"))}
	if f.isCSV() {
		f.data, err = rowsOfCSV(f)
	}
	return f, err
}

// add reads one more file.
func (l *loader) add(f *file) error {
	form, err := detect(f)
	if err != nil {
		return err
	}
	if l.set.Name != "" && l.set.Name != form.name {
		return fmt.Errorf("eval load: %s is %s, the files before it are %s: name one file to load", f.path, form.name, l.set.Name)
	}
	l.set.Name = form.name
	return form.read(l, f)
}

// finished returns the set once all files are read.
func (l *loader) finished(path string) (*Set, error) {
	for _, finish := range l.finish {
		if err := finish(); err != nil {
			return nil, err
		}
	}
	if len(l.pool.pool.Questions) > 0 || len(l.set.Answers) > 0 {
		l.set.Retrieval = &l.pool.pool
	}
	if len(l.set.Tasks()) == 0 {
		return nil, fmt.Errorf("eval load: %s (%s) has no items to measure on", path, l.set.Name)
	}
	return &l.set, nil
}

// dataFiles lists the files of a set in order.
func dataFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("eval load: %w", err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("eval load: %w", err)
	}
	var out []string
	for _, e := range entries {
		if !e.IsDir() && isData(e.Name()) {
			out = append(out, filepath.Join(path, e.Name()))
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("eval load: %s has no .json, .jsonl, .tsv or .csv file in it; known are %s", path, formatsKnown)
	}
	return out, nil
}

// isRows tells whether the first line is a row by itself: a report, which has some of
// the keys of a set, is not.
func (f *file) isRows() bool {
	first, _, _ := bytes.Cut(bytes.TrimLeft(f.data, "\r\n"), []byte("\n"))
	return json.Valid(first) || strings.EqualFold(filepath.Ext(f.path), ".tsv")
}

// isData tells by a file's name whether it may hold data.
func isData(path string) bool {
	return slices.Contains([]string{".json", ".jsonl", ".tsv", ".csv"}, strings.ToLower(filepath.Ext(path)))
}

// detect recognises the format of a file.
func detect(f *file) (format, error) {
	keys, err := keysOf(f)
	if err != nil {
		return format{}, err
	}
	for _, form := range formats() {
		if form.fits(keys) {
			return form, nil
		}
	}
	return format{}, fmt.Errorf("eval load: %s: not a known set (its keys: %s); known are %s", f.path, strings.Join(keys, ", "), formatsKnown)
}

// keysOf returns the columns of a table or the sorted keys of the first JSON
// object of a file.
func keysOf(f *file) ([]string, error) {
	if strings.EqualFold(filepath.Ext(f.path), ".tsv") {
		header, _, _ := bytes.Cut(f.data, []byte("\n"))
		return strings.Split(strings.TrimRight(string(header), "\r"), "\t"), nil
	}
	var first map[string]json.RawMessage
	d := json.NewDecoder(bytes.NewReader(f.data))
	if err := d.Decode(&first); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("eval load: %s is empty", f.path)
		}
		return nil, f.errorf(lineAt(f.data, d.InputOffset(), err), "not a JSON object: %w", err)
	}
	return slices.Sorted(maps.Keys(first)), nil
}

// lineAt is the line of a JSON error. The error knows its own place where it
// can; otherwise the decoder's is the best there is.
func lineAt(data []byte, offset int64, err error) int {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	}
	offset = min(max(offset, 0), int64(len(data)))
	return 1 + bytes.Count(data[:offset], []byte("\n"))
}

// lines calls visit for each line that isn't blank, with its number from 1.
func (f *file) lines(visit func(line int, text []byte) error) error {
	n := 0
	for text := range bytes.Lines(f.data) {
		n++
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if err := visit(n, text); err != nil {
			return err
		}
	}
	return nil
}

// rows decodes a JSON Lines file into values of one kind.
func rows[T any](f *file, visit func(line int, row T) error) error {
	return f.lines(func(line int, text []byte) error {
		var row T
		if err := json.Unmarshal(text, &row); err != nil {
			return f.errorf(line, "not a row of this set: %w", err)
		}
		return visit(line, row)
	})
}
