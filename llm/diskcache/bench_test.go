package diskcache

import (
	"testing"
)

// A value of 2 KB is a reply of some 400 words.
const benchSize = 2000

func filled(b *testing.B, o *Options) (*Cache, int) {
	const values = 5000
	c := open(b, newPath(b), o)
	for i := range values {
		c.Put(b.Context(), keyOf(i), valueOf(keyOf(i), benchSize))
	}
	return c, values
}

func BenchmarkGet(b *testing.B) {
	c, n := filled(b, nil)
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := c.Get(b.Context(), keyOf(i*7919%n)); !ok {
			b.Fatal("it is gone")
		}
		i++
	}
}

func BenchmarkMiss(b *testing.B) {
	c, n := filled(b, nil)
	i := n
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := c.Get(b.Context(), keyOf(i)); ok {
			b.Fatal("it is there")
		}
		i++
	}
}

func BenchmarkPut(b *testing.B) {
	for name, o := range map[string]*Options{"room": nil, "full": {MaxBytes: 4 << 20}} {
		b.Run(name, func(b *testing.B) {
			c, i := filled(b, o)
			value := valueOf("k", benchSize)
			b.ReportAllocs()
			for b.Loop() {
				c.Put(b.Context(), keyOf(i), value)
				i++
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	c, _ := filled(b, nil)
	c.Close()
	for b.Loop() {
		c, err := Open(c.path, nil)
		if err != nil {
			b.Fatal(err)
		}
		c.Close()
	}
}
