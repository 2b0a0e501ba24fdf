package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// AppendWords appends a JSON array with the words of each segment, as [AppendSegments]
// writes times. It appends nothing if no segment has words.
func AppendWords(dst []byte, segs []transcript.Segment) []byte {
	end := len(dst)
	dst = append(dst, '[')
	timed := false
	for i := range segs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '[')
		for j := range segs[i].Words {
			if j > 0 {
				dst = append(dst, ',')
			}
			dst = appendWord(dst, &segs[i].Words[j])
			timed = true
		}
		dst = append(dst, ']')
	}
	if !timed {
		return dst[:end]
	}
	return append(dst, ']')
}

func appendWord(dst []byte, w *transcript.Word) []byte {
	start := Milliseconds(w.Start)
	dst = append(dst, `{"text":`...)
	dst = appendString(dst, w.Text)
	dst = append(dst, `,"start":`...)
	dst = appendMilliseconds(dst, start)
	dst = append(dst, `,"duration":`...)
	dst = appendMilliseconds(dst, max(Milliseconds(w.End)-start, 0))
	if c := w.Confidence; c > 0 && !math.IsInf(c, 0) {
		dst = append(dst, `,"confidence":`...)
		dst = strconv.AppendFloat(dst, c, 'g', -1, 64)
	}
	return append(dst, '}')
}

// WithWords inserts the output of AppendWords into the output of AppendSegments for the
// same segments. An empty words leaves the segments unchanged.
func WithWords(segments, words []byte) ([]byte, error) {
	if len(words) == 0 {
		return segments, nil
	}
	var each, ofEach []json.RawMessage
	if err := errors.Join(json.Unmarshal(segments, &each), json.Unmarshal(words, &ofEach)); err != nil {
		return nil, fmt.Errorf("wire: words: %w", err)
	}
	if len(each) != len(ofEach) {
		return nil, fmt.Errorf("wire: there are words of %d segments for %d", len(ofEach), len(each))
	}
	out := append(make([]byte, 0, len(segments)+len(words)+len(each)*len(`"words":`)), '[')
	for i, segment := range each {
		if i > 0 {
			out = append(out, ',')
		}
		if string(ofEach[i]) == "[]" {
			out = append(out, segment...)
			continue
		}
		out = append(out, segment[:len(segment)-1]...)
		out = append(out, `,"words":`...)
		out = append(out, ofEach[i]...)
		out = append(out, '}')
	}
	return append(out, ']'), nil
}
