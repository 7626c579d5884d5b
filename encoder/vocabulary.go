package encoder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"
)

// The files that describe a tokenizer: the first by itself, or else the second,
// for which the third may hold options.
const (
	pipelineFile   = "tokenizer.json"
	vocabularyFile = "vocab.txt"
	optionsFile    = "tokenizer_config.json"
)

// description is what the files of a model say of its tokenizer.
type description struct {
	pieces        map[string]int32
	added         map[string]int32 // special tokens, in pieces or not
	form          form
	cls, sep, unk string
}

// readTokenizer reads the tokenizer of a model: tokenizer.json where there is one,
// otherwise vocab.txt with the options of tokenizer_config.json. A tokenizer that
// isn't BERT's is an error, and so is an option that ours doesn't have.
func readTokenizer(files fs.FS) (*tokenizer, error) {
	name, read := pipelineFile, readPipeline
	if _, err := fs.Stat(files, name); errors.Is(err, fs.ErrNotExist) {
		name, read = vocabularyFile, readVocabulary
	}
	d, err := read(files)
	if err != nil {
		return nil, err
	}
	t, err := newTokenizer(d)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// pipeline is what counts in a tokenizer.json. How it pads and cuts off doesn't.
type pipeline struct {
	Normalizer struct {
		Type       string
		CleanText  bool  `json:"clean_text"`
		Ideographs bool  `json:"handle_chinese_chars"`
		Strip      *bool `json:"strip_accents"`
		Lowercase  bool
	}
	PreTokenizer struct {
		Type string
	} `json:"pre_tokenizer"`
	PostProcessor struct {
		Type         string
		CLS, SEP     []any          // of BertProcessing: a name and a number
		Single, Pair []templateItem // of TemplateProcessing
	} `json:"post_processor"`
	Model struct {
		Type    string
		Unknown string `json:"unk_token"`
		Prefix  string `json:"continuing_subword_prefix"`
		MaxWord int    `json:"max_input_chars_per_word"`
		Vocab   json.RawMessage
	}
	Added []struct {
		ID      int32
		Content string
		Special bool
	} `json:"added_tokens"`
}

// templateItem is a special token or one of the texts, "A" and "B".
type templateItem struct {
	SpecialToken, Sequence *struct {
		ID      string
		Segment int `json:"type_id"`
	}
}

// readPipeline reads tokenizer.json.
func readPipeline(files fs.FS) (d description, err error) {
	var p pipeline
	if err := readJSON(files, pipelineFile, &p); err != nil {
		return d, err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w; only BERT's WordPiece tokenizer is supported", pipelineFile, err)
		}
	}()
	m, n := p.Model, p.Normalizer
	switch {
	case m.Type != "WordPiece" && (m.Type != "" || m.Prefix == ""): // early files don't tell the type
		return d, fmt.Errorf("the model is %q", m.Type)
	case m.Prefix != prefix:
		return d, fmt.Errorf("the model's continuing_subword_prefix is %q, not %q", m.Prefix, prefix)
	case m.MaxWord != maxWord:
		return d, fmt.Errorf("the model's max_input_chars_per_word is %d, not %d", m.MaxWord, maxWord)
	case n.Type != "BertNormalizer":
		return d, fmt.Errorf("the normalizer is %q, not BertNormalizer", n.Type)
	case !n.CleanText:
		return d, errors.New("the normalizer's clean_text is off")
	case p.PreTokenizer.Type != "BertPreTokenizer":
		return d, fmt.Errorf("the pre_tokenizer is %q, not BertPreTokenizer", p.PreTokenizer.Type)
	}
	d = description{
		added: make(map[string]int32),
		form:  newForm(n.Lowercase, n.Strip, n.Ideographs),
		unk:   m.Unknown,
	}
	for _, a := range p.Added {
		if !a.Special {
			return d, fmt.Errorf("the added token %q is not a special one", a.Content)
		}
		d.added[a.Content] = a.ID
	}
	if d.cls, d.sep, err = p.around(); err != nil {
		return d, err
	}
	if err := json.Unmarshal(m.Vocab, &d.pieces); err != nil {
		return d, fmt.Errorf("model.vocab: %w", err)
	}
	return d, nil
}

