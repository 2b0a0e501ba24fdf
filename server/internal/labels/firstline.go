package labels

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// BytesOfBeginning is how many bytes of a stored text FirstLine needs at most.
	BytesOfBeginning = 16 << 10
	// maxFirstLine is the longest title that is made from a text, in characters.
	maxFirstLine = 80
)

// FirstLine returns the title of a text that has none: its first line, cut after a word if it is
// long. beginning is the beginning of the stored segments. The title is empty if the text is.
func FirstLine(beginning []byte) string {
	plain, err := gzip.NewReader(bytes.NewReader(beginning))
	if err != nil {
		return ""
	}
	segments := json.NewDecoder(plain)
	_, _ = segments.Token() // the beginning of the array
	for segments.More() {
		var s transcript.Segment
		if segments.Decode(&s) != nil {
			return "" // the first segment is longer than the beginning
		}
		if title := shorten(clip.Line(s.Text, maxFirstLine+2)); title != "" {
			return title
		}
	}
	return ""
}

// shorten cuts a line after a word, or inside a word that is longer than a title.
func shorten(line string) string {
	if utf8.RuneCountInString(line) <= maxFirstLine {
		return line
	}
	head := strings.TrimSuffix(clip.To(line, maxFirstLine-1), "…")
	if at := strings.LastIndexByte(head, ' '); at > 0 && line[len(head)] != ' ' {
		head = head[:at]
	}
	return strings.TrimSpace(head) + "…"
}
