package e2e_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/speech"
)

// bursts writes a WAV of noise with a short pause after every six seconds: it
// is cut like speech, and no two of its chunks are alike.
func bursts(t *testing.T, length time.Duration) string {
	t.Helper()
	return burstsOf(t, length, 1)
}

// burstsOf is bursts of another noise for each seed.
func burstsOf(t *testing.T, length time.Duration, seed uint64) string {
	t.Helper()
	const burst, pause = 6 * speech.SampleRate, speech.SampleRate / 2
	noise := rand.New(rand.NewPCG(seed, 2))
	samples := int(length.Seconds()) * speech.SampleRate
	pcm := make([]byte, 0, 2*samples)
	for i := range samples {
		var v int16
		if i%(burst+pause) < burst {
			v = int16(noise.IntN(16000) - 8000)
		}
		pcm = binary.LittleEndian.AppendUint16(pcm, uint16(v))
	}
	path := filepath.Join(t.TempDir(), "bursts.wav")
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, speech.WriteWAV(f, bytes.NewReader(pcm), int64(samples)))
	require.NoError(t, f.Close())
	return path
}
