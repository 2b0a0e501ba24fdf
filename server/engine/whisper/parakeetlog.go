package whisper

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine/internal/whispermodel"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

var (
	segmentsHead = regexp.MustCompile(`^Segments \((\d{1,9})\):$`)
	tokensHead   = regexp.MustCompile(`^Tokens \[(\d{1,9})\]:$`)
	// tokenLine has the probability, the start and the end in 1/100 s, and the text.
	tokenLine = regexp.MustCompile(`^\[ *\d+\] id=.* p=(\S+) plog=\S+ t0= *(-?\d{1,9}) t1= *(-?\d{1,9}) word_start=\w+ "(.*)"$`)
)

// parakeetLog reads the log of parakeet-cli as it comes: the tokens of its segments, and errors.
type parakeetLog struct {
	lines
	complaints
	listed           bool // the list of segments was in the log
	segmentsToCome   int
	promised, tokens int // tokens that the program counts, and lines with tokens
	heard            []token
}

func newParakeetLog() *parakeetLog {
	l := &parakeetLog{}
	l.take = l.read
	return l
}

func (l *parakeetLog) read(line string) {
	if found := segmentsHead.FindStringSubmatch(line); found != nil {
		l.listed, l.segmentsToCome = true, number(found[1])
	} else if found := tokensHead.FindStringSubmatch(line); found != nil {
		l.segmentsToCome--
		l.promised += number(found[1])
	} else if found := tokenLine.FindStringSubmatch(line); found != nil {
		l.tokens++
		l.hear(found[1], found[2], found[3], found[4])
	} else if !l.listed { // after the list there is only recognized text
		l.add(line)
	}
}

// complete reports whether the log contains everything that it announces.
func (l *parakeetLog) complete() bool {
	return l.listed && l.segmentsToCome == 0 && l.tokens == l.promised
}

// hear takes a token. The text of a control token is not text.
func (l *parakeetLog) hear(probability, from, to, text string) {
	if isControl(text) {
		return
	}
	p, err := strconv.ParseFloat(probability, 64)
	if err != nil || math.IsNaN(p) {
		p = 0 // the program is not sure
	}
	start, end := seconds(from), seconds(to)
	l.heard = append(l.heard, token{text: strings.ReplaceAll(text, "▁", " "), from: &start, to: &end, probability: p})
}

// isControl reports whether a token is not text: <unk>, </s>, <|en|>, [BLANK].
func isControl(text string) bool {
	return len(text) > 2 && strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">") || text == "[BLANK]"
}

// number reads digits, which a pattern bounds.
func number(digits string) int {
	n, _ := strconv.Atoi(digits) // the pattern makes sure that it is a number
	return n
}

// seconds reads a time in 1/100 s.
func seconds(hundredths string) float64 { return float64(number(hundredths)) / 100 }

// segments returns the segments of the words. [whispermodel.WithDurations] decides how long a
// segment without length lasts. If a token is half a character, there is one
// segment without words.
func (l *parakeetLog) segments(length time.Duration) []transcript.Segment {
	end := length.Seconds()
	words := clock{0, end}.words(l.heard, false)
	if words != nil {
		return whispermodel.WithDurations(speech.Segments(words), end)
	}
	text := ""
	for _, t := range l.heard {
		text += t.text
	}
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	return []transcript.Segment{{Text: text, Duration: end}}
}
