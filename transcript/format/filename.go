package format

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// longestName is the largest number of bytes in a name. With a number before it and an
// extension after it, a name stays far below the limits of file systems.
const longestName = 80

// FileName returns a name for a file of t, without an extension. The name is the title in
// lower case: its letters and digits, of any script, with "-" between the words. If there
// is no title, the name is the external id, otherwise "transcript". The name has at most
// 80 bytes and is safe on every file system: it has no separator, no dot and no invisible
// character, and is not a reserved name of Windows. Two transcripts may have the same
// name.
func FileName(t *transcript.Transcript) string {
	name := slug(strings.ToLower(known(t.Title)))
	if name == "" {
		name = slug(t.ExternalID)
	}
	switch {
	case name == "":
		return "transcript"
	case isDevice(name):
		return name + "_"
	}
	return name
}

// slug is s with a "-" in place of every run of characters that are neither letters nor
// digits nor "_".
func slug(s string) string {
	out := make([]byte, 0, longestName)
	letter := 0      // where the last letter begins; marks may follow it
	pending := false // a "-"
	for _, r := range s {
		switch {
		case invisible(r):
			continue
		case unicode.IsMark(r):
			if len(out) == 0 || pending {
				continue // it has no letter
			}
		case r == '_', unicode.IsLetter(r) && r != utf8.RuneError, unicode.IsDigit(r):
			letter = len(out)
			if pending {
				out, pending = append(out, '-'), false
			}
		default:
			pending = len(out) > 0
			continue
		}
		if len(out)+utf8.RuneLen(r) > longestName {
			out = out[:letter] // a letter is never separated from its marks
			break
		}
		out = utf8.AppendRune(out, r)
	}
	return string(out)
}

// invisible reports whether r is a letter or a mark that shows nothing.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// isDevice reports whether Windows treats the name as a device, with any extension.
func isDevice(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case "con", "prn", "aux", "nul":
		return true
	}
	port := strings.HasPrefix(name, "com") || strings.HasPrefix(name, "lpt")
	return port && len(name) == 4 && '0' <= name[3] && name[3] <= '9'
}
