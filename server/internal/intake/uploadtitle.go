package intake

import (
	"path"
	"strings"
	"unicode"
)

// maxTitle is the longest title of an upload, in characters.
const maxTitle = 200

// uploadTitle makes a title from the file name of an upload: without folders (of any
// operating system), extension, control characters and characters that change the writing
// direction, in at most maxTitle characters. It is empty if no character is left.
func uploadTitle(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(printable, strings.ToValidUTF8(name, "\uFFFD"))
	name = strings.TrimSpace(withoutExtension(strings.TrimSpace(name)))
	if strings.Trim(name, ".") == "" {
		return ""
	}
	if runes := []rune(name); len(runes) > maxTitle {
		name = strings.TrimSpace(string(runes[:maxTitle]))
	}
	return name
}

// withoutExtension keeps a name that begins with its only dot. A part with a space is not
// an extension: "1. Introduction".
func withoutExtension(name string) string {
	ext := path.Ext(name)
	if len(ext) == len(name) || strings.ContainsRune(ext, ' ') {
		return name
	}
	return strings.TrimSuffix(name, ext)
}

// printable drops, for strings.Map, the characters that a title must not contain.
func printable(r rune) rune {
	if unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
		return -1
	}
	return r
}
