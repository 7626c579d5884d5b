package main

import (
	"context"
	"embed"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/assay-rag/assay/index"
)

// completeCommand is the hidden command that the completion scripts call with
// the words of the line up to the cursor.
const completeCommand = "__complete"

//go:embed completion
var completionScripts embed.FS

// completionCmd prints a completion script.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: ${enum}."`
}

// Help teaches by example.
func (completionCmd) Help() string {
	return `Commands, flags, their values, files, and the names of documents and collections are completed.

To try it:

    source <(assay completion bash)
    source <(assay completion zsh)
    assay completion fish | source

To keep it:

    assay completion bash > ~/.local/share/bash-completion/completions/assay
    assay completion zsh > ~/.zfunc/_assay      # a folder in $fpath
    assay completion fish > ~/.config/fish/completions/assay.fish`
}

// Run prints the script.
func (c *completionCmd) Run(e env) error {
	script, err := completionScripts.ReadFile("completion/assay." + c.Shell)
	if err != nil {
		return err
	}
	_, err = e.stdout.Write(script)
	return err
}

// The kinds of reply to a completion script.
const (
	replyWords = "words" // the candidates follow, one a line: the word, a tab, what it means
	replyFiles = "files" // the shell knows files
	replyDirs  = "dirs"
)

// complete answers a completion script. What can't be completed has no
// candidates; that is never an error.
func complete(ctx context.Context, e env, words []string) {
	if len(words) == 0 {
		words = []string{""}
	}
	l := readLineSoFar(newParser(e).Model.Node, words[:len(words)-1])
	kind, candidates := l.candidates(ctx, e, words[len(words)-1])
	fmt.Fprintln(e.stdout, kind)
	for _, c := range candidates {
		fmt.Fprintf(e.stdout, "%s\t%s\n", cleanLine(c.word), cleanLine(c.means))
	}
}

// candidate is a word that may stand at the cursor.
type candidate struct{ word, means string }

// lineSoFar is what the words before the cursor come to.
type lineSoFar struct {
	root, node *kong.Node
	arguments  int        // positional ones so far
	pending    *kong.Flag // its value comes next
	source     source     // where documents and collections are looked up
}

func readLineSoFar(root *kong.Node, words []string) *lineSoFar {
	l := &lineSoFar{root: root, node: root}
	for _, w := range words {
		switch {
		case w == "=" && l.pending != nil: // bash cuts --flag=value in three
		case l.pending != nil:
			l.note(l.pending.Name, w)
			l.pending = nil
		case strings.HasPrefix(w, "-") && w != "-":
			name, value, given := strings.Cut(w, "=")
			flag := l.flag(name)
			switch {
			case flag == nil || flag.IsBool():
			case given:
				l.note(flag.Name, value)
			default:
				l.pending = flag
			}
		default:
			if child := l.child(w); child != nil {
				l.node = child
			} else {
				l.arguments++
			}
		}
	}
	return l
}

// note keeps what says which index is meant.
func (l *lineSoFar) note(flag, value string) {
	switch flag {
	case "docs":
		l.source.Docs = value
	case "index":
		l.source.Index = value
	case "collection":
		l.source.Collection = value
	}
}

func (l *lineSoFar) child(name string) *kong.Node {
	for _, c := range l.node.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// flags are those that may stand here.
func (l *lineSoFar) flags() (flags []*kong.Flag) {
	for _, group := range l.node.AllFlags(true) {
		flags = append(flags, group...)
	}
	return flags
}

func (l *lineSoFar) flag(word string) *kong.Flag {
	for _, f := range l.flags() {
		if word == "--"+f.Name || f.Short != 0 && word == "-"+string(f.Short) {
			return f
		}
	}
	return nil
}

// candidates are the words that may stand at the cursor and begin as current.
func (l *lineSoFar) candidates(ctx context.Context, e env, current string) (kind string, out []candidate) {
	if current == "=" && l.pending != nil {
		current = ""
	}
	name, value, assigned := strings.Cut(current, "=")
	switch {
	case l.pending != nil:
		return l.values(ctx, e, l.pending.Value, "", current)
	case strings.HasPrefix(current, "--") && assigned:
		if f := l.flag(name); f != nil {
			return l.values(ctx, e, f.Value, name+"=", value)
		}
	case strings.HasPrefix(current, "-"):
		for _, f := range l.flags() {
			out = append(out, candidate{"--" + f.Name, f.Help})
		}
	case len(l.node.Children) > 0:
		out = commands(l.node)
	case len(l.node.Positional) > 0:
		last := len(l.node.Positional) - 1
		if l.arguments > last && !l.node.Positional[last].IsCumulative() {
			return replyWords, nil
		}
		return l.values(ctx, e, l.node.Positional[min(l.arguments, last)], "", current)
	}
	return replyWords, beginningWith(current, out)
}

func commands(n *kong.Node) (out []candidate) {
	for _, c := range n.Children {
		if !c.Hidden {
			out = append(out, candidate{c.Name, c.Help})
		}
	}
	return out
}

// values are the candidates for a flag's value or an argument: those it names
// itself, or those of the kind in its tag "complete".
func (l *lineSoFar) values(ctx context.Context, e env, v *kong.Value, before, current string) (kind string, out []candidate) {
	switch what := v.Tag.Get("complete"); {
	case v.Enum != "":
		for _, word := range v.EnumSlice() {
			out = append(out, candidate{word, ""})
		}
	case what == "dir":
		return replyDirs, nil
	case what == "file":
		return replyFiles, nil
	case what == "command":
		out = commands(l.root)
	case what == "encoder":
		out = []candidate{{encoderBuiltin, "the model in the program"}, {encoderOff, "words alone"}}
		if len(beginningWith(current, out)) == 0 {
			return replyDirs, nil
		}
	case what == "evaluator":
		out = []candidate{{evaluatorBuiltin, "the network in the program, and words"}, {evaluatorWords, "words alone"}}
		if len(beginningWith(current, out)) == 0 {
			return replyDirs, nil
		}
	case what == "document", v.Name == "collection":
		out = l.indexed(ctx, e, what == "document")
	}
	out = beginningWith(current, out)
	for i := range out {
		out[i].word = before + out[i].word
	}
	return replyWords, out
}

// maxCandidates is how many documents a shell is bothered with.
const maxCandidates = 500

// indexed are the documents of the index that is meant, or its collections. A
// folder isn't indexed for this.
func (l *lineSoFar) indexed(ctx context.Context, e env, documents bool) (out []candidate) {
	shelf, err := e.openAsIs(ctx, l.source, &index.Options{ReadOnly: true})
	if err != nil {
		return nil
	}
	defer shelf.Close()
	if !documents {
		names, _ := shelf.Collections(ctx) // none, where it can't be read
		for _, n := range names {
			out = append(out, candidate{n, ""})
		}
		return out
	}
	entries, _ := shelf.Documents(ctx, l.source.collection())
	for _, d := range entries[:min(maxCandidates, len(entries))] {
		out = append(out, candidate{d.ID, d.Title})
	}
	return out
}

func beginningWith(prefix string, all []candidate) (out []candidate) {
	for _, c := range all {
		if strings.HasPrefix(c.word, prefix) {
			out = append(out, c)
		}
	}
	return out
}
