package speech_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/speech"
)

func riffChunk(id string, size uint32, body []byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(id), size)
	return append(b, body...)
}

func format(code uint16, channels uint16, rate uint32, bits uint16, extra ...byte) []byte {
	var b []byte
	b = binary.LittleEndian.AppendUint16(b, code)
	b = binary.LittleEndian.AppendUint16(b, channels)
	b = binary.LittleEndian.AppendUint32(b, rate)
	b = binary.LittleEndian.AppendUint32(b, rate*uint32(channels)*uint32(bits)/8)
	b = binary.LittleEndian.AppendUint16(b, channels*bits/8)
	b = binary.LittleEndian.AppendUint16(b, bits)
	b = append(b, extra...)
	return riffChunk("fmt ", uint32(len(b)), b)
}

func wavOf(chunks ...[]byte) []byte {
	body := bytes.Join(chunks, nil)
	return append(riffChunk("RIFF", 0xFFFFFFFF, []byte("WAVE")), body...)
}

func TestOpensEveryHeader(t *testing.T) {
	t.Parallel()
	ours := format(1, 1, 16000, 16)
	extensible := format(0xFFFE, 1, 16000, 16, 22, 0, 16, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0, 0, 16, 0, 128, 0, 0, 170, 0, 56, 155, 113)
	samples := []byte{1, 0, 2, 0, 3, 0, 4, 0}
	tests := []struct {
		name string
		wav  []byte
		want []byte
	}{
		{"plain", wavOf(ours, riffChunk("data", 8, samples)), samples},
		{"length unknown", wavOf(ours, riffChunk("data", 0xFFFFFFFF, samples)), samples},
		{"length unknown, cut in a sample", wavOf(ours, riffChunk("data", 0xFFFFFFFF, samples[:7])), samples[:6]},
		{"unknown chunks before", wavOf(riffChunk("JUNK", 2, []byte("ab")), ours, riffChunk("LIST", 3, []byte("abc\x00")), riffChunk("data", 8, samples)), samples},
		{"chunks after", wavOf(ours, riffChunk("data", 8, samples), riffChunk("LIST", 2, []byte("ab"))), samples},
		{"extensible", wavOf(extensible, riffChunk("data", 8, samples)), samples},
		{"empty", wavOf(ours, riffChunk("data", 0, nil)), []byte{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rec, err := speech.NewRecording(bytes.NewReader(tt.wav), int64(len(tt.wav)))
			require.NoError(t, err)
			got, err := io.ReadAll(rec.PCM(0, 1<<40))
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
			assert.EqualValues(t, len(tt.want)/2, rec.Samples())
		})
	}
}

func TestRefusesWhatIsNotOurs(t *testing.T) {
	t.Parallel()
	data := riffChunk("data", 2, []byte{1, 0})
	tests := []struct {
		name, want string
		wav        []byte
	}{
		{"empty", "unexpected EOF", nil},
		{"not a WAV", "not a WAV", []byte("OggS00000000")},
		{"header only", "without samples: unexpected EOF", wavOf()},
		{"no samples", "without samples: unexpected EOF", wavOf(format(1, 1, 16000, 16))},
		{"no format", "without a format", wavOf(data)},
		{"short format", "want PCM", wavOf(riffChunk("fmt ", 2, []byte{1, 0}), data)},
		{"cut in the format", "read WAV format: unexpected EOF", wavOf(format(1, 1, 16000, 16)[:12])},
		{"cut off", "holds 6 of the 100 bytes of samples that its header says: unexpected EOF", wavOf(format(1, 1, 16000, 16), riffChunk("data", 100, make([]byte, 6)))},
		{"stereo", "2 channels", wavOf(format(1, 2, 16000, 16), data)},
		{"rate", "44100 Hz", wavOf(format(1, 1, 44100, 16), data)},
		{"bits", "8 bit", wavOf(format(1, 1, 16000, 8), data)},
		{"float", "format 0x3", wavOf(format(3, 1, 16000, 16), data)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := speech.NewRecording(bytes.NewReader(tt.wav), int64(len(tt.wav)))
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestOpenFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := speech.Open(filepath.Join(dir, "missing.wav"))
	require.ErrorIs(t, err, fs.ErrNotExist)

	bad := filepath.Join(dir, "bad.wav")
	require.NoError(t, os.WriteFile(bad, []byte("no"), 0o600))
	_, err = speech.Open(bad)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)

	good := filepath.Join(dir, "good.wav")
	f, err := os.Create(good)
	require.NoError(t, err)
	require.NoError(t, speech.WriteWAV(f, bytes.NewReader(make([]byte, 3200)), 1600))
	require.NoError(t, f.Close())
	rec, err := speech.Open(good)
	require.NoError(t, err)
	assert.Equal(t, 100*time.Millisecond, rec.Duration())
	require.NoError(t, rec.Close())
}

func TestWriteWAVErrors(t *testing.T) {
	t.Parallel()
	require.ErrorIs(t, speech.WriteWAV(io.Discard, bytes.NewReader(make([]byte, 3)), 2), io.ErrUnexpectedEOF)
	require.ErrorContains(t, speech.WriteWAV(io.Discard, nil, 1<<31), "do not fit")
	full := errors.New("disk full")
	require.ErrorIs(t, speech.WriteWAV(failing{full}, bytes.NewReader(nil), 0), full)
}

// forgetful is a writer like that of gocloud.dev/blob: its ReadFrom counts what
// it has read, so that io.CopyN into it takes a failed write for a good one.
type forgetful struct{ failing }

func (w forgetful) ReadFrom(r io.Reader) (int64, error) {
	data, err := io.ReadAll(r)
	if err == nil {
		_, err = w.Write(data)
	}
	return int64(len(data)), err
}

func TestAFailedWriteIsNotForgotten(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	require.ErrorIs(t, speech.WriteWAV(forgetful{failing{full}}, bytes.NewReader(make([]byte, 32000)), 16000), full)
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
