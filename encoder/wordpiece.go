package encoder

import (
	"fmt"
	"unicode/utf8"
)

// tokenizer turns text into the word pieces that a BERT was trained on: words are
// cut at spaces and around punctuation, made lower case and free of accents where
// the model wants that, and spelled with the pieces of its vocabulary, the longest
// that fits first (Wu et al. 2016, §4.1; Devlin et al. 2019, §3). It agrees with
// Hugging Face's tokenizers; see testdata/wordpiece.py.
//
// Text is only ever text: "[SEP]" in a document is a word between brackets, never
// the separator that the model knows, so that no document can pretend to be two.
// The reference does this too when its encode_special_tokens is on.
//
// A byte that isn't UTF-8 counts as U+FFFD, which is left out.
//
// A tokenizer doesn't change, and may be used concurrently.
type tokenizer struct {
	pieces  map[string]int32 // by their text; those that continue a word begin with prefix
	longest int              // no piece has more bytes
	count   int              // one more than the highest number of a piece

	cls, sep, unk int32

	form  form
	ascii [utf8.RuneSelf]byte // what becomes of each: the character to write, or one of those below
}

// What an ASCII character is if not part of a word.
const (
	asciiIgnored = utf8.RuneSelf + iota
	asciiSpace
	asciiPunctuation
)

// prefix is how a vocabulary marks a piece that continues a word.
const prefix = "##"

// maxID bounds the numbers of tokens: the largest vocabularies have a million.
const maxID = 1 << 24

// maxWord is how many characters a word can have; a longer one is unknown.
const maxWord = 100

// newTokenizer makes a tokenizer as described.
func newTokenizer(d description) (*tokenizer, error) {
	t := &tokenizer{pieces: d.pieces, form: d.form}
	for _, tokens := range []map[string]int32{d.pieces, d.added} {
		for token, id := range tokens {
			if id < 0 || id > maxID {
				return nil, fmt.Errorf("the number of token %q is %d; the vocabulary is damaged", token, id)
			}
			t.longest = max(t.longest, len(token))
			t.count = max(t.count, int(id)+1)
		}
	}
	for _, special := range []struct {
		id   *int32
		text string
	}{{&t.cls, d.cls}, {&t.sep, d.sep}, {&t.unk, d.unk}} {
		id, ok := d.added[special.text]
		if !ok {
			id, ok = d.pieces[special.text]
		}
		if !ok {
			return nil, fmt.Errorf("there is no token %q in the vocabulary, and the tokenizer needs one", special.text)
		}
		*special.id = id
		delete(t.pieces, special.text) // no word is spelled with it
	}
	for r := range rune(len(t.ascii)) {
		switch classOf(r) {
		case ignored:
			t.ascii[r] = asciiIgnored
		case space:
			t.ascii[r] = asciiSpace
		case punctuation:
			t.ascii[r] = asciiPunctuation
		default:
			t.ascii[r] = byte(t.form.letter(r))
		}
	}
	return t, nil
}

// size is how many rows the model's table of words must have at least.
func (t *tokenizer) size() int { return t.count }

// tokens appends the pieces of text to dst, without special ones around them.
// Beyond that it allocates nothing.
func (t *tokenizer) tokens(dst []int32, text string) []int32 {
	s := speller{tokenizer: t, out: dst, size: len(prefix)}
	s.spell(text)
	return s.out
}

// placed is tokens, and appends to places where in text the word of each piece
// stands.
func (t *tokenizer) placed(dst []int32, places []Span, text string) ([]int32, []Span) {
	s := speller{tokenizer: t, out: dst, size: len(prefix), placing: true, places: places}
	s.spell(text)
	return s.out, s.places
}

// Span is a part of a text: its bytes [Start, End).
type Span struct{ Start, End int }

func (s *speller) spell(text string) {
	t := s.tokenizer
	for i := 0; i < len(text); {
		s.at, s.next = i, i+1
		if text[i] >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(text[i:])
			s.next = i + n
			s.read(r)
			i += n
			continue
		}
		switch c := t.ascii[text[i]]; c {
		case asciiIgnored:
		case asciiSpace:
			s.end()
		case asciiPunctuation:
			s.alone(rune(text[i]))
		default:
			s.write(rune(c))
		}
		i++
	}
	s.end()
}

// speller writes one text as pieces.
type speller struct {
	*tokenizer
	out   []int32
	word  [len(prefix) + maxWord*utf8.UTFMax]byte // the present word, after room for a prefix
	size  int                                     // how much of it is read
	chars int                                     // characters read, those past maxWord too, which aren't kept
	fixed int                                     // how much of the word stays where it is, see combine

	placing  bool // whether places are kept
	places   []Span
	at, next int  // the present character in the text
	place    Span // of the present word in the text
}

// write adds a character to the word.
func (s *speller) write(r rune) {
	if s.chars == 0 {
		s.place.Start = s.at
	}
	s.place.End = s.next
	if s.chars++; s.chars <= maxWord {
		s.size += utf8.EncodeRune(s.word[s.size:], r)
	}
}

// alone makes a character a word of its own.
func (s *speller) alone(r rune) {
	s.end()
	s.write(r)
	s.end()
}

// end ends the word, if there is one: it is spelled with the longest piece that it
// begins with, the longest with which it goes on from there, and so on. A word
// that can't be spelled to its end is unknown as a whole.
func (s *speller) end() {
	if s.chars == 0 {
		return
	}
	before := len(s.out)
	for at := len(prefix); at < s.size; {
		id, n := s.piece(at)
		if n == 0 || s.chars > maxWord {
			s.out = append(s.out[:before], s.unk)
			break
		}
		s.out = append(s.out, id)
		at += n
	}
	for i := before; s.placing && i < len(s.out); i++ {
		s.places = append(s.places, s.place)
	}
	s.size, s.chars, s.fixed = len(prefix), 0, 0
}

// piece finds the longest piece that the word has at a byte, and its length there,
// which is 0 where there is none.
func (s *speller) piece(at int) (id int32, n int) {
	from := at
	if at > len(prefix) {
		from -= copy(s.word[at-len(prefix):], prefix) // over what has been spelled
	}
	for end := min(s.size, from+s.longest); end > at; end-- {
		if end < s.size && !utf8.RuneStart(s.word[end]) {
			continue // within a character
		}
		if id, ok := s.pieces[string(s.word[from:end])]; ok {
			return id, end - at
		}
	}
	return 0, 0
}
