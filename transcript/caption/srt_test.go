package caption_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// readSRT reads file whole, in halves of every kind when it is short, and byte by
// byte, which is the same.
func readSRT(t *testing.T, file string) string {
	t.Helper()
	segments, err := segmentsOf(caption.ReadSRT(strings.NewReader(file)))
	require.NoError(t, err)
	slowly, err := segmentsOf(caption.ReadSRT(iotest.OneByteReader(strings.NewReader(file))))
	require.NoError(t, err)
	require.Equal(t, segments, slowly, "byte by byte")
	for n := 1; n < len(file) && n < 300; n++ {
		halves, err := segmentsOf(caption.ReadSRT(io.MultiReader(strings.NewReader(file[:n]), iotest.DataErrReader(strings.NewReader(file[n:])))))
		require.NoError(t, err)
		require.Equal(t, segments, halves, "cut at %d", n)
	}
	return shown(segments)
}

func TestSRTErrors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ file, head, message string }{
		"nothing":         {"", "", "caption: not srt: the input is empty"},
		"mark only":       {"\uFEFF", "\uFEFF", ""},
		"page":            {"<!DOCTYPE html><html><!-- 1 -->\n<body>Are you a robot?", "<!DOCTYPE html><html><!-- 1 -->\n", `caption: not srt: the input begins with "<!DOCTYPE html><html><!-- 1 -->\n"`},
		"words":           {"one\n\ntwo\n", "one\n\ntwo\n", ""},
		"WebVTT":          {"WEBVTT\n\n00:01.000 --> 00:02.000\nhello", "WEBVTT\n\n00:01.000 --> 00:02.000\n"[:32], ""},
		"index only":      {"1\n", "1\n", ""},
		"a line for ever": {strings.Repeat("{", 3<<20), strings.Repeat("{", 32), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			segments, err := segmentsOf(caption.ReadSRT(iotest.OneByteReader(strings.NewReader(test.file))))
			assert.Nil(t, segments)
			var format *caption.FormatError
			require.ErrorAs(t, err, &format)
			assert.Equal(t, caption.FormatError{Format: caption.FormatSRT, Head: test.head}, *format)
			if test.message != "" {
				assert.EqualError(t, err, test.message)
			}
		})
	}
}

// A cue comes when the next has begun; what the failure may have cut does not.
func TestSRTReadErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection lost")
	const file = "1\n00:00:01,000 --> 00:00:02,000\nwhole\n\n2\n00:00:03,000 --> 00:00:04,000\ncut of"
	for n, want := range map[int]string{0: "", 1: "", 20: "", 39: "", 72: `1+1 "whole"`, len(file): `1+1 "whole"`} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			failing := func() io.Reader { return io.MultiReader(strings.NewReader(file[:n]), iotest.ErrReader(broken)) }
			segments, err := walked(caption.SRT(failing()))
			require.ErrorIs(t, err, broken)
			require.ErrorContains(t, err, "caption: srt after line ")
			assert.Equal(t, want, shown(segments))

			segments, err = segmentsOf(caption.ReadSRT(iotest.DataErrReader(failing())))
			require.ErrorIs(t, err, broken)
			assert.Nil(t, segments)
		})
	}
	_, err := caption.ReadSRT(idle{})
	assert.ErrorIs(t, err, io.ErrNoProgress)
	_, err = caption.ReadSRT(io.MultiReader(strings.NewReader("\xFF\xFE1\x00"), &idleAfter{}))
	assert.ErrorIs(t, err, io.ErrNoProgress, "UTF-16")
}

// idleAfter is idle, for [io.MultiReader] to end with.
type idleAfter struct{ idle }

func TestSRTLimits(t *testing.T) {
	t.Parallel()
	const limit = 1 << 20
	const times = "1\n00:00:01,000 --> 00:00:02,000\n"
	long := strings.Repeat("long ", limit/5)
	for name, test := range map[string]struct {
		file string
		fits bool
	}{
		"a long line":         {times + long[:limit-5] + "\n\n", true},
		"a longer one":        {times + long + "long\n\n", false},
		"10 MB":               {times + strings.Repeat(long, 10), false},
		"a long cue":          {times + strings.Repeat(long[:499]+"\n", limit/500), true},
		"a longer cue":        {times + strings.Repeat(long[:499]+"\n", limit/500+1), false},
		"too many characters": {times + strings.Repeat(strings.Repeat("caf\xE9", 125)[:499]+"\n", limit/501), false},
		"empty lines":         {times + "long" + strings.Repeat("\n", 3*limit), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			segments, err := walked(caption.SRT(strings.NewReader("1\n00:00:00,000 --> 00:00:01,000\nfirst\n\n" + test.file)))
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

func TestSRTSequenceKeepsNothing(t *testing.T) { //nolint:paralleltest // it measures the heap
	const cues = 100_000 // a byte that is kept of each is seen
	one := strings.Repeat("1\n00:00:01,000 --> 00:00:02,000\nover <i>and over</i> again\n\n", 100)
	file := &pieces{all: slices.Repeat([]string{one}, cues/100)}
	n, early := 0, uint64(0)
	for _, err := range caption.SRT(file) {
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

func TestReadingSRTAllocatesOnceForACue(t *testing.T) { //nolint:paralleltest // AllocsPerRun refuses to count beside other tests
	const cues = 2_000
	for _, text := range []string{"and so it was", "<i>styled</i> R&amp;B", "дом и мир"} {
		var file []byte
		for i := range cues { // the same cue would come once
			file = fmt.Appendf(file, "1\n00:%02d:%02d,000 --> 01:00:00,000\n%s %d\n\n", i/60, i%60, text, i)
		}
		allocs := testing.AllocsPerRun(3, func() {
			segments, err := segmentsOf(caption.ReadSRT(bytes.NewReader(file)))
			require.NoError(t, err)
			require.Len(t, segments, cues)
		})
		assert.LessOrEqual(t, allocs, cues/10.0, "one for each 4 KiB of text, and the buffers: %s", text)
	}
}

func TestGoldenSRT(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.srt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(file)
			require.NoError(t, err)
			got := readSRT(t, string(b)) + "\n"
			if *update {
				require.NoError(t, os.WriteFile(file+".golden", []byte(got), 0o644))
			}
			want, err := os.ReadFile(file + ".golden")
			require.NoError(t, err)
			assert.Equal(t, string(want), got)
		})
	}
}

func BenchmarkReadSRT(b *testing.B) {
	lines := []string{
		"and so it was that we came to the river",
		"- Was it deep?\n- Deeper than anyone had said.",
		"<i>a voice from the other side</i>",
		"Marks & Sons had a boat",
		"there is no boat tonight",
	}
	for _, n := range []int{2_000, 100_000} {
		var file []byte
		for i := range n {
			file = fmt.Appendf(file, "%d\n%s --> %s\n%s\n\n", i+1,
				strings.Replace(clock(i*3000+120), ".", ",", 1), strings.Replace(clock(i*3000+2900), ".", ",", 1), lines[i%len(lines)])
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			for b.Loop() {
				segments, err := segmentsOf(caption.ReadSRT(bytes.NewReader(file)))
				if err != nil || len(segments) != n {
					b.Fatal(len(segments), err)
				}
			}
		})
	}
}
