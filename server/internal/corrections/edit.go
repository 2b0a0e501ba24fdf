package corrections

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/legible"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Bounds of an edit. The sizes of texts and names are in characters.
const (
	MaxSegments = 2000
	MaxText     = 5000
	MaxSpeakers = 100
	MaxSpeaker  = 100
)

// apply returns the lines after an edit, and how many of them the edit has changed. The error is
// an INVALID_REQUEST about the first fault.
func apply(lines []transcript.Segment, e library.Edit) (edited []transcript.Segment, changed int, err error) {
	edited = slices.Clone(lines)
	seen, spoken := map[int]bool{}, map[int]bool{} // the lines of the edit, and the lines whose speaker it sets
	for i, one := range e.Segments {
		at := "segments." + strconv.Itoa(i)
		switch {
		case one.Index < 0 || one.Index >= len(lines):
			return nil, 0, invalid(at+".index", fmt.Sprintf("must be 0 to %d, because the text has %d lines", len(lines)-1, len(lines)))
		case seen[one.Index]:
			return nil, 0, invalid(at+".index", "is there more than once")
		case one.Text == nil && one.Speaker == nil:
			return nil, 0, invalid(at, "must have a text or a speaker")
		}
		seen[one.Index] = true
		line := &edited[one.Index]
		if one.Text != nil {
			if err := setText(line, *one.Text, at+".text"); err != nil {
				return nil, 0, err
			}
		}
		if one.Speaker != nil {
			spoken[one.Index] = true
			if line.Speaker, err = speakerOf(*one.Speaker, at+".speaker"); err != nil {
				return nil, 0, err
			}
		}
	}
	if err := rename(edited, e.Speakers, lines, spoken); err != nil {
		return nil, 0, err
	}
	for i := range edited {
		if edited[i].Text != lines[i].Text || edited[i].Speaker != lines[i].Speaker {
			changed++
		}
	}
	return edited, changed, nil
}

// setText gives a line another text. The line loses its confidence, which was about the old
// text.
func setText(line *transcript.Segment, text, path string) error {
	text = strings.TrimSpace(legible.Text(text))
	if text == "" {
		return invalid(path, "must not be empty: to remove a line, import the text without the line")
	}
	if text != line.Text {
		line.Words = retime(*line, text)
		line.Text, line.Confidence = text, nil
	}
	return nil
}

// rename gives the speakers of lines other names, all at once, so that two speakers may
// exchange names. before are the lines with their current speakers. set are the lines that
// keep their speakers.
func rename(lines []transcript.Segment, names map[string]string, before []transcript.Segment, set map[int]bool) error {
	to := make(map[string]string, len(names))
	for name, other := range names {
		clean, err := speakerOf(other, "speakers."+name)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(before, func(s transcript.Segment) bool { return s.Speaker == name }) || name == "" {
			return invalid("speakers."+name, "is the speaker of no line")
		}
		to[name] = clean
	}
	for i := range lines {
		if name, ok := to[before[i].Speaker]; ok && !set[i] {
			lines[i].Speaker = name
		}
	}
	return nil
}

// speakerOf returns a name without spaces at its ends; empty for no speaker. A name appears in
// one line with other texts. The name must not break the line or change the writing direction
// of these texts.
func speakerOf(name, path string) (string, error) {
	name = strings.TrimSpace(name)
	if strings.ContainsFunc(name, legible.BreaksLine) {
		return "", invalid(path, "must not hold control characters, ends of lines, or marks of direction")
	}
	return name, nil
}

func invalid(path, message string) error {
	return request.Invalid(http.StatusUnprocessableEntity, transcript.Issue{Path: path, Message: message})
}
