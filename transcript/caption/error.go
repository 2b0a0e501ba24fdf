package caption

import (
	"errors"
	"fmt"
	"strings"
)

// maxBlock bounds, in bytes, one line, tag or other piece of a file and the text
// of one cue. A spoken line has some hundred.
const maxBlock = 1 << 20

// ErrTooLarge is wrapped by the error about a line, a tag, a cue's text or another
// piece of 1 MiB or more that a reader must hold in memory. Reading stops there,
// because skipping the piece would silently lose text.
var ErrTooLarge = errors.New("1 MiB or more in one piece")

// FormatError reports input that is not in the format at all, such as a web page, an
// empty body or another caption format. It has no cues.
type FormatError struct {
	Format Format // the expected format; empty in errors of Any and ReadAny
	Head   string // the beginning of the input, at most 32 bytes; empty if there is no input
}

// Error returns the name of the format, or the names of all formats, and the beginning
// of the input.
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
