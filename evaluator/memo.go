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

// all returns the values of keys: those of late from memory, the others by one call of
// compute, which is given each once and answers in their order.
func (m *memo[K, V]) all(keys []K, compute func([]K) ([]V, error)) ([]V, error) {
	out := make([]V, len(keys))
	var missing []K
	places := map[K][]int{}
	for i, k := range keys {
		if v, ok := m.get(k); ok {
			out[i] = v
			continue
		}
		if len(places[k]) == 0 {
			missing = append(missing, k)
		}
		places[k] = append(places[k], i)
	}
	if len(missing) == 0 {
		return out, nil
	}
	values, err := compute(missing)
	if err != nil {
		return nil, err
	}
	for j, k := range missing {
		m.put(k, values[j])
		for _, i := range places[k] {
			out[i] = values[j]
		}
	}
	return out, nil
}
