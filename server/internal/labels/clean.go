package labels

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/legible"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Bounds of a label. The lengths are in characters.
const (
	MaxTitle = 500
	MaxTags  = 20
	MaxTag   = 50
)

// Clean returns a change of a label without blanks at the ends of its texts, and without tags that
// are there twice. The error is an INVALID_REQUEST if a text is blank or would break the line in which
// it is shown. The caller has checked the bounds.
func Clean(change library.Label) (library.Label, error) {
	if change.Title != nil && *change.Title != "" {
		title, err := cleanText(*change.Title, "title")
		if err != nil {
			return change, err
		}
		change.Title = &title
	}
	if change.Tags == nil {
		return change, nil
	}
	tags, seen := []string{}, []string{}
	for i, tag := range change.Tags {
		tag, err := cleanText(tag, "tags."+strconv.Itoa(i))
		if err != nil {
			return change, err
		}
		if folded := foldTags([]string{tag}); !slices.Contains(seen, folded) {
			tags, seen = append(tags, tag), append(seen, folded)
		}
	}
	change.Tags = tags
	return change, nil
}

func cleanText(text, path string) (string, error) {
	text = strings.TrimSpace(text)
	switch {
	case strings.ContainsFunc(text, legible.BreaksLine):
		return "", invalid(path, "must not hold control characters, ends of lines, or marks of direction")
	case text == "":
		return "", invalid(path, "must not be blank")
	}
	return text, nil
}

func invalid(path, message string) error {
	return request.Invalid(http.StatusUnprocessableEntity, transcript.Issue{Path: path, Message: message})
}
