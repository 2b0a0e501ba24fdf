package caption_test

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

func FuzzWebVTT(f *testing.F) {
	files, err := filepath.Glob("testdata/*.vtt")
	require.NoError(f, err)
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(b)
	}
	for _, s := range []string{
		"", "WEBVTT", "\uFEFFWEBVTT\r\r00:00.000-->00:01.000\ra",
		"WEBVTT\n\n00:02.000 --> 00:01.000\n<v A>&#0;\xE2\x82<00:01.500>&notit;\x00\n-->\n\n",
		"WEBVTT\n\n9999999999999999:00:00.000 --> 00:00.000\n<ruby>a<rt>b<rt></ruby></rt><v &gt;>c<v  d\te>f</v></v>",
		"WEBVTT\n\n00:00.000 --> 00:09.000\n<00:05.000>a<00:01.000>b<99:00:00.000>c",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		segments, err := segmentsOf(caption.ReadWebVTT(bytes.NewReader(file)))
		slowly, errSlowly := segmentsOf(caption.ReadWebVTT(iotest.OneByteReader(bytes.NewReader(file))))
		require.Equal(t, err, errSlowly)
		require.Equal(t, segments, slowly, "byte by byte")
		if err != nil {
			var format *caption.FormatError
			require.True(t, errors.As(err, &format) || errors.Is(err, caption.ErrTooLarge), "%v", err)
			return
		}
		promptly(t, file, caption.ReadWebVTT)
		walked, err := collect(bytes.NewReader(file))
		require.NoError(t, err)
		slices.SortStableFunc(walked, func(a, b transcript.Segment) int { return cmp.Compare(a.Start, b.Start) })
		if require.LessOrEqual(t, len(segments), len(walked)); len(segments) == len(walked) { // else lines came once
			require.Equal(t, segments, walked)
		}
		for i, s := range segments {
			if i > 0 {
				assert.GreaterOrEqual(t, s.Start, segments[i-1].Start)
			}
			wellFormed(t, s)
		}
	})
}

// promptly checks that a file takes no second for a MB. The machine may hold one
// try up, so the best of several counts.
func promptly(t *testing.T, file []byte, read func(io.Reader) (caption.File, error)) {
	t.Helper()
	limit := 5*time.Millisecond + time.Duration(len(file))*time.Microsecond
	for range 10 {
		begin := time.Now()
		_, _ = read(bytes.NewReader(file)) // other checks see to its error
		if time.Since(begin) <= limit {
			return
		}
	}
	t.Errorf("%d bytes take over %v", len(file), limit)
}

// wellFormed checks what is promised of every segment.
func wellFormed(t *testing.T, s transcript.Segment) {
	t.Helper()
	assert.GreaterOrEqual(t, s.Start, 0.0)
	assert.GreaterOrEqual(t, s.Duration, 0.0)
	assert.Less(t, s.End(), 1.0000001e12)
	assert.True(t, utf8.ValidString(s.Text) && utf8.ValidString(s.Speaker))
	assert.NotContains(t, s.Text+s.Speaker, "\x00")
	assert.NotEmpty(t, strings.TrimSpace(s.Text))
	assert.Equal(t, strings.Join(strings.FieldsFunc(s.Speaker, space), " "), s.Speaker)
	for line := range strings.SplitSeq(s.Text, "\n") {
		assert.NotEmpty(t, line)
		assert.Equal(t, strings.Join(strings.FieldsFunc(line, space), " "), line)
	}
	if s.Words == nil {
		return
	}
	at, words := s.Start, ""
	for _, w := range s.Words {
		assert.GreaterOrEqual(t, w.Start, at)
		assert.GreaterOrEqual(t, w.End, w.Start)
		at = w.Start
		words += w.Text
	}
	assert.LessOrEqual(t, s.Words[len(s.Words)-1].End, s.End()+1e-3)
	assert.Equal(t, strings.Join(strings.Fields(s.Text), ""), words)
}

func space(r rune) bool { return strings.ContainsRune(" \t\n\f\r", r) }
