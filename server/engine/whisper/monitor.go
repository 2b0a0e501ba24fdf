package whisper

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	maxComplaints = 3    // kept from the beginning: the program's help follows them
	maxLine       = 1024 // bytes of a line
)

var percentage = regexp.MustCompile(`progress\s*=\s*(\d{1,9})%`)

// monitor reads the program's log as it comes: progress and errors.
type monitor struct {
	length     time.Duration       // of the audio
	progress   func(time.Duration) // may be nil
	done       time.Duration
	line       []byte
	complaints []string
}

// Write takes the next piece of the log. It never fails.
func (m *monitor) Write(b []byte) (int, error) {
	n := len(b)
	for {
		before, after, ended := bytes.Cut(b, []byte("\n"))
		m.line = append(m.line, before[:min(len(before), maxLine-len(m.line))]...)
		if !ended {
			return n, nil
		}
		m.take()
		b = after
	}
}

func (m *monitor) take() {
	line := strings.TrimSpace(string(m.line))
	m.line = m.line[:0]
	if found := percentage.FindStringSubmatch(line); found != nil {
		m.reach(found[1])
		return
	}
	lower := strings.ToLower(line)
	if len(m.complaints) < maxComplaints && (strings.Contains(lower, "error") || strings.Contains(lower, "failed")) {
		m.complaints = append(m.complaints, line)
	}
}

// reach reports a percentage. The program may report more than 100 at the end of the audio.
func (m *monitor) reach(percent string) {
	n, _ := strconv.Atoi(percent) // the pattern bounds the digits, so it is a number
	done := m.length * time.Duration(min(n, 100)) / 100
	if m.progress != nil && done >= m.done {
		m.done = done
		m.progress(done)
	}
}

// String is the complaints in one line.
func (m *monitor) String() string {
	if len(m.complaints) == 0 {
		return "nothing in its log"
	}
	return strings.Join(m.complaints, "; ")
}

// exitError returns the reason why there is no output.
func (c *CLI) exitError(exit engine.Exit, log *monitor, asked string, err error) error {
	log.take() // the last line may have no end
	why := fmt.Errorf("it ended with exit code %d: %s: %w", exit.Code, log, err)
	switch complaint := log.String(); {
	case exit.Code < 0:
		return failed(fmt.Errorf("it was killed: %s: %w", log, err))
	case exit.Code == 3, strings.Contains(complaint, "failed to initialize whisper context"):
		return noModel(c.path, errors.New(log.String()))
	case strings.Contains(complaint, "unknown language"):
		return unknownLanguage(cliName, asked).Because(why)
	case strings.Contains(complaint, "unknown argument: "+carryPrompt):
		return errForgets
	case strings.Contains(complaint, "unknown argument"):
		return transcript.Errorf(transcript.ConfigError, "%s is too old: build a newer one from whisper.cpp.", cliName).
			With("engine", cliName).Because(why)
	}
	return failed(why)
}