// around finds the tokens that stand before and after a text. Of two texts the
// second follows the first, ends as it does, and is of segment 1: other ways are
// an error.
func (p *pipeline) around() (cls, sep string, err error) {
	post := p.PostProcessor
	switch post.Type {
	case "BertProcessing":
		if len(post.CLS) == 2 && len(post.SEP) == 2 {
			cls, _ = post.CLS[0].(string)
			sep, _ = post.SEP[0].(string)
		}
		return cls, sep, nil
	case "TemplateProcessing":
		if s := post.Single; len(s) == 3 && s[0].SpecialToken != nil && s[2].SpecialToken != nil {
			cls, sep = s[0].SpecialToken.ID, s[2].SpecialToken.ID
		}
		single := fmt.Sprintf("%s:0 $A:0 %s:0 ", cls, sep)
		pair := fmt.Sprintf("%s$B:1 %s:1 ", single, sep)
		if template(post.Single) != single || template(post.Pair) != pair {
			return "", "", fmt.Errorf("the post_processor makes %s and %s", template(post.Single), template(post.Pair))
		}
		return cls, sep, nil
	}
	return "", "", fmt.Errorf("the post_processor is %q, neither TemplateProcessing nor BertProcessing", post.Type)
}

// template writes a template as people do: "[CLS]:0 $A:0 [SEP]:0 ".
func template(items []templateItem) string {
	var b strings.Builder
	for _, item := range items {
		switch {
		case item.SpecialToken != nil:
			fmt.Fprintf(&b, "%s:%d ", item.SpecialToken.ID, item.SpecialToken.Segment)
		case item.Sequence != nil:
			fmt.Fprintf(&b, "$%s:%d ", item.Sequence.ID, item.Sequence.Segment)
		}
	}
	return b.String()
}

// tokenizerOptions is what counts in a tokenizer_config.json.
type tokenizerOptions struct {
	Class      string `json:"tokenizer_class"`
	Lowercase  bool   `json:"do_lower_case"`
	Strip      *bool  `json:"strip_accents"`
	Ideographs bool   `json:"tokenize_chinese_chars"`
	Basic      bool   `json:"do_basic_tokenize"`
	CLS        token  `json:"cls_token"`
	SEP        token  `json:"sep_token"`
	Unknown    token  `json:"unk_token"`
}

// token is a token's text, given as a string or as the content of an object.
type token string

// UnmarshalJSON reads both.
func (t *token) UnmarshalJSON(data []byte) error {
	var object struct{ Content string }
	if err := json.Unmarshal(data, &object); err == nil && object.Content != "" {
		*t = token(object.Content)
		return nil
	}
	return json.Unmarshal(data, (*string)(t))
}

// readVocabulary reads vocab.txt, in which the number of a piece is that of its
// line, from 0.
func readVocabulary(files fs.FS) (d description, err error) {
	data, err := readFile(files, vocabularyFile)
	if errors.Is(err, fs.ErrNotExist) {
		return d, fmt.Errorf("there is neither %s nor %s; a BERT has one of them", pipelineFile, vocabularyFile)
	}
	if err != nil {
		return d, err
	}
	o := tokenizerOptions{Lowercase: true, Ideographs: true, Basic: true, CLS: "[CLS]", SEP: "[SEP]", Unknown: "[UNK]"}
	if err := readOptional(files, optionsFile, &o); err != nil {
		return d, err
	}
	switch o.Class {
	case "", "BertTokenizer", "BertTokenizerFast", "DistilBertTokenizer", "DistilBertTokenizerFast":
	default:
		return d, fmt.Errorf("%s: the tokenizer is %s; with %s, only BertTokenizer is supported", optionsFile, o.Class, vocabularyFile)
	}
	if !o.Basic {
		return d, fmt.Errorf("%s: do_basic_tokenize is off; only tokenizers with it are supported", optionsFile)
	}
	if !utf8.Valid(data) {
		return d, fmt.Errorf("%s: it isn't UTF-8", vocabularyFile)
	}
	text := string(data)
	pieces := make(map[string]int32, strings.Count(text, "\n")+1)
	n := int32(0)
	for line := range strings.Lines(text) {
		pieces[strings.TrimRight(line, "\r\n")] = n
		n++
	}
	return description{
		pieces: pieces,
		form:   newForm(o.Lowercase, o.Strip, o.Ideographs),
		cls:    string(o.CLS),
		sep:    string(o.SEP),
		unk:    string(o.Unknown),
	}, nil
}

// newForm is a form in which accents go with capitals where nothing is said of them.
func newForm(lower bool, strip *bool, ideographs bool) form {
	f := form{lower: lower, strip: lower, ideographs: ideographs}
	if strip != nil {
		f.strip = *strip
	}
	return f
}
