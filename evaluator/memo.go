package evaluator

import "sync"

// memo remembers what was computed for the most recent keys, in two
// generations: when the younger is full it becomes the older, which is dropped.
// It may be used concurrently.
type memo[K comparable, V any] struct {
	mu           sync.Mutex
	size         int
	young, older map[K]V
}

func newMemo[K comparable, V any](size int) *memo[K, V] {
	return &memo[K, V]{size: size, young: make(map[K]V, size)}
}

func (m *memo[K, V]) get(k K) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.young[k]
	if !ok {
		if v, ok = m.older[k]; ok {
			m.add(k, v)
		}
	}
	return v, ok
}

func (m *memo[K, V]) put(k K, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.add(k, v)
}

func (m *memo[K, V]) add(k K, v V) {
	if len(m.young) >= m.size {
		m.older, m.young = m.young, make(map[K]V, m.size)
	}
	m.young[k] = v
}
