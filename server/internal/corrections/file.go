package corrections

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/internal/legible"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// MaxLines is the largest number of lines in an imported text: more than a day of the
// shortest captions.
const MaxLines = 100_000

// File is a text that an account imports.
type File struct {
	Name      string // gives a new text its title if the title of the content is not known; may be empty
	MediaType string // one of MediaTypes
	Content   []byte
	Language  string // helps to read a file that is not UTF-8; empty if not known
}

// MediaTypes are the types of the files that can be imported.
func MediaTypes() []string {
	return []string{"text/vtt", "application/x-subrip", "text/x-sbv", "text/x-ssa", "application/json", "text/plain"}
}

// lines reads the lines of the file. If a file has no times, it gets the times of the current
// lines if it has as many lines. Otherwise its lines share the length of the media, in seconds,
// by their characters. A file with an unreadable cue is refused, because the cue would be lost.
func (f File) lines(present []transcript.Segment, length float64) (lines []transcript.Segment, err error) {
	var lost *caption.LostError
	switch f.MediaType {
	case "text/plain":
		if !utf8.Valid(f.Content) {
			return nil, unreadable("is not UTF-8")
		}
		lines = plainLines(string(f.Content), present, length)
	default:
		lines, lost, err = cues(f.captions())
	}
	switch {
	case errors.As(err, &lost) || lost != nil:
		return nil, unreadable(fmt.Sprintf("has %d cues that cannot be read, the first %s. Correct the file and send it again", lost.Cues, legible.Text(lost.First)))
	case err != nil:
		return nil, unreadable("is no file of the type " + f.MediaType)
	}
	clean := lines[:0]
	for _, line := range lines {
		line = legible.Segment(line)
		line.Text, line.Speaker = strings.TrimSpace(line.Text), shortName(line.Speaker)
		if line.Text != "" {
			clean = append(clean, line)
		}
	}
	if n := len(clean); n < 1 || n > MaxLines {
		return nil, unreadable(fmt.Sprintf("must have 1 to %d lines of text, not %d", MaxLines, n))
	}
	return clean, nil
}

// errOtherFormat says that a file is of another format than its type.
var errOtherFormat = errors.New("corrections: another format")

// captions reads a file with times. It takes no time or text for granted that a damaged byte
// may have changed.
func (f File) captions() (caption.File, error) {
	file, options := bytes.NewReader(f.Content), []caption.Option{caption.Language(f.Language), caption.NoGuess()}
	switch f.MediaType {
	case "application/x-subrip":
		return caption.ReadSRT(file, options...)
	case "text/x-sbv":
		return caption.ReadSBV(file, options...)
	case "text/x-ssa":
		return caption.ReadASS(file, options...)
	}
	format, _ := caption.Detect(f.Content[:min(len(f.Content), 1<<10)])
	isJSON := format == caption.FormatPodcast || format == caption.FormatWhisper || format == caption.FormatJSON3
	if f.MediaType == "text/vtt" && format != caption.FormatWebVTT || f.MediaType == "application/json" && !isJSON {
		return caption.File{}, errOtherFormat
	}
	return caption.ReadAny(file, options...)
}

func cues(f caption.File, err error) ([]transcript.Segment, *caption.LostError, error) {
	return f.Segments, f.Lost, err
}

// unreadable is an INVALID_REQUEST about the file.
func unreadable(message string) error {
	return request.Invalid(http.StatusUnprocessableEntity, transcript.Issue{Path: "body", Message: message})
}

// shortName is the name of a speaker in a file, without characters that an edit would
// refuse.
func shortName(name string) string {
	name = strings.Map(func(r rune) rune {
		if legible.BreaksLine(r) {
			return -1
		}
		return r
	}, name)
	if runes := []rune(name); len(runes) > MaxSpeaker {
		name = string(runes[:MaxSpeaker])
	}
	return strings.TrimSpace(name)
}
