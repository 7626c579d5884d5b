package encoder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// config is what the files of a model say of it.
type config struct {
	Type           string  `json:"model_type"`
	Hidden         int     `json:"hidden_size"`
	Layers         int     `json:"num_hidden_layers"`
	AttentionHeads int     `json:"num_attention_heads"`
	Intermediate   int     `json:"intermediate_size"`
	Positions      int     `json:"max_position_embeddings"`
	Segments       int     `json:"type_vocab_size"`
	Words          int     `json:"vocab_size"`
	Epsilon        float32 `json:"layer_norm_eps"`
	Activation     string  `json:"hidden_act"`
	PositionScheme string  `json:"position_embedding_type"`

	maxTokens     int    // of a window, special tokens included
	poolFirst     bool   // an embedding is the vector of [CLS], not the mean of all
	queryPrompt   string // stands before each question
	passagePrompt string // and before each passage
}

// sizeUnit divides all sizes of the models that are supported: the kernels work on
// panels of so many numbers. Every BERT in use for retrieval has such sizes.
const sizeUnit = 32

// minTokens is the shortest window, special tokens included.
const minTokens = 8

// readConfig reads config.json, and where there are any, the files in which
// sentence-transformers says how a text becomes one vector.
func readConfig(files fs.FS) (c config, err error) {
	c = config{Epsilon: 1e-12, Activation: "gelu", PositionScheme: "absolute", Segments: 2}
	if err := readJSON(files, "config.json", &c); err != nil {
		return c, err
	}
	if err := c.valid(); err != nil {
		return c, fmt.Errorf("config.json: %w", err)
	}
	c.maxTokens = c.Positions
	if err := c.readSentence(files); err != nil {
		return c, err
	}
	return c, nil
}

func (c *config) valid() error {
	switch {
	case c.Type != "bert":
		return fmt.Errorf("the model is of the type %q; only BERT models are supported (all-MiniLM, bge, e5 and gte in their English sizes are such)", c.Type)
	case c.Activation != "gelu":
		return fmt.Errorf("the activation is %q; only gelu is supported", c.Activation)
	case c.PositionScheme != "absolute":
		return fmt.Errorf("the position embeddings are %q; only absolute ones are supported", c.PositionScheme)
	case c.Layers < 1 || c.Layers > 96 || c.Positions < minTokens || c.Words < 1 || c.Segments < 1 || !(c.Epsilon > 0):
		return errors.New("a size is missing or out of range")
	case c.Hidden < sizeUnit || c.Hidden > 1<<14 || c.Intermediate < sizeUnit || c.Intermediate > 1<<16 || c.AttentionHeads < 1:
		return errors.New("a size is missing or out of range")
	case c.Hidden%c.AttentionHeads != 0 || c.Hidden/c.AttentionHeads%sizeUnit != 0 || c.Intermediate%sizeUnit != 0:
		return fmt.Errorf("hidden size %d, %d heads and intermediate size %d: the sizes, and the hidden size by heads, must be multiples of %d",
			c.Hidden, c.AttentionHeads, c.Intermediate, sizeUnit)
	}
	return nil
}

// readSentence reads the files of sentence-transformers.
func (c *config) readSentence(files fs.FS) error {
	var sentence struct {
		Max int `json:"max_seq_length"`
	}
	if err := readOptional(files, "sentence_bert_config.json", &sentence); err != nil {
		return err
	}
	if sentence.Max != 0 && sentence.Max < minTokens {
		return fmt.Errorf("sentence_bert_config.json: max_seq_length is %d, and a window needs %d tokens", sentence.Max, minTokens)
	}
	if sentence.Max > 0 {
		c.maxTokens = min(c.maxTokens, sentence.Max)
	}
	var modules []struct{ Type string }
	if err := readOptional(files, "modules.json", &modules); err != nil {
		return err
	}
	for _, m := range modules {
		switch kind := m.Type[strings.LastIndexByte(m.Type, '.')+1:]; kind {
		case "Transformer", "Pooling", "Normalize":
		default:
			return fmt.Errorf("modules.json: the model has a module %q; only Transformer, Pooling and Normalize are supported", kind)
		}
	}
	var pooling map[string]any
	if err := readOptional(files, "1_Pooling/config.json", &pooling); err != nil {
		return err
	}
	var modes []string
	for mode, on := range pooling {
		if on == true && strings.HasPrefix(mode, "pooling_mode_") {
			modes = append(modes, strings.TrimPrefix(mode, "pooling_mode_"))
		}
	}
	switch slices.Sort(modes); strings.Join(modes, " and ") {
	case "", "mean_tokens":
	case "cls_token":
		c.poolFirst = true
	default:
		return fmt.Errorf("1_Pooling/config.json: the pooling mode %s is not supported; mean_tokens or cls_token is", strings.Join(modes, " and "))
	}
	var prompts struct {
		Prompts map[string]string `json:"prompts"`
	}
	if err := readOptional(files, "config_sentence_transformers.json", &prompts); err != nil {
		return err
	}
	c.queryPrompt, c.passagePrompt = prompts.Prompts["query"], prompts.Prompts["document"]
	if c.passagePrompt == "" {
		c.passagePrompt = prompts.Prompts["passage"]
	}
	return nil
}

func readJSON(files fs.FS, name string, v any) error {
	data, err := readFile(files, name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no %s; name the folder of a model, with config.json, tokenizer.json and %s", name, weightsFile)
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// readFile reads a regular file: a pipe in a folder would never end.
func readFile(files fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(files, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", name)
	}
	return fs.ReadFile(files, name)
}

// readOptional is readJSON for a file that need not be there.
func readOptional(files fs.FS, name string, v any) error {
	if _, err := fs.Stat(files, name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return readJSON(files, name, v)
}
