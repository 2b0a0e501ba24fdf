package caption

import (
	"encoding/json"
	"errors"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/internal/letters"
)

// ReadPodcast reads a transcript of a podcast: see [Podcast]. If there is an error, the
// File is empty. A file without cues is not an error.
func ReadPodcast(r io.Reader) (File, error) { return readAll(Podcast(r), nil) }

// ReadWhisper reads a file of Whisper: see [Whisper]. If there is an error, the File is
// empty. A file without cues is not an error.
func ReadWhisper(r io.Reader) (File, error) { return readAll(Whisper(r), nil) }

// Podcast reads the JSON that podcasts publish with the tag podcast:transcript: an object
// with a list of segments.
//
// The sequence and its errors are those of [JSON3]; a [*FormatError] comes when the input
// is no JSON object, or an object without segments.
//
// Each segment with a body becomes one segment. Start and Duration come from startTime and
// endTime, in seconds. Without an endTime, a segment lasts until the next one starts. A
// segment is lost if a time cannot be read, or if startTime or the body is missing.
func Podcast(r io.Reader) iter.Seq2[transcript.Segment, error] {
	return walkSpoken(r, FormatPodcast, (*spokenLine).ofPodcast)
}

// Whisper reads the JSON of the program whisper, of programs and services with the same
// segments, and of whisper.cpp: an object with a list that is called segments or
// transcription.
//
// The sequence and its errors are those of [Podcast]. Start and Duration come from start
// and end, in seconds, or from offsets, in milliseconds, or from timestamps. Words are
// present if the file has words that make up the text; Confidence is their probability.
// Speaker is the speaker of a segment, which some programs add.
func Whisper(r io.Reader) iter.Seq2[transcript.Segment, error] {
	return walkSpoken(r, FormatWhisper, (*spokenLine).ofWhisper)
}

// spokenLine is what is of use of a segment of either format.
type spokenLine struct {
	StartTime, EndTime jsonSeconds
	Body               *string `json:"body"`

	Start jsonSeconds `json:"start"`
	End   jsonSeconds `json:"end"`
	Text  *string     `json:"text"`
	Words []struct {
		Text  string      `json:"word"`
		Start jsonSeconds `json:"start"`
		End   jsonSeconds `json:"end"`
		Sure  jsonSeconds `json:"probability"`
	} `json:"words"`
	Offsets    struct{ From, To json3Number } `json:"offsets"`
	Timestamps struct{ From, To string }      `json:"timestamps"`

	Speaker *string `json:"speaker"`
}

// jsonSeconds is a number of seconds, of at least 0. Any other value makes it invalid, but
// not the object around it.
type jsonSeconds struct{ moment }

// UnmarshalJSON implements [json.Unmarshaler].
func (n *jsonSeconds) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	v, err := strconv.ParseFloat(strings.Trim(string(b), `"`), 64)
	if err != nil || !(v >= 0) || math.IsInf(v, 0) {
		n.moment = moment{broken: true}
		return nil //nolint:nilerr // only this cue is lost, and is counted
	}
	n.moment = moment{ms: millis(v), ok: true}
	return nil
}

func (l *spokenLine) ofPodcast() (start, end moment, text *string) {
	return l.StartTime.moment, l.EndTime.moment, l.Body
}

func (l *spokenLine) ofWhisper() (start, end moment, text *string) {
	switch {
	case l.Start.ok || l.Start.broken:
		return l.Start.moment, l.End.moment, l.Text
	case l.Offsets.From.ok || l.Offsets.From.broken:
		return l.Offsets.From.moment, l.Offsets.To.moment, l.Text
	}
	return clockMoment(l.Timestamps.From), clockMoment(l.Timestamps.To), l.Text
}

// clockMoment is a time as in SubRip.
func clockMoment(s string) moment {
	ms, ok := wholeTime([]byte(s))
	return moment{ms: ms, ok: ok, broken: !ok && s != ""}
}

// spoken is a file in reading.
type spoken struct {
	*json3
	of func(*spokenLine) (start, end moment, text *string)
}

func walkSpoken(r io.Reader, format Format, of func(*spokenLine) (start, end moment, text *string)) iter.Seq2[transcript.Segment, error] {
	return func(yield func(transcript.Segment, error) bool) {
		f := spoken{newJSON3(r), of}
		f.format, f.lists, f.mark = format, []string{"segments", "transcription"}, ""
		if err := f.begin(); err != nil {
			if err != io.EOF {
				yield(transcript.Segment{}, err)
			}
			return
		}
		if walk(f.next, yield) {
			f.lost.report(format, yield)
		}
	}
}

// next collects the next cue into s.
func (f *spoken) next(s *transcript.Segment) (open bool, err error) {
	for f.dec.More() {
		var l spokenLine
		err := f.dec.Decode(&l)
		if shape := (*json.UnmarshalTypeError)(nil); errors.As(err, &shape) {
			f.lost.add("near byte %d: a segment has another shape than the format's", f.dec.InputOffset())
			continue
		}
		if err != nil {
			return false, f.failed(err)
		}
		open, err := f.line(s, &l)
		if s.Text != "" || err != nil {
			return open, err
		}
	}
	return false, f.end()
}

// line fills s with the cue that l is, if it is one.
func (f *spoken) line(s *transcript.Segment, l *spokenLine) (open bool, err error) {
	start, end, text := f.of(l)
	switch {
	case text == nil:
		f.lost.add("near byte %d: a segment has no text", f.dec.InputOffset())
		return false, nil
	case strings.TrimSpace(*text) == "":
		return false, nil
	case !start.ok || end.broken:
		f.lost.add("near byte %d: the times of a segment cannot be read", f.dec.InputOffset())
		return false, nil
	}
	var speaker []byte
	if l.Speaker != nil {
		speaker = cutName([]byte(strings.Join(strings.Fields(*l.Speaker), " ")))
	}
	dur := moment{ms: max(end.ms-start.ms, 0), ok: end.ok}
	f.cue.begin(start, dur)
	if err := f.say(*text, l, speaker); err != nil {
		return false, f.failed(err)
	}
	return f.cue.end(s), nil
}

// say adds the text of a segment, with the times of its words if they make up the text.
func (f *spoken) say(text string, l *spokenLine, speaker []byte) error {
	var words strings.Builder
	for _, w := range l.Words {
		words.WriteString(w.Text)
	}
	if len(l.Words) == 0 || !slices.Equal(strings.Fields(words.String()), strings.Fields(text)) {
		return f.cue.text.addText(letters.ToText([]byte(text)), speaker)
	}
	for _, w := range l.Words {
		if w.Start.ok {
			f.cue.text.mark(w.Start.ms, min(float64(w.Sure.ms)/1000, 1))
		}
		if err := f.cue.text.addText(letters.ToText([]byte(w.Text)), speaker); err != nil {
			return err
		}
		if w.End.ok {
			f.cue.text.mark(w.End.ms, 0)
		}
	}
	return nil
}
