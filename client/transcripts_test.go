package client_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestSubmitFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "talk.mp3")
	require.NoError(t, os.WriteFile(path, []byte("the media"), 0o600))
	type seen struct {
		form          map[string][]string
		name, content string
		length        int64
		header        http.Header
	}
	got := make(chan seen, 1)
	c := served(t, func(w http.ResponseWriter, r *http.Request) {
		s := seen{length: r.ContentLength, header: r.Header}
		assert.NoError(t, r.ParseMultipartForm(1<<20))
		s.form = r.MultipartForm.Value
		f, h, err := r.FormFile("file")
		if assert.NoError(t, err) {
			b, _ := io.ReadAll(f)
			s.name, s.content = h.Filename, string(b)
		}
		got <- s
		writeJSON(w, http.StatusAccepted, jobBody("pending", "queued", 1))
	})
	wait := 0 * time.Second
	result, job, err := c.Transcripts.Submit(t.Context(), transcript.Request{
		Source: transcript.File(path), Language: []string{"asr-en", "de"},
		Format: transcript.Text, OmitTimestamp: true, SendMetadata: true, Wait: &wait, KeepMedia: time.Hour, RecordingOf: "0a",
		Listening: transcript.Listening{AudioTrack: "2", Channels: transcript.SeparateChannels, Speakers: transcript.NoSpeakers, RequireWhole: true},
	})
	require.NoError(t, err)
	require.Nil(t, result)
	assert.Equal(t, jobID, job.JobID)
	assert.Equal(t, transcript.JobPending, job.Status)

	s := <-got
	assert.Equal(t, map[string][]string{"language": {"asr-en,de"}, "format": {"text"},
		"includeTimestamp": {"false"}, "sendMetadata": {"true"}, "waitMs": {"0"}, "keepMediaSec": {"3600"}, "recordingOf": {"0a"},
		"audioTrack": {"2"}, "channels": {"separate"}, "speakers": {"none"}, "requireWhole": {"true"}}, s.form)
	assert.Equal(t, "talk.mp3", s.name)
	assert.Equal(t, "the media", s.content)
	assert.Positive(t, s.length, "the length is announced")
	assert.Equal(t, "Bearer "+key, s.header.Get("Authorization"))
	assert.NotEmpty(t, s.header.Get("Idempotency-Key"))
	assert.Equal(t, "transcriptkit-go", s.header.Get("User-Agent"))
}

func TestSubmitWithoutSource(t *testing.T) {
	t.Parallel()
	c, mt := mocked(t)
	_, _, err := c.Transcripts.Submit(t.Context(), transcript.Request{})
	require.ErrorContains(t, err, "no source")
	_, err = c.Transcripts.Get(t.Context(), transcript.Request{Language: []string{"en"}})
	require.ErrorContains(t, err, "no source")
	assert.Zero(t, mt.GetTotalCallCount())
}
