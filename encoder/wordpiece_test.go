package encoder

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// minilm is the tokenizer of all-MiniLM-L6-v2.
var minilm = sync.OnceValues(func() (*tokenizer, error) { return readTokenizer(os.DirFS("minilm")) })

func minilmTokenizer(tb testing.TB) *tokenizer {
	tb.Helper()
	t, err := minilm()
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// forms are those of testdata/wordpiece.py.
var forms = map[string]form{
	"uncased":    {lower: true, strip: true, ideographs: true},
	"cased":      {ideographs: true},
	"accents":    {lower: true, ideographs: true},
	"capitals":   {strip: true, ideographs: true},
	"ideographs": {lower: true, strip: true},
}

// eachLine calls f for the lines of a compressed golden.
func eachLine(t *testing.T, name string, f func(line string)) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		f(lines.Text())
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// wordReader shows the words that a tokenizer sees, by a vocabulary of single
// characters.
type wordReader struct {
	*tokenizer
	texts map[int32]string
}

func newWordReader(t *testing.T, form form) *wordReader {
	t.Helper()
	special := map[string]int32{"[CLS]": 0, "[SEP]": 1, "[UNK]": 2}
	tokenizer, err := newTokenizer(description{added: special, form: form, cls: "[CLS]", sep: "[SEP]", unk: "[UNK]"})
	if err != nil {
		t.Fatal(err)
	}
	tokenizer.pieces = make(map[string]int32)
	tokenizer.longest = len(prefix) + utf8.UTFMax
	return &wordReader{tokenizer, map[int32]string{}}
}

// words gives the words of text with a space between. Characters that aren't in
// want are unknown, and so are words that are too long.
func (w *wordReader) words(text, want string) string {
	clear(w.pieces)
	clear(w.texts)
	w.texts[w.unk] = " ?"
	for _, r := range want {
		id := int32(100 + len(w.texts))
		w.pieces[string(r)], w.texts[id] = id, " "+string(r)
		w.pieces[prefix+string(r)], w.texts[id+1] = id+1, string(r)
	}
	var b strings.Builder
	for _, id := range w.tokens(nil, text) {
		b.WriteString(w.texts[id])
	}
	return strings.TrimPrefix(b.String(), " ")
}

// TestTokensGolden compares with Hugging Face's tokenizers: the words of each
// text, and their pieces.
func TestTokensGolden(t *testing.T) {
	readers := make(map[string]*wordReader)
	for name, form := range forms {
		readers[name] = newWordReader(t, form)
	}
	model := minilmTokenizer(t)
	texts := 0
	eachLine(t, "testdata/wordpiece.jsonl.gz", func(line string) {
		var row struct {
			Form, Text, Words string
			Pieces            []int32
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		want := strings.Split(row.Words, " ")
		for i, w := range want {
			if utf8.RuneCountInString(w) > maxWord {
				want[i] = "?"
			}
		}
		if got, want := readers[row.Form].words(row.Text, row.Words), strings.Join(want, " "); got != want {
			t.Errorf("%s: words of %+q:\n got %+q\nwant %+q", row.Form, row.Text, got, want)
		}
		if row.Form != "uncased" {
			return
		}
		texts++
		if got := model.tokens(nil, row.Text); !slices.Equal(got, row.Pieces) {
			t.Errorf("pieces of %+q:\n got %v\nwant %v", row.Text, got, row.Pieces)
		}
	})
	if texts < 4000 {
		t.Errorf("the golden has %d texts", texts)
	}
}

// TestCharactersGolden compares what becomes of every character there is, between
// two letters.
func TestCharactersGolden(t *testing.T) {
	readers := make(map[string]*wordReader)
	for name, form := range forms {
		readers[name] = newWordReader(t, form)
	}
	characters := rune(0)
	eachLine(t, "testdata/characters.txt.gz", func(line string) {
		var form, what string
		var first, last rune
		if _, err := fmt.Sscanf(line, "%s %X %X", &form, &first, &last); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		what = strings.SplitN(line, " ", 4)[3]
		for r := first; r <= last; r++ {
			text := "a" + string(r) + "b"
			want, isWords := strings.CutPrefix(what, "=")
			if !isWords {
				want = map[string]string{"letter": text, "nothing": "ab", "space": "a b", "word": "a " + string(r) + " b"}[what]
			}
			if got := readers[form].words(text, want); got != want {
				t.Errorf("%s: words of %+q: got %+q, want %+q", form, text, got, want)
			}
			characters++
		}
	})
	if want := rune(3 * (utf8.MaxRune + 1 - 0x800)); characters != want {
		t.Errorf("the golden has %d characters, want %d", characters, want)
	}
}

// TestTokensText: what can't be seen from Python, or must be seen at a glance.
func TestTokensText(t *testing.T) {
	model := minilmTokenizer(t)
	pieces := make(map[int32]string)
	for piece, id := range model.pieces {
		pieces[id] = piece
	}
	pieces[model.unk], pieces[model.sep], pieces[model.cls] = "[UNK]", "[SEP]", "[CLS]"
	tests := []struct{ text, want string }{
		{"", ""},
		{" \t\r\n", ""},
		{"Unaffable!", "una ##ffa ##ble !"},
		{"[SEP]", "[ sep ]"},
		{"A passage. [SEP] Ignore it. [CLS]", "a passage . [ sep ] ignore it . [ cl ##s ]"},
		{"\xff", ""},
		{"a\xffb \xe4\xb8c \xf0\x9f\x98", "ab c"},
		{"\xed\xa0\x80d", "d"},
		{"\xc3", ""},
		{"caf\xc3\xa9", "cafe"},
		{"##ing", "# # ing"},
		{strings.Repeat("a", maxWord+1) + " b", "[UNK] b"},
	}
	for _, test := range tests {
		var got []string
		for _, id := range model.tokens(nil, test.text) {
			got = append(got, pieces[id])
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("pieces of %q: got %q, want %q", test.text, got, test.want)
		}
	}
	if model.cls != 101 || model.sep != 102 || model.unk != 100 || model.size() != 30522 {
		t.Errorf("cls %d, sep %d, unk %d, size %d", model.cls, model.sep, model.unk, model.size())
	}
}

// english and languages are texts to measure with.
const (
	english = `The warranty covers parts and labour for twenty-four months from the day of delivery. It doesn't cover
damage by water, and it ends when the device is opened by anyone but an authorised workshop (see section 4.2). Returns
need the receipt: without one, the regional office decides within 10 days, and its decision is final.
`
	languages = `Die Gewährleistung gilt für zwei Jahre; « le prix » à Noël. Гарантия действует два года. 保証期間は二年間です。
보증 기간은 2년입니다. الضمان سارٍ لمدة عامين. שָׁלוֹם, ἐν ἀρχῇ. It’s “fine” – naïve café 👩‍👩‍👧‍👦.
`
)

func TestTokensAllocate(t *testing.T) {
	model := minilmTokenizer(t)
	dst := make([]int32, 0, 4096)
	for _, text := range []string{english, languages} {
		if n := testing.AllocsPerRun(10, func() { model.tokens(dst, text) }); n > 0 {
			t.Errorf("%v allocations for %.20q…", n, text)
		}
	}
}

func FuzzTokens(f *testing.F) {
	model := minilmTokenizer(f)
	for _, text := range []string{"", english, languages, "[CLS]\xff\x00[SEP]", "a\u302e\u1b44\u0301", strings.Repeat("é", 120)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := model.tokens([]int32{-7}, text)
		if got[0] != -7 {
			t.Fatalf("what was in dst is %d", got[0])
		}
		got = got[1:]
		for _, id := range got {
			if id < 0 || int(id) >= model.size() || id == model.cls || id == model.sep {
				t.Fatalf("token %d", id)
			}
		}
		if want := model.tokens(nil, string([]rune(text))); !slices.Equal(got, want) {
			t.Fatalf("got %v, with U+FFFD for stray bytes %v", got, want)
		}
		if want := slices.Concat(got, got); !slices.Equal(model.tokens(nil, text+" "+text), want) {
			t.Fatalf("twice is %v, not %v", model.tokens(nil, text+" "+text), want)
		}
		// ASCII is read by a table, all else by its classes: by these ASCII is the same.
		s := speller{tokenizer: model, size: len(prefix)}
		for _, r := range text {
			s.read(r)
		}
		s.end()
		if !slices.Equal(got, s.out) {
			t.Fatalf("got %v, by classes alone %v", got, s.out)
		}
	})
}

func BenchmarkTokens(b *testing.B) {
	model := minilmTokenizer(b)
	for name, text := range map[string]string{"english": english, "languages": languages} {
		b.Run(name, func(b *testing.B) {
			dst := make([]int32, 0, 4096)
			n := 0
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				n += len(model.tokens(dst, text))
			}
			b.ReportMetric(float64(n)/1e6/b.Elapsed().Seconds(), "Mtokens/s")
		})
	}
}

// TestPlaced: the pieces are the same with their places and without, and a piece
// stands where its word does.
func TestPlaced(t *testing.T) {
	tok := minilmTokenizer(t)
	for text, want := range map[string][]string{
		"":                            nil,
		"Parental leave: 26 weeks.":   {"Parental", "leave", ":", "26", "weeks", "."},
		"  Ünbelievable naïveté (x) ": {"Ünbelievable", "naïveté", "(", "x", ")"},
		"a\u00adb \xff c":             {"a\u00adb", "c"},
		"日本":                          {"日", "本"},
	} {
		ids, places := tok.placed(nil, nil, text)
		if !slices.Equal(ids, tok.tokens(nil, text)) || len(ids) != len(places) {
			t.Fatalf("%q: %v at %v", text, ids, places)
		}
		var words []string
		for i, p := range places {
			if i == 0 || p != places[i-1] {
				words = append(words, text[p.Start:p.End])
			}
		}
		if !slices.Equal(words, want) {
			t.Errorf("%q: words %q", text, words)
		}
	}
}
