package intake

import (
	"path"
	"strings"
	"unicode"
)

// maxTitle is the longest title of an upload, in characters.
const maxTitle = 200

// uploadTitle makes a title of the file name that came with an upload: without
// folders (of either kind of system) and extension, without control characters
// and those that turn the direction of writing, at most maxTitle characters. It is
// empty when nothing is left to read.
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

// withoutExtension leaves a name alone that begins with its only dot, and takes
// what holds a space for a part of the name: "1. Introduction".
func withoutExtension(name string) string {
	ext := path.Ext(name)
	if len(ext) == len(name) || strings.ContainsRune(ext, ' ') {
		return name
	}
	return strings.TrimSuffix(name, ext)
}

// printable drops, for strings.Map, what must not stand in a title.
func printable(r rune) rune {
	if unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
		return -1
	}
	return r
}
