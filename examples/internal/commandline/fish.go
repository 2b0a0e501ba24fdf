package commandline

import (
	"fmt"
	"strings"
)

// fish asks a function of the script which command stands before the cursor.
func fish(name string, commands []command) string {
	var paths []string
	for _, c := range commands {
		paths = append(paths, c.path)
	}
	var script strings.Builder
	fmt.Fprintf(&script, `function __%[1]s_at
    set -l at
    set -l first 1
    for word in (commandline -opc)[2..]
        set first 0
        if contains -- "$at/$word"%[2]s
            set at "$at/$word"
            set first 1
        end
    end
    test "$at" = "$argv[1]"; and test $first -ge "$argv[2]"
end
`, name, strings.Join(paths, " "))
	for _, c := range commands {
		line := func(first int, rest string) {
			fmt.Fprintf(&script, "complete -c %s -n '__%s_at \"%s\" %d'%s\n", name, name, c.path, first, rest)
		}
		if !c.files {
			line(0, " -f")
		}
		for _, w := range c.words {
			line(1, " -a "+w.text+fishHelp(w.help))
		}
		for _, f := range c.flags {
			line(0, fishFlag(f))
		}
	}
	return script.String()
}

func fishFlag(f flag) string {
	options := ""
	if f.short != "" {
		options = " -s " + f.short[1:]
	}
	options += " -l " + f.long[2:]
	switch {
	case f.values != nil:
		options += " -x -a '" + strings.Join(f.values, " ") + "'"
	case f.file:
		options += " -r"
	case f.value:
		options += " -x"
	}
	return options + fishHelp(f.help)
}

func fishHelp(help string) string {
	if help == "" {
		return ""
	}
	return " -d '" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(help) + "'"
}
