package encoder

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// vocabularyText is a small vocab.txt.
const vocabularyText = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nword\n##s\nWORD\nmot\né\n中\n##文\n"

// file is a folder with one file more.
func file(folder fstest.MapFS, name, text string) fstest.MapFS {
	files := fstest.MapFS{name: {Data: []byte(text)}}
	for name, f := range folder {
		files[name] = f
	}
	return files
}

// pipelineText is the tokenizer.json that says what vocabularyText does, with
// some of its text replaced.
func pipelineText(oldnew ...string) string {
	const text = `{
	"truncation": {"max_length": 128}, "padding": {"strategy": {"Fixed": 128}},
	"added_tokens": [{"id": 3, "content": "[SEP]", "special": true, "normalized": false}],
	"normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
	"pre_tokenizer": {"type": "BertPreTokenizer"},
	"post_processor": {"type": "TemplateProcessing",
		"single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
		"pair": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
			{"Sequence": {"id": "B", "type_id": 1}}, {"SpecialToken": {"id": "[SEP]", "type_id": 1}}]},
	"model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": VOCAB}}`
	vocab := make(map[string]int)
	for i, piece := range strings.Split(strings.TrimSpace(vocabularyText), "\n") {
		vocab[piece] = i
	}
	written, err := json.Marshal(vocab)
	if err != nil {
		panic(err)
	}
	return strings.NewReplacer(append(oldnew, "VOCAB", string(written))...).Replace(text)
}

func TestReadTokenizer(t *testing.T) {
	vocabulary := file(nil, vocabularyFile, vocabularyText)
	const bertProcessing = `"post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]}, "ignored": {`
	tests := []struct {
		name  string
		files fs.FS
		want  []int32 // of "Words WORD mots É 中文"
	}{
		{"pieces a line", vocabulary, []int32{4, 5, 4, 7, 5, 1, 9, 1}},
		{"lines of Windows", file(nil, vocabularyFile, strings.ReplaceAll(vocabularyText, "\n", "\r\n")), []int32{4, 5, 4, 7, 5, 1, 9, 1}},
		{"no options", file(vocabulary, optionsFile, `{}`), []int32{4, 5, 4, 7, 5, 1, 9, 1}},
		{"no strip_accents", file(vocabulary, optionsFile, `{"strip_accents": false}`), []int32{4, 5, 4, 7, 5, 8, 9, 1}},
		{"cased", file(vocabulary, optionsFile, `{"do_lower_case": false, "strip_accents": null}`), []int32{1, 6, 7, 5, 1, 9, 1}},
		{"ideographs in words", file(vocabulary, optionsFile, `{"tokenize_chinese_chars": false}`), []int32{4, 5, 4, 7, 5, 1, 9, 10}},
		{"tokens as objects", file(vocabulary, optionsFile, `{"tokenizer_class": "BertTokenizer", "unk_token": {"content": "mot"}, "cls_token": null}`), []int32{4, 5, 4, 7, 7, 9, 7}},
		{"tokenizer.json", file(nil, pipelineFile, pipelineText()), []int32{4, 5, 4, 7, 5, 1, 9, 1}},
		{"tokenizer.json comes first", file(file(nil, vocabularyFile, "x"), pipelineFile, pipelineText(`"strip_accents": null`, `"strip_accents": false`)), []int32{4, 5, 4, 7, 5, 8, 9, 1}},
		{"tokenizer.json, cased", file(nil, pipelineFile, pipelineText(`"lowercase": true`, `"lowercase": false`)), []int32{1, 6, 7, 5, 1, 9, 1}},
		{"tokenizer.json, early", file(nil, pipelineFile, pipelineText(`"type": "WordPiece", `, "")), []int32{4, 5, 4, 7, 5, 1, 9, 1}},
		{"tokenizer.json, BertProcessing", file(nil, pipelineFile, pipelineText(`"post_processor": {`, bertProcessing)), []int32{4, 5, 4, 7, 5, 1, 9, 1}},
		{"tokenizer.json, added", file(nil, pipelineFile, pipelineText(`"id": 3, "content": "[SEP]"`, `"id": 70, "content": "[Q]"`)), []int32{4, 5, 4, 7, 5, 1, 9, 1}},
	}
	for _, test := range tests {
		tokenizer, err := readTokenizer(test.files)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := tokenizer.tokens(nil, "Words WORD mots É 中文"); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
		want := 11
		if strings.HasSuffix(test.name, "added") {
			want = 71
		}
		if tokenizer.cls != 2 || tokenizer.sep != 3 || tokenizer.size() != want {
			t.Errorf("%s: cls %d, sep %d, size %d; want 2, 3, %d", test.name, tokenizer.cls, tokenizer.sep, tokenizer.size(), want)
		}
	}
}

