package ingest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// maxFront bounds front matter, in bytes; a longer one is text.
const (
	maxFront = 64 << 10
	maxTOML  = 16 << 10
)

// key is what a key of front matter looks like. A line such as "Please note:
// ..." between two thematic breaks is text.
var key = lazily(`^[\pL_][\pL\pN_.:/-]{0,63}$`)

// frontMatter splits a text into the metadata at its beginning (YAML between
// lines "---" or TOML between lines "+++") and the rest. Keys are in lower case,
// those of nested mappings joined with dots, lists joined with ", ", numbers as
// they are written. What isn't valid front matter stays in the text.
func frontMatter(s string) (map[string]string, string) {
	fence := "---"
	if strings.HasPrefix(s, "+++") {
		fence = "+++"
	}
	body, rest, ok := fenced(s, fence)
	if !ok {
		return nil, s
	}
	meta := make(map[string]string)
	if fence == "+++" {
		ok = readTOML(body, meta)
	} else {
		ok = readYAML(body, meta)
	}
	if !ok || len(meta) == 0 {
		return nil, s
	}
	return meta, rest
}

// fenced returns what stands between the fence, which is the first line, and
// the line that closes it.
func fenced(s, fence string) (body, rest string, ok bool) {
	first, after, found := strings.Cut(s, "\n")
	if !found || strings.TrimRight(first, " \t") != fence {
		return "", "", false
	}
	for at := 0; at < min(len(after), maxFront); {
		line, _, _ := strings.Cut(after[at:], "\n")
		next := min(at+len(line)+1, len(after))
		switch trimmed := strings.TrimRight(line, " \t"); {
		case at == 0 && trimmed == "":
			return "", "", false // a thematic break
		case trimmed == fence || fence == "---" && trimmed == "...":
			return after[:at], after[next:], true
		}
		at = next
	}
	return "", "", false
}

// readYAML reads the syntax tree rather than values: numbers keep their digits
// (version 1.10), and aliases, which could expand to anything, are refused. The
// parser is not ours and has failed on hostile input; then this is text.
func readYAML(body string, meta map[string]string) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	if deepFlow(body) {
		return false
	}
	f, err := parser.ParseBytes([]byte(body), 0, parser.AllowDuplicateMapKey())
	if err != nil || len(f.Docs) != 1 {
		return false
	}
	return yamlMapping(f.Docs[0].Body, "", meta)
}

// deepFlow tells whether brackets, or lists on one line, nest deeper than any
// front matter needs.
func deepFlow(s string) bool {
	for line := range strings.Lines(s) {
		if len(line)-len(strings.TrimLeft(line, "-? ")) > 64 {
			return true
		}
	}
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '[', '{':
			if depth++; depth > 16 {
				return true
			}
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	return false
}

func yamlMapping(n ast.Node, prefix string, meta map[string]string) bool {
	var values []*ast.MappingValueNode
	switch n := n.(type) {
	case *ast.MappingNode:
		values = n.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{n}
	default:
		return false
	}
	for _, v := range values {
		k := yamlScalar(v.Key)
		if !key().MatchString(k) {
			return false
		}
		k = prefix + strings.ToLower(k)
		if !yamlValue(v.Value, k, meta) {
			return false
		}
	}
	return true
}

func yamlValue(n ast.Node, k string, meta map[string]string) bool {
	switch n := n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return yamlMapping(n, k+".", meta)
	case *ast.SequenceNode:
		return yamlSequence(n, k, meta)
	case *ast.AliasNode, *ast.AnchorNode, *ast.MergeKeyNode:
		return false
	case *ast.NullNode, nil:
		return true
	case *ast.TagNode:
		return yamlValue(n.Value, k, meta)
	}
	if s := yamlScalar(n); s != "" {
		meta[k] = s
	}
	return true
}

func yamlSequence(n *ast.SequenceNode, k string, meta map[string]string) bool {
	var items []string
	for i, v := range n.Values {
		if s := yamlScalar(v); s != "" {
			items = append(items, s)
		} else if !yamlValue(v, fmt.Sprintf("%s.%d", k, i), meta) {
			return false
		}
	}
	if len(items) > 0 {
		meta[k] = strings.Join(items, ", ")
	}
	return true
}

// yamlScalar returns a scalar as it is written, and "" for all else.
func yamlScalar(n ast.Node) string {
	switch n := n.(type) {
	case *ast.StringNode:
		return strings.TrimSpace(n.Value)
	case *ast.LiteralNode:
		return strings.TrimSpace(n.Value.Value)
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value
	}
	return ""
}

func readTOML(body string, meta map[string]string) bool {
	if deepFlow(body) || len(body) > maxTOML || slices.ContainsFunc(strings.Split(body, "\n"), deepKey) {
		return false
	}
	var m map[string]any
	if _, err := toml.Decode(body, &m); err != nil {
		return false
	}
	tomlValues(m, "", meta)
	return true
}

// deepKey tells whether a line begins with a key of many parts, in which the
// parser is quadratic.
func deepKey(line string) bool {
	k, _, _ := strings.Cut(line, "=")
	return strings.Count(k, ".") > 16
}

func tomlValues(m map[string]any, prefix string, meta map[string]string) {
	for k, v := range m {
		k = prefix + strings.ToLower(k)
		switch v := v.(type) {
		case map[string]any:
			tomlValues(v, k+".", meta)
		case []any:
			var items []string
			for _, item := range v {
				items = append(items, tomlScalar(item))
			}
			meta[k] = strings.Join(slices.DeleteFunc(items, func(s string) bool { return s == "" }), ", ")
		default:
			meta[k] = tomlScalar(v)
		}
	}
}

func tomlScalar(v any) string {
	switch v := v.(type) {
	case time.Time:
		return v.Format(time.RFC3339)
	case map[string]any, []any, []map[string]any:
		return ""
	}
	return strings.TrimSpace(fmt.Sprint(v))
}
