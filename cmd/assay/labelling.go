package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/assay-rag/assay/calibrate"
)

// labelling asks a person about one proposal after the other.
type labelling struct {
	*screen
	keys   *keyboard
	book   *labelBook
	grader calibrate.Identity
	open   []proposal
}

// run asks until all is answered or the person quits. What is answered stands in the
// book at once.
func (s labelling) run() error {
	written := make([]bool, len(s.open))
	for at := 0; at < len(s.open); {
		s.show(at)
		key, err := s.answer()
		if err != nil {
			return err
		}
		switch key {
		case 'q':
			s.farewell()
			return nil
		case 'b':
			if at == 0 {
				s.line(dim("This is the first; there is no way back from here."))
				continue
			}
			if at--; written[at] {
				written[at] = false
				if err := s.book.takeBack(); err != nil {
					return err
				}
			}
			continue
		case 'y', 'n':
			row, label := s.open[at].row(s.grader), yesNo(key == 'y')
			row.Label = &label
			if err := s.book.add(row); err != nil {
				return err
			}
		}
		written[at] = key != 'u'
		at++
	}
	s.line(plain("There is nothing more to ask."))
	s.farewell()
	return nil
}

// show shows a proposal, without its grade.
func (s labelling) show(at int) {
	a := s.open[at]
	s.line()
	s.line(dimf("%d of %d · %s in %s", at+1, len(s.open), count(len(s.book.rows), "label"), cleanLine(s.book.path)))
	s.line(bold(cleanLine(a.question)))
	s.line()
	s.line(place(a.passage.Title, a.passage.Heading, a.passage.Document, a.passage.Date)...)
	s.line(plain(a.passage.Text))
	s.line()
	s.line(cyan("Does this passage answer the question? "), plain("y yes · n no · u unsure · b back · q quit"))
}

// answer waits for a key that means something. The end of the keys is q.
func (s labelling) answer() (rune, error) {
	for {
		key, err := s.keys.next()
		if errors.Is(err, io.EOF) {
			return 'q', nil
		}
		if err != nil {
			return 0, err
		}
		word, known := map[rune]string{'y': "yes", 'n': "no", 'u': "unsure", 'b': "back", 'q': "quit"}[key]
		if known {
			s.line(dim(word))
			return key, nil
		}
	}
}

// farewell says what there is, and what can be done with it.
func (s labelling) farewell() {
	sufficient := 0
	for _, r := range s.book.rows {
		if *r.Label {
			sufficient++
		}
	}
	n := len(s.book.rows)
	s.line(plainf("%s in %s, %d of them yes.", count(n, "label"), cleanLine(s.book.path), sufficient))
	if n < calibrate.MinLabels {
		s.line(plainf("A calibration needs %d: the same command goes on.", calibrate.MinLabels))
		return
	}
	s.line(plain("Calibrate: assay calibrate " + quoted(s.book.path)))
}

// keyboard reads keys as they are pressed.
type keyboard struct {
	in      io.Reader
	raw     func() (restore func(), err error)
	pending []rune
}

// Keys that a terminal in raw mode passes on instead of acting on them.
const (
	ctrlC  = 0x03
	ctrlD  = 0x04
	escape = 0x1B
)

// next is the next key, in lower case; Ctrl-C and Ctrl-D are q. The terminal is raw
// only while it waits, so that all else is written as usual. What begins with an
// escape, as an arrow does, is no key.
func (k *keyboard) next() (rune, error) {
	for len(k.pending) == 0 {
		restore, err := k.raw()
		if err != nil {
			return 0, fmt.Errorf("label: read a key: %w", err)
		}
		var buffer [64]byte
		n, err := k.in.Read(buffer[:])
		restore()
		if n > 0 && buffer[0] != escape {
			k.pending = []rune(string(buffer[:n]))
		} else if n == 0 && err != nil {
			return 0, err
		}
	}
	key := k.pending[0]
	k.pending = k.pending[1:]
	switch {
	case key == ctrlC, key == ctrlD:
		return 'q', nil
	case 'A' <= key && key <= 'Z':
		return key - 'A' + 'a', nil
	}
	return key, nil
}
