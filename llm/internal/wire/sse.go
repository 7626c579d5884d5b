package wire

import (
	"bufio"
	"bytes"
	"io"
	"iter"
	"strings"
)

// Event is one event of a stream.
type Event struct {
	Type string // "" where the server names none
	Data string
}

// Events reads a stream of server-sent events, as the HTML standard describes
// them, from a reader that bounds their size. It ends with the error that reading
// ended with, if it isn't EOF.
//
// Two things differ, for the sake of what is seen: a last event counts though no
// empty line ends it, since whether the stream is whole is told by what it says; and
// a field "error", which older llama.cpp servers send, is an event of that type.
// Lines end in LF or CRLF.
func Events(r io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, MaxReply)
		var e Event
		var data []string
		for first := true; lines.Scan(); first = false {
			line := lines.Bytes()
			if first {
				line = bytes.TrimPrefix(line, []byte("\ufeff"))
			}
			if len(line) == 0 {
				if data != nil {
					e.Data = strings.Join(data, "\n")
					if !yield(e, nil) {
						return
					}
				}
				e, data = Event{}, nil
				continue
			}
			name, value, _ := strings.Cut(string(line), ":")
			value = strings.TrimPrefix(value, " ")
			switch name {
			case "data":
				data = append(data, value)
			case "error":
				e.Type, data = "error", append(data, value)
			case "event":
				e.Type = value
			}
		}
		if err := lines.Err(); err != nil {
			yield(Event{}, err)
		} else if data != nil {
			e.Data = strings.Join(data, "\n")
			yield(e, nil)
		}
	}
}
