package corrections

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// timed is a line of a text in the format in which the service writes lines with times.
var timed = regexp.MustCompile(`^\[(\d{1,6}):([0-5]\d):([0-5]\d)\] ?(.*)$`)

// plainLines returns the non-empty lines of a plain text. See File.lines.
func plainLines(text string, present []transcript.Segment, length float64) []transcript.Segment {
	var lines, withTimes []transcript.Segment // the whole lines, and the lines without their times
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		lines = append(lines, transcript.Segment{Text: line})
		start, said, ok := startOf(line)
		if ok && len(withTimes) == len(lines)-1 && (len(withTimes) == 0 || start >= withTimes[len(withTimes)-1].Start) {
			withTimes = append(withTimes, transcript.Segment{Text: said, Start: start})
		}
	}
	if len(withTimes) == len(lines) {
		lines = withTimes
	}
	switch same := len(lines) == len(present); {
	case same && (len(withTimes) < len(lines) || sameSeconds(lines, present)):
		for i := range lines {
			lines[i].Start, lines[i].Duration, lines[i].Speaker = present[i].Start, present[i].Duration, present[i].Speaker
		}
	case len(withTimes) == len(lines):
		last(lines, length)
	default:
		share(lines, length)
	}
	return lines
}

// last makes each line with a start end when the next one starts, and the last line end with
// the media.
func last(lines []transcript.Segment, length float64) {
	for i := range lines {
		end := max(length, lines[i].Start)
		if i+1 < len(lines) {
			end = lines[i+1].Start
		}
		lines[i].Duration = end - lines[i].Start
	}
}

// startOf reads the time at the beginning of a line, in seconds, and returns the rest of
// the line.
func startOf(line string) (start float64, rest string, ok bool) {
	m := timed.FindStringSubmatch(line)
	if m == nil {
		return 0, "", false
	}
	for i, unit := range []int{3600, 60, 1} {
		n, _ := strconv.Atoi(m[i+1]) // of few digits, so it never fails
		start += float64(n * unit)
	}
	return start, m[4], true
}

// sameSeconds reports whether each line begins in the same second as the current line.
func sameSeconds(lines, present []transcript.Segment) bool {
	for i := range lines {
		if int(lines[i].Start) != int(present[i].Start) {
			return false
		}
	}
	return true
}

// share divides the time of the media among lines by their characters.
func share(lines []transcript.Segment, length float64) {
	all, before := 0, 0
	for _, line := range lines {
		all += utf8.RuneCountInString(line.Text)
	}
	for i := range lines {
		n := utf8.RuneCountInString(lines[i].Text)
		lines[i].Start = length * float64(before) / float64(all)
		lines[i].Duration = length * float64(n) / float64(all)
		before += n
	}
}