func TestReadTokenizerErrors(t *testing.T) {
	vocabulary := file(nil, vocabularyFile, vocabularyText)
	pipeline := func(oldnew ...string) fs.FS { return file(nil, pipelineFile, pipelineText(oldnew...)) }
	const wordPiece = `"type": "WordPiece", `
	tests := []struct {
		files fs.FS
		want  []string // that the error says
	}{
		{fstest.MapFS{}, []string{"tokenizer.json", "vocab.txt"}},
		{file(nil, vocabularyFile, ""), []string{"vocab.txt", "[CLS]"}},
		{file(nil, vocabularyFile, "[CLS]\n[SEP]\nword\n"), []string{"vocab.txt", "[UNK]"}},
		{file(nil, vocabularyFile, vocabularyText+"\xff\n"), []string{"vocab.txt", "UTF-8"}},
		{file(vocabulary, optionsFile, `{`), []string{"tokenizer_config.json"}},
		{file(vocabulary, optionsFile, `{"sep_token": "</s>"}`), []string{"vocab.txt", "</s>"}},
		{file(vocabulary, optionsFile, `{"tokenizer_class": "BertJapaneseTokenizer"}`), []string{"tokenizer_config.json", "BertJapaneseTokenizer", "BertTokenizer"}},
		{file(vocabulary, optionsFile, `{"do_basic_tokenize": false}`), []string{"tokenizer_config.json", "do_basic_tokenize"}},
		{file(nil, pipelineFile, `{"model": [`), []string{"tokenizer.json"}},
		{file(nil, pipelineFile, `{}`), []string{"tokenizer.json", `""`, "WordPiece"}},
		{file(nil, pipelineFile, `{"model": {"type": "BPE", "vocab": {}, "merges": []}}`), []string{"tokenizer.json", "BPE", "WordPiece"}},
		{file(nil, pipelineFile, `{"model": {"type": "Unigram", "vocab": [["<s>", 0.0]]}}`), []string{"tokenizer.json", "Unigram", "WordPiece"}},
		{pipeline(wordPiece, `"type": "WordLevel", `), []string{"WordLevel"}},
		{pipeline(`"continuing_subword_prefix": "##"`, `"continuing_subword_prefix": "@@"`), []string{"@@", "##"}},
		{pipeline(`"max_input_chars_per_word": 100`, `"max_input_chars_per_word": 50`), []string{"max_input_chars_per_word", "50", "100"}},
		{pipeline(`"type": "BertNormalizer"`, `"type": "Lowercase"`), []string{"normalizer", "Lowercase", "BertNormalizer"}},
		{pipeline(`"clean_text": true`, `"clean_text": false`), []string{"clean_text"}},
		{pipeline(`"type": "BertPreTokenizer"`, `"type": "Whitespace"`), []string{"pre_tokenizer", "Whitespace", "BertPreTokenizer"}},
		{pipeline(`"special": true`, `"special": false`), []string{"added token", "[SEP]"}},
		{pipeline(`"type": "TemplateProcessing"`, `"type": "RobertaProcessing"`), []string{"post_processor", "RobertaProcessing"}},
		{pipeline(`"type_id": 1`, `"type_id": 0`), []string{"post_processor", "[CLS]:0 $A:0 [SEP]:0 $B:0 [SEP]:0"}},
		{pipeline(`"id": "A"`, `"id": "B"`), []string{"post_processor", "[CLS]:0 $B:0 [SEP]:0"}},
		{pipeline(`"single": [`, `"single": [], "was": [`), []string{"post_processor"}},
		{pipeline(`"post_processor": {"type": "TemplateProcessing",`, `"post_processor": {"type": "BertProcessing", "sep": 1}, "was": {`), []string{"tokenizer.json"}},
		{pipeline(`"post_processor": {"type": "TemplateProcessing",`, `"post_processor": {"type": "BertProcessing"}, "was": {`), []string{`""`}},
		{pipeline(`"unk_token": "[UNK]"`, `"unk_token": "<unk>"`), []string{"<unk>"}},
		{pipeline("VOCAB", `["word"]`), []string{"model.vocab"}},
		{pipeline("VOCAB", `{"[CLS]": -1}`), []string{"[CLS]", "-1"}},
		{pipeline("VOCAB", `{"[CLS]": 99999999}`), []string{"[CLS]", "99999999"}},
	}
	for i, test := range tests {
		_, err := readTokenizer(test.files)
		if err == nil {
			t.Errorf("%d: no error; want one with %q", i, test.want)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%d: %q doesn't say %q", i, err, want)
			}
		}
	}
}

// TestSeparatorAsWord: a separator that looks like a word can't be written by a text
// either.
func TestSeparatorAsWord(t *testing.T) {
	files := file(file(nil, vocabularyFile, vocabularyText), optionsFile, `{"sep_token": "word"}`)
	tokenizer, err := readTokenizer(files)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := tokenizer.tokens(nil, "word mot"), []int32{tokenizer.unk, 7}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func FuzzReadTokenizer(f *testing.F) {
	f.Add(true, pipelineText(), "{}")
	f.Add(false, vocabularyText, `{"strip_accents": true, "cls_token": {"content": "[CLS]"}}`)
	f.Fuzz(func(t *testing.T, json bool, text, options string) {
		name := vocabularyFile
		if json {
			name = pipelineFile
		}
		tokenizer, err := readTokenizer(file(file(nil, name, text), optionsFile, options))
		if err != nil {
			return
		}
		for _, id := range tokenizer.tokens(nil, vocabularyText+text) {
			if id < 0 || int(id) >= tokenizer.size() {
				t.Fatalf("token %d of %d", id, tokenizer.size())
			}
		}
	})
}

// BenchmarkReadTokenizer is a part of every start of a program that embeds a model.
func BenchmarkReadTokenizer(b *testing.B) {
	folder := os.DirFS("minilm")
	text, err := fs.ReadFile(folder, vocabularyFile)
	if err != nil {
		b.Fatal(err)
	}
	var vocab []string
	for i, piece := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		vocab = append(vocab, fmt.Sprintf("%q: %d", piece, i))
	}
	folders := map[string]fs.FS{
		vocabularyFile: folder,
		pipelineFile:   file(nil, pipelineFile, pipelineText("VOCAB", "{"+strings.Join(vocab, ",")+"}")),
	}
	for name, files := range folders {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := readTokenizer(files); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
