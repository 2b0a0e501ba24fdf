package transcribe

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// writeCompletion writes the shell code that completes the command, made from its flags:
//
//	source <(transcribe --completion bash)       # bash, and zsh with its name
//	transcribe --completion fish | source
func writeCompletion(to io.Writer, shell string, model *kong.Application) error {
	var flags []completed
	for _, f := range model.Flags {
		flags = append(flags, newCompleted(f))
	}
	script := map[string]func(string, []completed) string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}[shell]
	_, err := io.WriteString(to, script(model.Name, flags))
	return err
}

// completed is a flag in the form that shells need.
type completed struct {
	short, long string // with their dashes; short may be empty
	help        string
	value       bool     // it takes a value
	values      []string // the known values
	file        bool     // the value is the name of a file or folder
}

func newCompleted(f *kong.Flag) completed {
	help, _, _ := strings.Cut(strings.TrimSuffix(f.Help, "."), ". ") // the first sentence
	c := completed{long: "--" + f.Name, help: help, value: !f.IsBool()}
	if f.Tag.Negatable != "" {
		c.long, c.help = "--no-"+f.Name, "No "+strings.ToLower(c.help[:1])+c.help[1:]
	}
	if f.Short != 0 {
		c.short = "-" + string(f.Short)
	}
	for _, v := range f.EnumSlice() {
		if v != "" {
			c.values = append(c.values, v)
		}
	}
	c.file = slices.Contains([]string{"FILE", "PATH", "FOLDER"}, f.PlaceHolder)
	return c
}

func bashScript(name string, flags []completed) string {
	var cases, all strings.Builder
	for _, f := range flags {
		all.WriteString(f.long + " ")
		pattern := strings.TrimPrefix(f.short+"|"+f.long, "|")
		switch {
		case f.values != nil:
			fmt.Fprintf(&cases, "    %s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n", pattern, strings.Join(f.values, " "))
		case f.file:
			fmt.Fprintf(&cases, "    %s) return ;;\n", pattern) // bash then completes file names
		case f.value:
			fmt.Fprintf(&cases, "    %s) compopt +o default 2>/dev/null; return ;;\n", pattern)
		}
	}
	return fmt.Sprintf(`_%[1]s() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
    if [[ $cur == = ]]; then cur=
    elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
    COMPREPLY=()
    case $prev in
%[2]s    esac
    if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '%[3]s' -- "$cur"))
    elif [[ $COMP_CWORD == 1 ]]; then
        mapfile -t COMPREPLY < <(compgen -f -W '%[4]s' -- "$cur")
        compopt -o filenames 2>/dev/null
    fi
}
complete -o default -F _%[1]s %[1]s
`, name, cases.String(), strings.TrimSpace(all.String()), searchWord+" "+followWord)
}

func zshScript(name string, flags []completed) string {
	quoted := strings.NewReplacer("'", `'\''`, "[", `\[`, "]", `\]`)
	var specs strings.Builder
	for _, f := range flags {
		action := ""
		switch {
		case f.values != nil:
			action = ":value:(" + strings.Join(f.values, " ") + ")"
		case f.file:
			action = ":file:_files"
		case f.value:
			action = ":value: "
		}
		short, long := f.short, f.long
		if f.value { // a value may follow, with and without a blank
			short, long = short+"+", long+"="
		}
		if f.short != "" {
			fmt.Fprintf(&specs, "        '*%s[%s]%s' \\\n", short, quoted.Replace(f.help), action)
		}
		fmt.Fprintf(&specs, "        '*%s[%s]%s' \\\n", long, quoted.Replace(f.help), action)
	}
	return fmt.Sprintf(`#compdef %[1]s
_%[1]s() {
    _arguments -s \
%[2]s        '1: :_alternative "words:word:(%[3]s)" "files:link or file:_files"' \
        '*:link or file:_files'
}
if [[ $funcstack[1] == _%[1]s ]]; then _%[1]s "$@"; else compdef _%[1]s %[1]s; fi
`, name, specs.String(), searchWord+" "+followWord)
}

func fishScript(name string, flags []completed) string {
	quoted := strings.NewReplacer(`\`, `\\`, "'", `\'`)
	var script strings.Builder
	fmt.Fprintf(&script, "complete -c %s -n __fish_is_first_arg -a %s -d 'Search the saved texts'\n", name, searchWord)
	fmt.Fprintf(&script, "complete -c %s -n __fish_is_first_arg -a %s -d 'Follow a channel, a playlist or a feed'\n", name, followWord)
	for _, f := range flags {
		fmt.Fprintf(&script, "complete -c %s", name)
		if f.short != "" {
			fmt.Fprintf(&script, " -s %s", f.short[1:])
		}
		fmt.Fprintf(&script, " -l %s", f.long[2:])
		switch {
		case f.values != nil:
			fmt.Fprintf(&script, " -x -a '%s'", strings.Join(f.values, " "))
		case f.file:
			script.WriteString(" -r")
		case f.value:
			script.WriteString(" -x")
		}
		fmt.Fprintf(&script, " -d '%s'\n", quoted.Replace(f.help))
	}
	return script.String()
}
