package commandline

import (
	"fmt"
	"strings"
)

func bash(name string, commands []command) string {
	paths := []string{"''"} // a pattern that no word matches
	var cases strings.Builder
	for _, c := range commands {
		if c.path != "" {
			paths = append(paths, c.path)
		}
		fmt.Fprintf(&cases, "    '%s')\n%s", c.path, bashCommand(c))
	}
	return fmt.Sprintf(`_%[1]s() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
    if [[ $cur == = ]]; then cur=
    elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
    local word command= first=1 # first: nothing stands between the command and the cursor
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case $command/$word in
        %[2]s) command+=/$word first=1 ;;
        *) first= ;;
        esac
    done
    local words= flags= files=
    COMPREPLY=()
    case $command in
%[3]s    esac
    [[ $first ]] || words=
    if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$cur"))
    elif [[ ! $files ]]; then
        compopt +o default 2>/dev/null
        COMPREPLY=($(compgen -W "$words" -- "$cur"))
    elif [[ $words ]]; then
        mapfile -t COMPREPLY < <(compgen -f -W "$words" -- "$cur")
        compopt -o filenames 2>/dev/null
    fi
}
complete -o default -F _%[1]s %[1]s
`, name, strings.Join(paths, "|"), cases.String())
}

// bashCommand returns the code for the words after a command. If a value of a flag comes next,
// the code completes the value and returns.
func bashCommand(c command) string {
	var values strings.Builder
	var flags, words []string
	for _, f := range c.flags {
		flags = append(flags, f.long)
		pattern := strings.TrimPrefix(f.short+"|"+f.long, "|")
		switch {
		case f.values != nil:
			fmt.Fprintf(&values, "        %s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n", pattern, strings.Join(f.values, " "))
		case f.file:
			fmt.Fprintf(&values, "        %s) return ;;\n", pattern) // bash then completes file names
		case f.value:
			fmt.Fprintf(&values, "        %s) compopt +o default 2>/dev/null; return ;;\n", pattern)
		}
	}
	for _, w := range c.words {
		words = append(words, w.text)
	}
	files := ""
	if c.files {
		files = "1"
	}
	return fmt.Sprintf("        words='%s' files=%s\n        flags='%s'\n        case $prev in\n%s        esac ;;\n",
		strings.Join(words, " "), files, strings.Join(flags, " "), values.String())
}
