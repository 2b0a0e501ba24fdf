// Package commandline has what the command lines of our programs share: a shell's code for their
// completion and their manual page, both made from the declared commands and flags, and times in days.
package commandline

import (
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// WriteCompletion writes the code for a shell: bash, zsh or fish. The user's shell reads the code:
//
//	source <(transcribe --completion bash)       # bash, and zsh with its name
//	transcribe --completion fish | source
//
// Home is the home of the user, for which the code writes ~ in the help of flags; empty means
// none.
func WriteCompletion(to io.Writer, shell string, model *kong.Application, home string) error {
	m := maker{help: model.HelpFlag, home: home}
	m.add("", model.Node)
	script := map[string]func(string, []command) string{"bash": bash, "zsh": zsh, "fish": fish}[shell]
	_, err := io.WriteString(to, script(model.Name, m.commands))
	return err
}

// command is the program, or one of its commands, in the form that shells need.
type command struct {
	path  string   // empty for the program, otherwise such as /keys/create
	inner []string // the names of its commands
	words []word   // the possible first arguments: a command, or a word with a meaning
	files bool     // arguments may be the names of files
	flags []flag
}

type word struct{ text, help string }

// flag is a flag in the form that shells need.
type flag struct {
	short, long string // with their dashes; short may be empty
	help        string
	value       bool     // it takes a value
	values      []string // the known values
	file        bool     // the value is the name of a file or folder
}

// maker collects the commands of a program.
type maker struct {
	help     *kong.Flag // --help, which every command has
	home     string
	commands []command
}

// add collects a command and the commands in it.
func (m *maker) add(path string, node *kong.Node) {
	c := command{path: path}
	declared := node.Flags
	if path != "" {
		declared = append([]*kong.Flag{m.help}, declared...)
	}
	if node.DefaultCmd != nil { // its name may be left out
		declared = append(slices.Clone(declared), node.DefaultCmd.Flags...)
	}
	for _, f := range declared {
		if !f.Hidden {
			c.flags = append(c.flags, m.flag(f))
		}
	}
	for _, child := range node.Children {
		if !child.Hidden {
			c.inner = append(c.inner, child.Name)
			c.words = append(c.words, word{child.Name, m.short(child.Help)})
		}
	}
	for _, argument := range node.Positional {
		c.words = append(c.words, argumentWords(argument)...)
		c.files = c.files || namesFile.MatchString(argument.Name)
	}
	m.commands = append(m.commands, c)
	for _, child := range node.Children {
		if !child.Hidden {
			m.add(path+"/"+child.Name, child)
		}
	}
}

// namesFile matches the names of arguments that are files or folders.
var namesFile = regexp.MustCompile(`(?i)file|folder|path`)

// argumentWords returns the possible words of an argument: the values of its enum, and the words of
// its tag "words", as in "list: Show what is there; add: Add an item".
func argumentWords(argument *kong.Positional) (words []word) {
	for _, value := range known(argument) {
		words = append(words, word{text: value})
	}
	for named := range strings.SplitSeq(argument.Tag.Get("words"), "; ") {
		if text, help, found := strings.Cut(named, ": "); found {
			words = append(words, word{text, help})
		}
	}
	return words
}

func (m *maker) flag(f *kong.Flag) flag {
	made := flag{
		long: "--" + f.Name, help: m.short(f.Help), value: !f.IsBool(), values: known(f.Value),
		file: slices.Contains([]string{"FILE", "PATH", "FOLDER"}, f.PlaceHolder),
	}
	if f.Tag.Negatable != "" {
		made.long, made.help = "--no-"+f.Name, "No "+strings.ToLower(made.help[:1])+made.help[1:]
	}
	if f.Short != 0 {
		made.short = "-" + string(f.Short)
	}
	return made
}

// known returns the values that a flag or an argument may have; nil means any.
func known(value *kong.Value) (values []string) {
	for _, v := range value.EnumSlice() {
		if v != "" {
			values = append(values, v)
		}
	}
	return values
}

// short returns the first sentence of a help.
func (m *maker) short(help string) string {
	first, _, _ := strings.Cut(strings.TrimSuffix(help, "."), ". ")
	if m.home != "" {
		first = strings.ReplaceAll(first, m.home+"/", "~/")
	}
	return first
}
