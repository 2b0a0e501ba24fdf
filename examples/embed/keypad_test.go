package main

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/server/speech"
)

// dial writes a recording of someone who presses the keys, 120 ms each with as
// much between them.
func dial(t *testing.T, pressed string) (path string) {
	t.Helper()
	const length = speech.SampleRate * 12 / 100
	var pcm []byte
	for _, key := range pressed {
		for n := range 2 * length {
			var s float64
			if row, column, ok := find(key); ok && n < length {
				at := 2 * math.Pi * float64(n) / speech.SampleRate
				s = 8000 * (math.Sin(rows[row]*at) + math.Sin(columns[column]*at))
			}
			pcm = binary.LittleEndian.AppendUint16(pcm, uint16(int16(s)))
		}
	}
	var wav bytes.Buffer
	require.NoError(t, speech.WriteWAV(&wav, bytes.NewReader(pcm), int64(len(pcm)/2)))
	path = filepath.Join(t.TempDir(), "call.wav")
	require.NoError(t, os.WriteFile(path, wav.Bytes(), 0o600))
	return path
}

// find looks a key up; a space is a pause.
func find(key rune) (row, column int, ok bool) {
	for row := range keys {
		if column := strings.IndexRune(keys[row], key); column >= 0 {
			return row, column, true
		}
	}
	return 0, 0, false
}

func TestKeypadIsARecognizer(t *testing.T) {
	t.Parallel()
	enginetest.Recognizer(t, keypad{},
		enginetest.Sample{Path: dial(t, "0123456789ABCD"), Text: "0 1 2 3 4 5 6 7 8 9 A B C D"},
		enginetest.Sample{Path: dial(t, "55 5   1"), Language: "zxx", Text: "5 5 5 1"},
	)
}
