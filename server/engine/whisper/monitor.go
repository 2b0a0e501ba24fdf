package whisper

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	maxComplaints = 3    // kept from the beginning: the program's help follows them
	maxLine       = 1024 // bytes of a line
)

// lines cuts a program's log into lines as the log comes.
type lines struct {
	take func(line string)
	line []byte
}

// Write receives the next part of the log. It never fails.
func (l *lines) Write(b []byte) (int, error) {
	n := len(b)
	for {
		before, after, ended := bytes.Cut(b, []byte("\n"))
		l.line = append(l.line, before[:min(len(before), maxLine-len(l.line))]...)
		if !ended {
			return n, nil
		}
		l.end()
		b = after
	}
}

// end ends a line.
func (l *lines) end() {
	line := strings.TrimSpace(string(l.line))
	l.line = l.line[:0]
	l.take(line)
}

// complaints are the first lines of a log that report errors.
type complaints []string

// add keeps a line if it reports an error.
func (c *complaints) add(line string) {
	lower := strings.ToLower(line)
	if len(*c) < maxComplaints && (strings.Contains(lower, "error") || strings.Contains(lower, "failed")) {
		*c = append(*c, line)
	}
}

// mention reports whether a complaint has one of the phrases.
func (c complaints) mention(phrases ...string) bool {
	for _, p := range phrases {
		if strings.Contains(c.String(), p) {
			return true
		}
	}
	return false
}

// String returns the complaints in one line.
func (c complaints) String() string {
	if len(c) == 0 {
		return "nothing in its log"
	}
	return strings.Join(c, "; ")
}

var percentage = regexp.MustCompile(`progress\s*=\s*(\d{1,9})%`)

// monitor reads the log of whisper-cli as it comes: progress and errors.
type monitor struct {
	lines
	complaints
	length   time.Duration       // of the audio
	progress func(time.Duration) // may be nil
	done     time.Duration
}

func newMonitor(length time.Duration, progress func(time.Duration)) *monitor {
	m := &monitor{length: length, progress: progress}
	m.take = func(line string) {
		if found := percentage.FindStringSubmatch(line); found != nil {
			m.reach(found[1])
			return
		}
		m.add(line)
	}
	return m
}

// reach reports a percentage. The program may report more than 100 at the end of the audio.
func (m *monitor) reach(percent string) {
	n, _ := strconv.Atoi(percent) // the pattern limits the digits, so it is a number
	done := m.length * time.Duration(min(n, 100)) / 100
	if m.progress != nil && done >= m.done {
		m.done = done
		m.progress(done)
	}
}
