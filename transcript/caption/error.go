package caption

import (
	"errors"
	"fmt"
	"strings"
)

// maxBlock bounds, in bytes, one line, tag or other piece of a file and the text
// of one cue. A spoken line has some hundred.
const maxBlock = 1 << 20

// ErrTooLarge is wrapped by the error about a line, a tag, a cue's text or what
// else a format has to read in one piece, when it is of 1 MiB or more. Reading
// stops there: to skip it would lose text in silence.
var ErrTooLarge = errors.New("1 MiB or more in one piece")

// FormatError says that the input is not a file of the format at all: a web page
// in its place, an empty body, another caption format. Nothing was read from it.
type FormatError struct {
	Format Format // the one that was expected; none when any was
	Head   string // how the input begins, at most 32 bytes; empty when there is no input
}

// Error names the format, or those that can be read, and shows how the input
// begins.
func (e *FormatError) Error() string {
	expected := string(e.Format)
	if e.Format == "" {
		var names []string
		for _, f := range formats() {
			names = append(names, string(f))
		}
		expected = "any of " + strings.Join(names, ", ")
	}
	if e.Head == "" {
		return fmt.Sprintf("caption: not %s: the input is empty", expected)
	}
	return fmt.Sprintf("caption: not %s: the input begins with %q", expected, e.Head)
}
