package videosite

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The site makes chapters from the lines of a description that begin with a time, if there are
// at least three, the first one is at 0:00, and each chapter is long enough.
const (
	fewestChapters  = 3
	mostChapters    = 500
	shortestChapter = 10 // seconds
)

var chapterLine = regexp.MustCompile(`^[^\pL\pN]*(?:(\d{1,2}):)?(\d{1,3}):(\d{2})([^\pL\pN].*)$`)

// chapters returns the chapters that a description lists, nil if it lists none.
func chapters(description string) (all []transcript.Chapter) {
	for line := range strings.Lines(description) {
		m := chapterLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		title := clip.Line(strings.TrimLeft(m[4], " \t-–—:|.)]}»>"), 200)
		start := 3600*digits(m[1]) + 60*digits(m[2]) + digits(m[3])
		switch {
		case title == "":
			continue
		case all == nil && start != 0, all != nil && start < all[len(all)-1].Start+shortestChapter, len(all) == mostChapters:
			return nil
		}
		all = append(all, transcript.Chapter{Title: title, Start: start})
	}
	if len(all) < fewestChapters {
		return nil
	}
	return all
}

func digits(s string) float64 {
	n, _ := strconv.Atoi(s) // at most three digits; an empty text is 0
	return float64(n)
}
