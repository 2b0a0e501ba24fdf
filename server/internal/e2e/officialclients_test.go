//go:build officialclients

package e2e_test

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
)

// TestOfficialClientsLargeFile sends a recording of 300 MB by each of the official clients of OpenAI's
// API. The service needs memory for neither.
func TestOfficialClientsLargeFile(t *testing.T) {
	t.Parallel()
	for name, send := range map[string]func(t *testing.T, c *child, key, file string) string{
		"go": sendByGo, "python": sendByPython,
	} {
		t.Run(name, func(t *testing.T) {
			s := newPlace(t, storetest.SQLite(t).Database)
			key := s.makeKey(t)
			c := s.spawn(t, "127.0.0.1:0")
			idle := c.peakMemory(t)
			began := time.Now()
			text := send(t, c, key, quietRecording(t))
			peak := c.peakMemory(t)
			t.Logf("%v; the service took %d MB at most, and %d MB before the file", time.Since(began).Round(time.Millisecond), peak>>10, idle>>10)
			assert.NotEmpty(t, text)
			assert.Less(t, peak-idle, 150<<10, "kB")
		})
	}
}

func sendByGo(t *testing.T, c *child, key, file string) string {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	to := openai.NewClient(option.WithBaseURL(c.url+"/v1"), option.WithAPIKey(key), option.WithMaxRetries(0))
	said, err := to.Audio.Transcriptions.New(t.Context(), openai.AudioTranscriptionNewParams{File: f, Model: openai.AudioModelWhisper1})
	require.NoError(t, err)
	return said.Text
}

func sendByPython(t *testing.T, c *child, key, file string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "../../../bin/openai/bin/python", "../openaiface/testdata/large.py", c.url, key, file)
	var told strings.Builder
	cmd.Stderr = &told
	text, err := cmd.Output()
	t.Log(told.String())
	require.NoError(t, err)
	return strings.TrimSpace(string(text))
}

// quietRecording is a recording of 300 MB that is silent except for two seconds in the middle. It
// takes little room on the disk.
func quietRecording(t *testing.T) string {
	t.Helper()
	const (
		rate  = 48_000
		frame = 4 // bytes: two channels with 16 bits
		data  = 300_000_000
	)
	path := filepath.Join(t.TempDir(), "quiet.wav")
	f, err := os.Create(path)
	require.NoError(t, err)
	for _, field := range []any{
		[]byte("RIFF"), uint32(36 + data), []byte("WAVEfmt "), uint32(16), uint16(1), uint16(2),
		uint32(rate), uint32(rate * frame), uint16(frame), uint16(16), []byte("data"), uint32(data),
	} {
		require.NoError(t, binary.Write(f, binary.LittleEndian, field))
	}
	burst := make([]byte, 2*rate*frame)
	for i := 0; i < len(burst); i += 2 { // a square wave of 240 Hz
		level := int16(8000)
		if i/(100*frame)%2 == 1 {
			level = -level
		}
		binary.LittleEndian.PutUint16(burst[i:], uint16(level))
	}
	_, err = f.WriteAt(burst, 44+data/2)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(44+data))
	require.NoError(t, f.Close())
	return path
}
