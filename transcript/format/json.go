package format

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// AppendSegments appends the segments as the JSON array of the API, with times
// rounded to three decimals. It allocates nothing when dst is large enough.
func AppendSegments(dst []byte, segments []transcript.Segment) []byte {
	dst = append(dst, '[')
	for i := range segments {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendSegment(dst, &segments[i])
	}
	return append(dst, ']')
}

func appendSegment(dst []byte, s *transcript.Segment) []byte {
	dst = append(dst, `{"text":`...)
	dst = appendString(dst, s.Text)
	dst = append(dst, `,"start":`...)
	dst = appendNumber(dst, s.Start)
	dst = append(dst, `,"duration":`...)
	dst = appendNumber(dst, s.Duration)
	if s.Speaker != "" {
		dst = append(dst, `,"speaker":`...)
		dst = appendString(dst, s.Speaker)
	}
	if s.Confidence != nil {
		dst = append(dst, `,"confidence":`...)
		dst = appendNumber(dst, *s.Confidence)
	}
	return append(dst, '}')
}

// appendNumber appends a number that is not negative with at most three
// decimals. What JSON cannot hold becomes 0.
func appendNumber(dst []byte, f float64) []byte {
	const most = 1e15 // beyond it there are no three decimals
	if math.IsNaN(f) || f < 0 {
		f = 0
	}
	milli := int64(math.Round(min(f, most) * 1000))
	dst = strconv.AppendInt(dst, milli/1000, 10)
	rest := milli % 1000
	if rest == 0 {
		return dst
	}
	dst = append(dst, '.', byte('0'+rest/100))
	if rest %= 100; rest > 0 {
		dst = append(dst, byte('0'+rest/10))
		if rest %= 10; rest > 0 {
			dst = append(dst, byte('0'+rest))
		}
	}
	return dst
}

// appendString appends a JSON string. Bytes that are not UTF-8 become U+FFFD,
// and the two line ends of Unicode are escaped, as encoding/json does.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' {
				i++
				continue
			}
			dst = append(dst, s[from:i]...)
			switch c {
			case '"', '\\':
				dst = append(dst, '\\', c)
			case '\n':
				dst = append(dst, '\\', 'n')
			case '\r':
				dst = append(dst, '\\', 'r')
			case '\t':
				dst = append(dst, '\\', 't')
			default:
				dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			}
			i++
			from = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(append(dst, s[from:i]...), `\ufffd`...)
		case r == '\u2028' || r == '\u2029':
			dst = append(append(dst, s[from:i]...), `\u202`...)
			dst = append(dst, hex[r&15])
		default:
			i += size
			continue
		}
		i += size
		from = i
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}

// appendTwo appends a number that is not negative with at least two digits.
func appendTwo(dst []byte, n int) []byte {
	if n < 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, int64(n), 10)
}

// AppendTranscript appends the transcript as JSON. segments is the array made by
// AppendSegments; nil: it is made from t.Segments.
func AppendTranscript(dst []byte, t *transcript.Transcript, segments []byte) ([]byte, error) {
	head := *t
	head.Segments = nil
	b, err := json.Marshal(head)
	if err != nil {
		return dst, err
	}
	// Free-form metadata stands before the segments: the last match is theirs.
	const null = `"segments":null`
	at := bytes.LastIndex(b, []byte(null))
	dst = append(dst, b[:at]...)
	dst = append(dst, `"segments":`...)
	if segments != nil {
		dst = append(dst, segments...)
	} else {
		dst = AppendSegments(dst, t.Segments)
	}
	return append(dst, b[at+len(null):]...), nil
}

// AppendResult appends the 200 body of POST /v1/transcript. segments as for
// AppendTranscript.
func AppendResult(dst []byte, r *transcript.Result, segments []byte) ([]byte, error) {
	head := *r
	head.Transcript = nil
	return appendAround(dst, head, r.Transcript, segments)
}

// AppendJob appends a job, with the members of its result where it has one.
// segments as for AppendTranscript.
func AppendJob(dst []byte, j *transcript.Job, segments []byte) ([]byte, error) {
	if j.Result == nil {
		return appendAround(dst, j, nil, nil)
	}
	head, result := *j, *j.Result
	result.Transcript = nil
	head.Result = &result
	return appendAround(dst, head, j.Result.Transcript, segments)
}

// appendAround appends head as JSON, with t in place of the null that head has
// for it.
func appendAround(dst []byte, head any, t *transcript.Transcript, segments []byte) ([]byte, error) {
	b, err := json.Marshal(head)
	if err != nil {
		return dst, err
	}
	if t == nil {
		return append(dst, b...), nil
	}
	// Free-form metadata stands after the transcript: the first match is its.
	const null = `"transcript":null`
	at := bytes.Index(b, []byte(null))
	dst = append(dst, b[:at]...)
	dst = append(dst, `"transcript":`...)
	if dst, err = AppendTranscript(dst, t, segments); err != nil {
		return dst, err
	}
	return append(dst, b[at+len(null):]...), nil
}
