// Package plain puts errors into words for people at a terminal: what is wrong, and what to do
// about it, without the internal texts of libraries.
package plain

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

// reworded are the parser's texts about a value, and the words for people.
var reworded = []struct {
	text  *regexp.Regexp
	words string
}{
	{regexp.MustCompile(`^missing flags: (.*)$`), "missing $1"},
	{regexp.MustCompile(`^(?:missing positional arguments|expected) "?(<[^"]*>)"?$`), "missing $1"},
	{regexp.MustCompile(`^[a-z ]+: (--)`), "$1"}, // the path of the command, before the fault that the command has found
	{regexp.MustCompile(`must be one of "",`), "must be one of "},
	{regexp.MustCompile(`expected duration but got ("(?:[^"\\]|\\.)*").*`), "$1 is no duration, such as 30s or 5m"},
	{regexp.MustCompile(`expected an? (?:valid \d+ bit )?u?int but got ("(?:[^"\\]|\\.)*").*`), "$1 is no whole number"},
	{regexp.MustCompile(`expected a float but got ("(?:[^"\\]|\\.)*").*`), "$1 is no number"},
	{regexp.MustCompile(`bool value must be .* but got ("(?:[^"\\]|\\.)*")`), "$1 is neither true nor false"},
	{regexp.MustCompile(`expected \S+ value but got .*; perhaps try (.*)\?$`), "its value is missing, did you mean $1?"},
	{regexp.MustCompile(`expected \S+ value but got .*`), "its value is missing"},
}

// structural begins the texts about a call whose parts do not fit together. Only the help of
// the command shows what fits.
var structural = regexp.MustCompile(`^(unknown flag|unexpected|missing|--[a-z-]+: its value is missing)`)

// Call describes a wrong call in words. The error is the parser's. Call names the command whose
// help shows the right call, unless the error itself says what is wanted.
func Call(err error) string {
	text := Words(err)
	for _, r := range reworded {
		text = r.text.ReplaceAllString(text, r.words)
	}
	var wrong *kong.ParseError
	if !structural.MatchString(text) || !errors.As(err, &wrong) {
		return text
	}
	command := wrong.Context.Model.Name
	if selected := wrong.Context.Selected(); selected != nil {
		command = selected.FullPath()
	}
	if !strings.HasSuffix(text, "?") {
		text += ":"
	}
	return fmt.Sprintf("%s %q shows what there is", text, command+" --help")
}
