package caption_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

func FuzzSRT(f *testing.F) {
	f.Fuzz(func(t *testing.T, file []byte) { checkReading(t, readSubRip, file) })
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
