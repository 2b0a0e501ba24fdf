package captionbench_test

import (
	"bytes"
	"flag"
	"io"
	"iter"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

var full = flag.Bool("full", false, "test files of full size")

// repeated reads head, and then cues again and again until there are at least size
// bytes.
type repeated struct {
	head, cues []byte
	size       int64
	next       *bytes.Reader
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.next == nil {
		r.next = bytes.NewReader(r.head)
	}
	if r.next.Len() == 0 {
		if r.size <= 0 {
			return 0, io.EOF
		}
		r.next.Reset(r.cues)
	}
	n, err := r.next.Read(p)
	r.size -= int64(n)
	return n, err
}

// streams are the readers of text, each with how a file begins.
var streams = map[string]struct {
	head string
	file func(int) []byte
	walk func(io.Reader) iter.Seq2[transcript.Segment, error]
}{
	"webvtt":  {"WEBVTT\n\n", webVTT, caption.WebVTT},
	"rolling": {"WEBVTT\n\n", rolling, caption.WebVTT},
	"srt":     {"", srt, func(r io.Reader) iter.Seq2[transcript.Segment, error] { return caption.SRT(r) }},
}

// A file of 1 GB (5 MB without -full) is read in as little memory as
// a short one.
func TestScaleOfFiles(t *testing.T) { //nolint:paralleltest // it measures memory
	size := int64(5 << 20)
	if *full {
		size = 1 << 30
	}
	const sample, bound = 1_000, 32 << 20
	for name, s := range streams {
		t.Run(name, func(t *testing.T) { //nolint:paralleltest // it measures memory
			before, most, n := heap(), uint64(0), 0
			file := &repeated{head: []byte(s.head), cues: bytes.TrimPrefix(s.file(sample), []byte(s.head)), size: size}
			for _, err := range s.walk(file) {
				require.NoError(t, err)
				if n++; n%(5*sample) == 0 {
					most = max(most, heap())
				}
			}
			assert.Greater(t, n, int(size/1_000), "cues")
			require.NotZero(t, most)
			assert.Less(t, int64(most)-int64(before), int64(bound))
		})
	}
}

// heap is how many bytes are in use, garbage among them that nobody has collected.
func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// A million cues (ten thousand without -full) are all there.
func TestScaleOfCues(t *testing.T) {
	t.Parallel()
	n := 10_000
	if *full {
		n = 1_000_000
	}
	for name, read := range map[string]func() (caption.File, error){
		"webvtt": func() (caption.File, error) { return caption.ReadWebVTT(bytes.NewReader(webVTT(n))) },
		"srt":    func() (caption.File, error) { return caption.ReadSRT(bytes.NewReader(srt(n))) },
		"ttml":   func() (caption.File, error) { return caption.ReadTTML(bytes.NewReader(ttml(n))) },
	} {
		f, err := read()
		require.NoError(t, err, name)
		require.Len(t, f.Segments, n, name)
		last := talk(n)[n-1]
		assert.Equal(t, last.Start, f.Segments[n-1].Start, name)
		assert.InDelta(t, last.Duration, f.Segments[n-1].Duration, 1e-6, name)
	}
}

// A line of 10 MB is an error that says so, and is not taken into memory.
func TestScaleOfLines(t *testing.T) { //nolint:paralleltest // it measures memory
	const size, bound = 10 << 20, 8 << 20
	words := bytes.Repeat([]byte("word "), 1_000)
	for name, s := range streams {
		t.Run(name, func(t *testing.T) { //nolint:paralleltest // it measures memory
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var failed error
			for _, err := range s.walk(&repeated{head: []byte(s.head + "1\n00:00:01.000 --> 00:00:02.000\n"), cues: words, size: size}) {
				failed = err
			}
			runtime.ReadMemStats(&after)
			require.ErrorIs(t, failed, caption.ErrTooLarge)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(bound))
		})
	}
}
