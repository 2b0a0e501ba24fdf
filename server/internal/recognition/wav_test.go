package recognition_test

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/speech"
)

func TestWriteChunk(t *testing.T) {
	t.Parallel()
	all := pcm(piece{time.Second, talk}, piece{time.Second, hush})
	rec := recording(t, all)

	var b bytes.Buffer
	require.NoError(t, recognition.Chunk{First: 8000, Last: 24000}.Write(&b, rec))
	chunk, err := speech.NewRecording(bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	assert.Equal(t, time.Second, chunk.Duration())
	got, err := io.ReadAll(chunk.PCM(0, chunk.Samples()))
	require.NoError(t, err)
	assert.Equal(t, all[16000:48000], got)

	for _, c := range []recognition.Chunk{{First: -1, Last: 1}, {First: 2, Last: 1}, {Last: rec.Samples() + 1}} {
		require.ErrorContains(t, c.Write(io.Discard, rec), "is not in a recording")
	}
}

// shrinking is a file that another program cuts off after it was opened.
type shrinking struct {
	data []byte
	left *int
}

func (s shrinking) ReadAt(p []byte, at int64) (int, error) {
	return bytes.NewReader(s.data[:*s.left]).ReadAt(p, at)
}

func TestAFileThatShrinks(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	require.NoError(t, speech.WriteWAV(&b, bytes.NewReader(make([]byte, 64000)), 32000))
	left := b.Len()
	rec, err := speech.NewRecording(shrinking{b.Bytes(), &left}, int64(left))
	require.NoError(t, err)
	_, err = recognition.NewPlan(t.Context(), rec, recognition.Lengths{})
	require.NoError(t, err)
	left /= 2
	_, err = recognition.NewPlan(t.Context(), rec, recognition.Lengths{})
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}
