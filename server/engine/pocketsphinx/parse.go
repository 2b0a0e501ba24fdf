package pocketsphinx

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// leastConfidence is the least confidence of an utterance with a single word: the program hears
// noise as one short word of lower confidence.
const leastConfidence = 0.2

// parser reads the program's output as it comes: a line of text for each
// utterance, then a line for each of its words, "word start end confidence".
type parser struct {
	end       float64 // seconds; nothing is said after this time
	line      []byte  // the line that has begun
	utterance []transcript.Word
	words     []transcript.Word
}

var (
	wordLine = regexp.MustCompile(`^(\S+) (\d+\.\d+) (\d+\.\d+) (\d+\.\d+)$`)
	// filler matches a token that is not a word: <s>, </s>, <sil>, [NOISE], [SPEECH],
	// ++UH++.
	filler = regexp.MustCompile(`^(<.*>|\[.*\]|\+\+.*\+\+)$`)
	// pronunciation is the number of a word's second or later pronunciation.
	pronunciation = regexp.MustCompile(`\(\d+\)$`)
)

// Write receives the next part of the output. It never fails.
func (p *parser) Write(b []byte) (int, error) {
	n := len(b)
	for {
		before, after, ended := bytes.Cut(b, []byte("\n"))
		p.line = append(p.line, before...)
		if !ended {
			return n, nil
		}
		p.take(string(p.line))
		p.line, b = p.line[:0], after
	}
}

// finish returns all words.
func (p *parser) finish() []transcript.Word {
	p.take(string(p.line))
	p.endUtterance()
	return p.words
}

func (p *parser) take(line string) {
	m := wordLine.FindStringSubmatch(strings.TrimRight(line, "\r"))
	if m == nil {
		p.endUtterance() // this line is the text of the next utterance
		return
	}
	if filler.MatchString(m[1]) {
		return
	}
	w := transcript.Word{
		Text:       pronunciation.ReplaceAllString(m[1], ""),
		Start:      min(number(m[2]), p.end),
		End:        min(number(m[3]), p.end),
		Confidence: min(number(m[4]), 1), // the program's arithmetic slightly exceeds 1
	}
	if w.End > w.Start {
		p.utterance = append(p.utterance, w)
	}
}

func (p *parser) endUtterance() {
	noise := len(p.utterance) == 1 && p.utterance[0].Confidence < leastConfidence
	if !noise {
		p.words = append(p.words, p.utterance...)
	}
	p.utterance = p.utterance[:0]
}

// number returns the value of a text that wordLine has matched as a number.
func number(s string) float64 {
	v, _ := strconv.ParseFloat(s, 64) // digits only; too many of them are +Inf, which is clamped
	return v
}
