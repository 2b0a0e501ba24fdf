package openaiface

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

// text is the text of a recording.
type text struct {
	segments []transcript.Segment
	lang     string  // a tag; "und" if the language is not known
	duration float64 // seconds
}

// heard is the text of a result, with the words if the request asks for them.
func (f *Face) heard(ctx context.Context, owner string, asked *form, res *view.Result) (text, error) {
	if asked.words() {
		var err error
		if res, err = f.Pipeline.Jobs.Timed(ctx, owner, res.TextID); err != nil {
			return text{}, err
		}
	}
	out := text{lang: res.Language, duration: milliseconds(res.Duration)}
	segments, err := res.SegmentsJSON.Plain()
	if err == nil {
		err = json.Unmarshal(segments, &out.segments)
	}
	if err != nil {
		return text{}, fmt.Errorf("server: reading a stored text: %w", err)
	}
	return out, nil
}

// whole is the text in one line.
func (t text) whole() string { return joined(t.segments) }

func joined(segments []transcript.Segment) string {
	var b strings.Builder
	for _, s := range segments {
		said := strings.Join(strings.Fields(s.Text), " ")
		if b.Len() > 0 && said != "" {
			b.WriteByte(' ')
		}
		b.WriteString(said)
	}
	return b.String()
}

// usage is the counted usage of a request: seconds of sound.
type usage struct {
	Type    string  `json:"type"`
	Seconds float64 `json:"seconds"`
}

type languageCode struct {
	Code string `json:"code"`
}

// plainAnswer is an answer as json.
type plainAnswer struct {
	Text      string         `json:"text"`
	Languages []languageCode `json:"languages"`
	Usage     usage          `json:"usage"`
}

// verboseAnswer is an answer as verbose_json.
type verboseAnswer struct {
	Task     string           `json:"task"`
	Language string           `json:"language"`
	Duration float64          `json:"duration"`
	Text     string           `json:"text"`
	Segments []verboseSegment `json:"segments,omitzero"`
	Words    []word           `json:"words,omitzero"`
	Usage    usage            `json:"usage"`
}

// verboseSegment has members that exist only for models of one family. They are 0 here: programs
// decode them as numbers, and treat 0 as no reason to doubt the text.
type verboseSegment struct {
	ID               int     `json:"id"`
	Seek             int     `json:"seek"`
	Start            float64 `json:"start"`
	End              float64 `json:"end"`
	Text             string  `json:"text"`
	Tokens           []int   `json:"tokens"`
	Temperature      float64 `json:"temperature"`
	AvgLogprob       float64 `json:"avg_logprob"` // of the confidence, if the recognizer reports one
	CompressionRatio float64 `json:"compression_ratio"`
	NoSpeechProb     float64 `json:"no_speech_prob"`
}

type word struct {
	Word  string  `json:"word"`
	Start float64 `json:"start"`
	End   float64 `json:"end"`
}

// diarizedAnswer is an answer as diarized_json.
type diarizedAnswer struct {
	Task     string            `json:"task"`
	Duration float64           `json:"duration"`
	Text     string            `json:"text"`
	Segments []diarizedSegment `json:"segments"`
	Usage    usage             `json:"usage"`
}

// diarizedSegment is also an event of a stream.
type diarizedSegment struct {
	Type    string  `json:"type"`
	ID      string  `json:"id"`
	Start   float64 `json:"start"`
	End     float64 `json:"end"`
	Text    string  `json:"text"`
	Speaker string  `json:"speaker"` // empty means that the recognizer could not tell
}

// render writes the text in the form that a request asks for.
func (t text) render(asked *form) ([]byte, error) {
	switch asked.format {
	case asText:
		return []byte(t.whole() + "\n"), nil
	case asSRT:
		return format.AppendSRT(nil, t.segments), nil
	case asVTT:
		return format.AppendVTT(nil, t.segments), nil
	case asVerbose:
		return json.Marshal(t.verbose(asked))
	case asDiarized:
		return json.Marshal(diarizedAnswer{"transcribe", t.duration, t.whole(), t.diarized(0), t.usage()})
	}
	return json.Marshal(plainAnswer{t.whole(), t.languages(), t.usage()})
}

func (t text) usage() usage { return usage{"duration", t.duration} }

// languages returns the code of the language, if it is known.
func (t text) languages() []languageCode {
	if base := baseOf(t.lang); base != "und" {
		return []languageCode{{base}}
	}
	return []languageCode{}
}

func (t text) verbose(asked *form) verboseAnswer {
	out := verboseAnswer{Task: "transcribe", Language: languageName(t.lang), Duration: t.duration, Text: t.whole(), Usage: t.usage()}
	if asked.segments() {
		out.Segments = []verboseSegment{}
		for i, s := range t.segments {
			out.Segments = append(out.Segments, verboseSegment{
				ID: i, Start: milliseconds(s.Start), End: milliseconds(s.End()), Text: s.Text, Tokens: []int{}, AvgLogprob: logprob(s.Confidence),
			})
		}
	}
	if asked.words() {
		out.Words = []word{}
		for _, s := range t.segments {
			for _, w := range s.Words {
				out.Words = append(out.Words, word{w.Text, milliseconds(w.Start), milliseconds(w.End)})
			}
		}
	}
	return out
}

// diarized converts the segments for diarized_json. The first segment has a number.
func (t text) diarized(first int) []diarizedSegment {
	out := []diarizedSegment{}
	for i, s := range t.segments {
		out = append(out, diarizedSegment{
			"transcript.text.segment", "seg_" + strconv.Itoa(first+i), milliseconds(s.Start), milliseconds(s.End()), s.Text, letterOf(s.Speaker),
		})
	}
	return out
}

// letterOf is a speaker as OpenAI's API names those it does not know: A, B and so on. It keeps the
// names of a recognizer, of channels and of people.
func letterOf(speaker string) string {
	number, numbered := strings.CutPrefix(speaker, "Speaker ")
	if n, err := strconv.Atoi(number); numbered && err == nil && 1 <= n && n <= 26 {
		return string(rune('A' + n - 1))
	}
	return speaker
}

// leastConfidence is the lower limit for logprob, because the logarithm of 0 is not a
// number.
const leastConfidence = 0.001

func logprob(confidence *float64) float64 {
	if confidence == nil {
		return 0
	}
	return math.Round(math.Log(max(*confidence, leastConfidence))*1e4) / 1e4
}

func milliseconds(seconds float64) float64 { return math.Round(seconds*1000) / 1000 }

// baseOf returns the language of a tag without script and region; "und" means not known.
func baseOf(tag string) string {
	base, _, _ := language.Make(tag).Raw()
	return base.String()
}

// languageName is the English name of a language in lower case, as whisper writes it.
func languageName(tag string) string {
	base := baseOf(tag)
	if base == "und" {
		return "unknown"
	}
	return cmp.Or(strings.ToLower(display.English.Languages().Name(language.Make(base))), base)
}
