package recognition_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/speech"
)

// piece is a stretch of a made-up recording: a square wave, whose RMS is its
// amplitude. At or below -96 dBFS it is digital silence.
type piece struct {
	length time.Duration
	dbfs   float64
}

const (
	talk  = -18.0 // speech
	noise = -45.0 // a room in which nobody speaks, but no silence either
	hush  = -96.0 // digital silence
)

func pcm(pieces ...piece) []byte {
	var out []byte
	for _, p := range pieces {
		amplitude := int16(math.Round(32768 * math.Pow(10, p.dbfs/20)))
		if p.dbfs <= hush {
			amplitude = 0
		}
		for i := range int(p.length.Seconds() * speech.SampleRate) {
			v := amplitude
			if i/16%2 == 1 {
				v = -amplitude
			}
			out = binary.LittleEndian.AppendUint16(out, uint16(v))
		}
	}
	return out
}

func recording(t require.TestingT, pcm []byte) *speech.Recording {
	var wav bytes.Buffer
	require.NoError(t, speech.WriteWAV(&wav, bytes.NewReader(pcm), int64(len(pcm)/2)))
	rec, err := speech.NewRecording(bytes.NewReader(wav.Bytes()), int64(wav.Len()))
	require.NoError(t, err)
	return rec
}

func planOf(t *testing.T, l recognition.Lengths, pieces ...piece) recognition.Plan {
	t.Helper()
	plan, err := recognition.NewPlan(t.Context(), recording(t, pcm(pieces...)), l)
	require.NoError(t, err)
	return plan
}
