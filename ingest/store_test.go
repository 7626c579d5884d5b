package ingest

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/assay-rag/assay"
)

// memStore is a Store in memory that a test can read back. FailPut, if set, is
// asked before each Put.
type memStore struct {
	mu       sync.Mutex
	names    map[string]string // by path
	docs     map[string]map[string]assay.Document
	passages map[string][]assay.Passage
	puts     int
	failPut  func(n int) error
}

func newMemStore() *memStore {
	return &memStore{names: make(map[string]string), docs: make(map[string]map[string]assay.Document), passages: make(map[string][]assay.Passage)}
}

func (m *memStore) Root(_ context.Context, collection, path string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n, ok := m.names[path]; ok {
		return n, nil
	}
	name := filepath.Base(path)
	for i := 2; m.docs[name] != nil; i++ {
		name = fmt.Sprintf("%s %d", filepath.Base(path), i)
	}
	m.names[path], m.docs[name] = name, make(map[string]assay.Document)
	return name, nil
}

func (m *memStore) Stamps(_ context.Context, _, root string) (map[string]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make(map[string]string)
	for id, d := range m.docs[root] {
		out[id] = d.Stamp
	}
	return out, nil
}

func (m *memStore) Put(ctx context.Context, _, root string, docs []assay.Document, passages [][]assay.Passage) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.puts++
	if m.failPut != nil {
		if err := m.failPut(m.puts); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, d := range docs {
		m.docs[root][d.ID] = d
		m.passages[d.ID] = passages[i]
	}
	return nil
}

func (m *memStore) Restamp(_ context.Context, _, root string, stamps map[string]string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, s := range stamps {
		d := m.docs[root][id]
		d.Stamp = s
		m.docs[root][id] = d
	}
	return nil
}

func (m *memStore) Remove(_ context.Context, _, root string, ids []string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		delete(m.docs[root], id)
		delete(m.passages, id)
	}
	return nil
}

// ids returns the documents of all roots, sorted.
func (m *memStore) ids() []string {
	var out []string
	for _, docs := range m.docs {
		out = append(out, slices.Collect(maps.Keys(docs))...)
	}
	slices.Sort(out)
	return out
}

func (m *memStore) doc(id string) assay.Document {
	for _, docs := range m.docs {
		if d, ok := docs[id]; ok {
			return d
		}
	}
	return assay.Document{}
}
