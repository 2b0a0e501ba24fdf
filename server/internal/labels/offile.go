package labels

import (
	"path"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/legible"
)

// maxFileTitle is the longest title that is made from the name of a file, in characters.
const maxFileTitle = 200

// OfFile makes a title from the name of a file: without folders (of any operating system),
// extension, control characters and characters that change the writing direction, in at most
// maxFileTitle characters. It is empty if no character is left.
func OfFile(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(printable, strings.ToValidUTF8(name, "\uFFFD"))
	name = strings.TrimSpace(withoutExtension(strings.TrimSpace(name)))
	if strings.Trim(name, ".") == "" {
		return ""
	}
	if runes := []rune(name); len(runes) > maxFileTitle {
		name = strings.TrimSpace(string(runes[:maxFileTitle]))
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
	if legible.BreaksLine(r) {
		return -1
	}
	return r
}
