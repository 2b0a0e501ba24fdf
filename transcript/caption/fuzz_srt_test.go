package caption_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

func FuzzSRT(f *testing.F) {
	f.Fuzz(func(t *testing.T, file []byte) { checkReading(t, readSubRip, file) })
}

func FuzzSBV(f *testing.F) {
	fuzzLines(f, caption.ReadSBV, "sbv", "0:00:01.000,0:00:02.000\na\n\nb\n0:0x,0:00:03.000\rc\n-0:1:1,5;0:0:75\nd", "1:1.5,1:2\n"+strings.Repeat("1,:", 30))
}

func FuzzASS(f *testing.F) {
	fuzzLines(f, caption.ReadASS, "ass", "[Events]\nDialogue: ,,,,,,,,,\nDialogue: 0,0:1:1,0:1:2,,\x1b,,,,,{\\p1}a{\\p0}\\N\\", "[events]\nFormat: Text\nFormat: Start,End,Text\nDialogue:1:1.,0:1:1.9,{{\\p9}a{")
}

// fuzzLines feeds a reader of a format of lines, from the files of testdata and more.
func fuzzLines(f *testing.F, read func(io.Reader, ...caption.Option) (caption.File, error), name string, more ...string) {
	f.Helper()
	files, err := filepath.Glob("testdata/*." + name)
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(b)
	}
	for _, file := range more {
		f.Add([]byte(file))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		checkReading(t, func(r io.Reader) (caption.File, error) { return read(r) }, file)
		plain, err := segmentsOf(read(bytes.NewReader(file)))
		careful, errCareful := segmentsOf(read(bytes.NewReader(file), caption.NoGuess()))
		require.Equal(t, err, errCareful)
		require.Equal(t, plain, careful, "doubts change no cue")
	})
}

func FuzzAny(f *testing.F) {
	f.Fuzz(func(t *testing.T, file []byte) {
		format, ok := caption.Detect(file[:min(len(file), 1<<10)])
		assert.Equal(t, format != "", ok)
		_, err := caption.ReadAny(bytes.NewReader(file))
		var unknown *caption.FormatError
		if !ok {
			require.ErrorAs(t, err, &unknown)
			assert.Empty(t, unknown.Format)
			return
		}
		if errors.As(err, &unknown) {
			assert.Equal(t, format, unknown.Format)
		}
		checkReading(t, func(r io.Reader) (caption.File, error) { return caption.ReadAny(r) }, file)
	})
}

// checkReading checks that a file is read the same way in every piece, that its
// segments keep what is promised, and that it takes no second for a MB.
func checkReading(t *testing.T, read func(io.Reader) (caption.File, error), file []byte) {
	t.Helper()
	promptly(t, file, read)
	segments, err := segmentsOf(read(bytes.NewReader(file)))
	slowly, errSlowly := segmentsOf(read(iotest.OneByteReader(bytes.NewReader(file))))
	require.Equal(t, err, errSlowly)
	require.Equal(t, segments, slowly, "byte by byte")
	for i, s := range segments {
		if i > 0 {
			assert.GreaterOrEqual(t, s.Start, segments[i-1].Start)
		}
		wellFormed(t, s)
	}
}

func readSubRip(r io.Reader) (caption.File, error) { return caption.ReadSRT(r) }
