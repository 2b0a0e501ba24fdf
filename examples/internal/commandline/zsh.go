package commandline

import (
	"fmt"
	"strings"
)

// zsh has a function for the program and for each of its commands.
func zsh(name string, commands []command) string {
	var functions strings.Builder
	for _, c := range commands {
		function := "_" + name + strings.ReplaceAll(c.path, "/", "_")
		fmt.Fprintf(&functions, "%s() {\n", function)
		if c.inner != nil {
			functions.WriteString("    local curcontext=$curcontext state line\n    typeset -A opt_args\n")
		}
		fmt.Fprintf(&functions, "    _arguments -s -C%s\n", zshSpecs(c))
		if c.inner != nil {
			functions.WriteString("    [[ $state == inner ]] && case $words[1] in\n")
			for _, inner := range c.inner {
				fmt.Fprintf(&functions, "    %s) %s_%s ;;\n", inner, function, inner)
			}
			functions.WriteString("    esac\n")
		}
		functions.WriteString("}\n")
	}
	return fmt.Sprintf("#compdef %[1]s\n%[2]sif [[ $funcstack[1] == _%[1]s ]]; then _%[1]s \"$@\"; else compdef _%[1]s %[1]s; fi\n", name, functions.String())
}

// zshSpecs returns the arguments of _arguments, one in each line.
func zshSpecs(c command) string {
	quoted := strings.NewReplacer("'", `'\''`, "[", `\[`, "]", `\]`)
	var specs strings.Builder
	add := func(format string, args ...any) { fmt.Fprintf(&specs, " \\\n        '"+format+"'", args...) }
	for _, f := range c.flags {
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
			add("*%s[%s]%s", short, quoted.Replace(f.help), action)
		}
		add("*%s[%s]%s", long, quoted.Replace(f.help), action)
	}
	var words []string
	for _, w := range c.words {
		words = append(words, w.text)
	}
	switch first := strings.Join(words, " "); {
	case c.files && words != nil:
		add(`1: :_alternative "words:word:(%s)" "files:file:_files"`, first)
	case words != nil:
		add("1: :(%s)", first)
	}
	switch {
	case c.inner != nil:
		add("*:: :->inner")
	case c.files:
		add("*:file:_files")
	default: // flags may come after other arguments
		add("*:argument:()")
	}
	return specs.String()
}
