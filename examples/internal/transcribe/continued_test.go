package transcribe

import (
	"bytes"
	"context"
	"io"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// beginBatch begins a batch whose items are held.
func beginBatch(t *testing.T, s *servertest.Server) (c *client.Client, id string, release func()) {
	t.Helper()
	release = sync.OnceFunc(s.Engine.HoldCaptions())
	t.Cleanup(release)
	c, err := client.New(s.URL, client.WithAPIKey(s.Key))
	require.NoError(t, err)
	made, err := c.Batches.Create(t.Context(), client.BatchParams{URLs: []string{first, second}})
	require.NoError(t, err)
	return c, made.ID, release
}

// --job takes the id of a batch too.
func TestGoOnWithABatch(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	_, id, release := beginBatch(t, s)
	var stdout bytes.Buffer
	var stderr watched
	ended := make(chan int)
	go func() {
		ended <- run(t.Context(), []string{"--server", s.URL, "--format", "csv", "--job", id}, func(string) string { return s.Key }, &stdout, &stderr)
	}()
	stderr.await(t, "batch "+id+": 0 of 2 done, 0 failed\n")
	release()
	assert.Equal(t, exitOK, <-ended, stderr.String())
	assert.Contains(t, stdout.String(), "dQw4w9WgXcQ")
	assert.Contains(t, stdout.String(), "9bZkp7q19f0")

	code, _, said := transcribe(t.Context(), s, "", "--format", "md", "--job", id)
	assert.Equal(t, exitFailure, code)
	assert.Contains(t, said, "transcribe: --job "+id+": --format md: a batch can be txt, srt, vtt, json, csv or zip\n")

	job, release := begin(t, s, transcript.Request{})
	release()
	code, _, said = transcribe(t.Context(), s, "", "--format", "csv", "--job", job)
	assert.Equal(t, exitFailure, code)
	assert.Contains(t, said, "transcribe: --job "+job+": --format csv: a job can be txt, srt, vtt, json, md, docx or html\n")
}

// An interruption of a call that looks on leaves the batch to the call that began it.
func TestInterruptedLookerOnAtABatch(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	c, id, _ := beginBatch(t, s)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var stderr watched
	ended := make(chan int)
	go func() {
		ended <- run(ctx, []string{"--server", s.URL, "--job", id}, func(string) string { return s.Key }, io.Discard, &stderr)
	}()
	stderr.await(t, "0 of 2 done")
	interrupt()
	assert.Equal(t, exitInterrupted, <-ended)
	assert.Contains(t, stderr.String(), `interrupted; the batch goes on: "transcribe --job `+id+`" returns to it`)
	now, err := c.Batches.Get(t.Context(), id)
	require.NoError(t, err)
	assert.Equal(t, batch.Processing, now.Status)
}
