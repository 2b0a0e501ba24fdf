package caption_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// shown is a short form of segments: start+duration, speaker, quoted text and
// words (with their confidence, if any), a line for each segment.
func shown(segments []transcript.Segment) string {
	var lines []string
	for _, s := range segments {
		line := fmt.Sprintf("%g+%g ", s.Start, s.Duration)
		if s.Speaker != "" {
			line += s.Speaker + " "
		}
		line += fmt.Sprintf("%q", s.Text)
		for _, w := range s.Words {
			line += fmt.Sprintf(" %s@%g-%g", w.Text, w.Start, w.End)
			if w.Confidence != 0 {
				line += fmt.Sprintf("/%.3g", w.Confidence)
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// read reads file whole and byte by byte, and as a sequence, which is the same.
func read(t *testing.T, file string) string {
	t.Helper()
	segments, err := segmentsOf(caption.ReadWebVTT(strings.NewReader(file)))
	require.NoError(t, err)
	slowly, err := segmentsOf(caption.ReadWebVTT(iotest.OneByteReader(strings.NewReader(file))))
	require.NoError(t, err)
	require.Equal(t, segments, slowly, "byte by byte")
	return shown(segments)
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ file, head, message string }{
		"nothing":         {"", "", "caption: not webvtt: the input is empty"},
		"page":            {"<!DOCTYPE html><html><body>Are you a robot?", "<!DOCTYPE html><html><body>Are y", `caption: not webvtt: the input begins with "<!DOCTYPE html><html><body>Are y"`},
		"SubRip":          {"1\n00:00:01,000 --> 00:00:02,000\nhello", "1\n00:00:01,000 --> 00:00:02,000\n", ""},
		"lower case":      {"webvtt\n\n", "webvtt\n\n", ""},
		"cut off":         {"WEBVT", "WEBVT", ""},
		"longer":          {"WEBVTTs\n\n", "WEBVTTs\n\n", ""},
		"form feed":       {"WEBVTT\f\n", "WEBVTT\f\n", ""},
		"NUL":             {"WEBVTT\x00\n", "WEBVTT\x00\n", ""},
		"space before":    {" WEBVTT\n", " WEBVTT\n", ""},
		"line before":     {"\nWEBVTT\n", "\nWEBVTT\n", ""},
		"two marks":       {"\uFEFF\uFEFFWEBVTT\n", "\uFEFF\uFEFFWEBVTT\n", ""},
		"mark only":       {"\uFEFF", "\uFEFF", ""},
		"UTF-16":          {"\xFF\xFEW\x00E\x00B\x00V\x00T\x00T\x00", "\xFF\xFEW\x00E\x00B\x00V\x00T\x00T\x00", ""},
		"a line for ever": {strings.Repeat("{", 3<<20), strings.Repeat("{", 32), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			segments, err := segmentsOf(caption.ReadWebVTT(iotest.OneByteReader(strings.NewReader(test.file))))
			assert.Nil(t, segments)
			var format *caption.FormatError
			require.ErrorAs(t, err, &format)
			assert.Equal(t, caption.FormatError{Format: "webvtt", Head: test.head}, *format)
			if test.message != "" {
				assert.EqualError(t, err, test.message)
			}
		})
	}
}

// What was whole before the input failed is there; what was cut by it is not.
func TestReadErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection lost")
	const file = "WEBVTT\n\n00:01.000 --> 00:02.000\nwhole\n\n00:03.000 --> 00:04.000\ncut of"
	for n, want := range map[int]string{0: "", 5: "", 7: "", 12: "", 37: "", 39: `1+1 "whole"`, len(file): `1+1 "whole"`} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			r := io.MultiReader(strings.NewReader(file[:n]), iotest.ErrReader(broken))
			segments, err := collect(r)
			require.ErrorIs(t, err, broken)
			assert.ErrorContains(t, err, "caption: webvtt after line ")
			assert.Equal(t, want, shown(segments))

			segments, err = segmentsOf(caption.ReadWebVTT(iotest.DataErrReader(io.MultiReader(strings.NewReader(file[:n]), iotest.ErrReader(broken)))))
			require.ErrorIs(t, err, broken)
			assert.Nil(t, segments)
		})
	}
	_, err := caption.ReadWebVTT(idle{})
	assert.ErrorIs(t, err, io.ErrNoProgress)
}

