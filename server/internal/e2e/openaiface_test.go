package e2e_test

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
)

// A real recognizer hears the beginning of the demo's talk through the OpenAI-compatible face, and
// the words come back with their times.
func TestSpeechThroughTheOpenAIFace(t *testing.T) {
	t.Parallel()
	const said = "This is a short talk about a program that listens."
	begin := filepath.Join(t.TempDir(), "begin.ogg")
	out, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-t", "2.95", "-i", "../../../examples/testdata/talk.ogg", "-c", "copy", begin).CombinedOutput()
	require.NoError(t, err, "%s", out)
	talk, err := os.ReadFile(begin)
	require.NoError(t, err)

	s := startService(t)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, field := range [][2]string{
		{"model", "whisper-1"}, {"response_format", "verbose_json"}, {"timestamp_granularities[]", "word"}, {"timestamp_granularities[]", "segment"},
	} {
		require.NoError(t, form.WriteField(field[0], field[1]))
	}
	file, err := form.CreateFormFile("file", "begin.ogg")
	require.NoError(t, err)
	_, err = file.Write(talk)
	require.NoError(t, err)
	require.NoError(t, form.Close())
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/audio/transcriptions", &body)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+s.key)
	r.Header.Set("Content-Type", form.FormDataContentType())
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, resp.StatusCode, "%s", text)

	var heard struct {
		Text     string
		Duration float64
		Segments []struct{ Text string }
		Words    []struct {
			Word       string
			Start, End float64
		}
	}
	require.NoError(t, json.Unmarshal(text, &heard))
	assert.Less(t, speechtest.WordErrorRate(said, heard.Text), 0.25, heard.Text)
	assert.NotEmpty(t, heard.Segments)
	words, last := make([]string, 0, len(heard.Words)), 0.0
	for _, word := range heard.Words {
		words = append(words, word.Word)
		assert.LessOrEqual(t, last, word.Start, "%s", text)
		assert.Less(t, word.Start, word.End, "%s", text)
		last = word.Start
	}
	assert.LessOrEqual(t, last, heard.Duration)
	assert.Equal(t, strings.Fields(heard.Text), words)
}
