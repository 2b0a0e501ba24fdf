package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine/internal/whispermodel"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// A segment is silence if the probability of no speech exceeds noSpeech and the mean log
// probability of its text is below noLogprob. This is whisper's own rule.
const (
	noSpeech  = 0.6
	noLogprob = -1.0
)

// answer is an endpoint's answer in the formats diarized_json, verbose_json and json. At least
// one of text, segments and words must be there; all other fields may be missing or null. The
// duration, which some endpoints write as a string, is not read, because the audio was
// measured.
type answer struct {
	Text      *string         `json:"text"`
	Language  string          `json:"language"`
	Languages []languageCode  `json:"languages"` // of gpt-transcribe
	Segments  []answerSegment `json:"segments"`
	Words     []answerWord    `json:"words"`
}

type languageCode struct {
	Code string `json:"code"`
}

type answerSegment struct {
	Text       string       `json:"text"`
	Start      number       `json:"start"`
	End        number       `json:"end"`
	AvgLogprob *number      `json:"avg_logprob"`
	NoSpeech   number       `json:"no_speech_prob"`
	Words      []answerWord `json:"words"` // some servers put them here
	Speaker    label        `json:"speaker"`
}

type answerWord struct {
	Word        string `json:"word"`
	Start       number `json:"start"`
	End         number `json:"end"`
	Probability number `json:"probability"` // of some servers
}

// number is a JSON number, or a string that holds a number; null is 0.
type number float64

// UnmarshalJSON reads the number.
func (n *number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	f, err := strconv.ParseFloat(string(bytes.Trim(b, `"`)), 64)
	if err != nil || math.IsNaN(f) {
		return errors.New("the value is not a number")
	}
	*n = number(f)
	return nil
}

// parse reads an answer. It returns an error for an answer without text, segments and words.
func parse(body []byte) (*answer, error) {
	a := &answer{}
	if err := json.Unmarshal(body, a); err != nil {
		return nil, fmt.Errorf("openai: answer: %w", err)
	}
	if a.Text == nil && a.Segments == nil && a.Words == nil {
		return nil, errors.New("openai: answer: it has neither text nor segments nor words")
	}
	return a, nil
}

func (a *answer) language() string {
	if a.Language == "" && len(a.Languages) > 0 {
		return a.Languages[0].Code
	}
	return a.Language
}

// segments returns the segments of the answer. If there are none, it makes segments from the
// words, or one segment from the text. end is the end of the audio, in seconds.
// [whispermodel.WithDurations] decides how long segments without length last.
func (a *answer) segments(end float64) []transcript.Segment {
	a.spread()
	var out []transcript.Segment
	silent := false
	for _, s := range a.Segments {
		if s.silent() {
			silent = true
		} else if segment, ok := s.segment(end); ok {
			out = append(out, segment)
		}
	}
	switch words := wordsOf(a.Words, end); {
	case len(out) > 0 || silent:
	case len(words) > 0:
		out = speech.Segments(words)
	case a.Text != nil:
		whole := answerSegment{Text: *a.Text, End: number(end)}
		if segment, ok := whole.segment(end); ok {
			out = append(out, segment)
		}
	}
	return whispermodel.WithDurations(out, end)
}

// spread moves the answer's own list of words into the segments: each word into the last
// segment that starts before the middle of the word.
func (a *answer) spread() {
	for _, s := range a.Segments {
		if len(s.Words) > 0 {
			return // they are there already
		}
	}
	if len(a.Segments) == 0 {
		return
	}
	slices.SortStableFunc(a.Segments, func(a, b answerSegment) int { return cmp.Compare(a.Start, b.Start) })
	for _, w := range a.Words {
		middle := (w.Start + w.End) / 2
		after, _ := slices.BinarySearchFunc(a.Segments, middle, func(s answerSegment, t number) int {
			if s.Start <= t {
				return -1
			}
			return 1
		})
		s := &a.Segments[max(after-1, 0)]
		s.Words = append(s.Words, w)
	}
}

func (s answerSegment) silent() bool {
	return s.NoSpeech > noSpeech && s.AvgLogprob != nil && *s.AvgLogprob < noLogprob
}

// segment converts a segment. ok is false if it has no text or lies outside the audio.
func (s answerSegment) segment(end float64) (out transcript.Segment, ok bool) {
	text := strings.TrimSpace(s.Text)
	from, to, within := whispermodel.Clamp(float64(s.Start), float64(s.End), end)
	if !within || text == "" {
		return out, false
	}
	out = transcript.Segment{Text: text, Speaker: string(s.Speaker), Start: from, Duration: to - from, Words: wordsOf(s.Words, end)}
	if s.AvgLogprob != nil {
		p := probability(math.Exp(float64(*s.AvgLogprob)))
		out.Confidence = &p
	}
	return out, true
}

func wordsOf(words []answerWord, end float64) []transcript.Word {
	var out []transcript.Word
	for _, w := range words {
		text := strings.TrimSpace(w.Word)
		from, to := clamp(w.Start, w.End, end)
		if from > to || text == "" { // many words have no length
			continue
		}
		out = append(out, transcript.Word{Text: text, Start: from, End: to, Confidence: probability(float64(w.Probability))})
	}
	slices.SortStableFunc(out, func(a, b transcript.Word) int { return cmp.Compare(a.Start, b.Start) })
	return out
}

// clamp cuts a span to the audio. The result ends before it starts if the span lies outside the
// audio.
func clamp(from, to number, end float64) (start, stop float64) {
	return max(float64(from), 0), min(float64(to), end)
}

// probability limits p to 0 to 1 and rounds it to three decimals.
func probability(p float64) float64 {
	return math.Round(min(max(p, 0), 1)*1000) / 1000
}