// idle is a reader that never reads.
type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// collect walks the sequence to its end, and sees that an error is the end.
func collect(r io.Reader) (segments []transcript.Segment, err error) {
	for s, e := range caption.WebVTT(r) {
		if err != nil {
			return nil, errors.New("a pair after the error")
		}
		if err = e; e == nil {
			segments = append(segments, s)
		}
	}
	return segmentsOf(caption.File{Segments: segments}, err)
}

func TestLimits(t *testing.T) {
	t.Parallel()
	const limit = 1 << 20
	long := strings.Repeat("long ", limit/5)
	for name, test := range map[string]struct {
		file string
		fits bool
	}{
		"a long line":                 {"WEBVTT\n\n00:01.000 --> 00:02.000\n" + long[:limit-5] + "\n\n", true},
		"a longer one":                {"WEBVTT\n\n00:01.000 --> 00:02.000\n" + long + "long" + "\n\n", false},
		"10 MB":                       {"WEBVTT\n\n00:01.000 --> 00:02.000\n" + strings.Repeat(long, 10), false},
		"a long cue":                  {"WEBVTT\n\n00:01.000 --> 00:02.000\n" + strings.Repeat(long[:499]+"\n", limit/500), true},
		"a longer cue":                {"WEBVTT\n\n00:01.000 --> 00:02.000\n" + strings.Repeat(long[:499]+"\n", limit/500+1), false},
		"a long note":                 {"WEBVTT\n\nNOTE\n" + strings.Repeat(long[:99]+"\n", limit/10) + "\n00:01.000 --> 00:02.000\nlong", true},
		"a long header":               {"WEBVTT\n" + strings.Repeat("Kind: captions\n", limit/10) + "\n00:01.000 --> 00:02.000\nlong", true},
		"text of a cue without times": {"WEBVTT\n\n-->\n" + strings.Repeat(long[:99]+"\n", limit/10) + "\n00:01.000 --> 00:02.000\nlong", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			segments, err := collect(strings.NewReader("WEBVTT\n\n00:00.000 --> 00:01.000\nfirst\n\n" + test.file))
			if !test.fits {
				require.ErrorIs(t, err, caption.ErrTooLarge)
				assert.Len(t, segments, 1, "what came before")
				return
			}
			require.NoError(t, err)
			require.Len(t, segments, 2)
			assert.Contains(t, segments[1].Text, "long")
		})
	}
}

// A sequence gives each cue as soon as it is whole, also before the LF of a CRLF
// is there, and reads no further than its walker does.
func TestSequenceIsLazy(t *testing.T) {
	t.Parallel()
	file := &pieces{all: []string{
		"WEBVTT\r\n\r\n00:02.000 --> 00:03.000\r\nfirst\r\n\r",
		"\n00:01.000 --> 00:03.000\r\nsecond\r\n\r\n",
		"00:05.000 --> 00:06.000\r\nthird\r\n",
	}}
	sequence := caption.WebVTT(file)
	assert.Zero(t, file.read, "before the walk")
	var got []transcript.Segment
	for s, err := range sequence {
		require.NoError(t, err)
		got = append(got, s)
		assert.Equal(t, len(got), file.read)
		if len(got) == 2 {
			break
		}
	}
	assert.Equal(t, "2+1 \"first\"\n1+2 \"second\"", shown(got), "in the order of the file")
	assert.Equal(t, 2, file.read, "the rest stays unread")
}

// pieces reads one string at a time.
type pieces struct {
	all  []string
	read int // how many were
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.read == len(p.all) {
		return 0, io.EOF
	}
	p.read++
	return copy(b, p.all[p.read-1]), nil
}

func TestSequenceKeepsNothing(t *testing.T) { //nolint:paralleltest // it measures the heap
	const cues = 300_000
	one := strings.Repeat("00:01.000 --> 00:02.000\nover <00:01.500>and <b>over</b>\n\n", 100)
	file := io.MultiReader(strings.NewReader("WEBVTT\n\n"), &pieces{all: slices.Repeat([]string{one}, cues/100)})
	n, early := 0, uint64(0)
	for _, err := range caption.WebVTT(file) {
		require.NoError(t, err)
		if n++; n == 1000 {
			early = heap()
		}
		if n == cues {
			assert.Less(t, heap(), early+64<<10)
		}
	}
	assert.Equal(t, cues, n)
}

// heap is how many bytes are in use after a collection.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
