package main

import (
	"context"
	"io"
)

// output is standard output. It remembers the first error and writes nothing
// after it, so that run can tell at the end what no command looked at: half an
// answer must not look like a whole one.
type output struct {
	w   io.Writer
	err error
}

// Write writes, unless a write failed before.
func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	o.err = err
	return n, err
}

// input is a reader that ends with a context: a read that waits for a person, or
// for another program, can't be stopped otherwise. The read under way is left
// behind, for the program ends then.
type input struct {
	ctx context.Context
	r   io.Reader
}

// maxRead is how much one read of an input asks for, in bytes.
const maxRead = 64 << 10

// Read reads into a buffer of its own, because a read left behind may still write
// to it.
func (in input) Read(p []byte) (int, error) {
	type result struct {
		data []byte
		err  error
	}
	read := make(chan result, 1)
	buffer := make([]byte, min(len(p), maxRead))
	go func() {
		n, err := in.r.Read(buffer)
		read <- result{buffer[:n], err}
	}()
	select {
	case r := <-read:
		return copy(p, r.data), r.err
	case <-in.ctx.Done():
		return 0, in.ctx.Err()
	}
}
