//go:build officialclients

package openaiface_test

import (
	"context"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// make test-clients makes the environment of the official Python client, and runs these tests.

// python is a run of a part of testdata/client.py against the service.
func (s *service) python(ctx context.Context, t *testing.T, part string) error {
	t.Helper()
	python, err := filepath.Abs("../../../bin/openai/bin/python")
	require.NoError(t, err)
	out, err := exec.CommandContext(ctx, python, "testdata/client.py", s.URL, s.Key, part).CombinedOutput()
	if err != nil && ctx.Err() == nil {
		t.Logf("%s: %s", part, out)
	}
	return err
}

func TestOfficialPythonClient(t *testing.T) {
	t.Parallel()
	s := start(t, withSpeakers())
	s.Engine.SetRecognize(talk)
	for _, part := range []string{"formats", "streams", "errors"} {
		assert.NoError(t, s.python(t.Context(), t, part))
	}
	s.Engine.Fail(transcript.Errorf(transcript.UploadInvalid, "The file has no sound."))
	assert.NoError(t, s.python(t.Context(), t, "failed"))
}

// A client that dies and a client that leaves a stream leave one job, which the next client joins.
func TestOfficialPythonClientBroken(t *testing.T) {
	t.Parallel()
	s := start(t, withSpeakers())
	s.Engine.SetRecognize(talk)
	release := s.Engine.Hold()
	defer release()
	ctx, kill := context.WithCancel(t.Context())
	died := make(chan error, 1)
	go func() { died <- s.python(ctx, t, "waits") }()
	require.NoError(t, s.Engine.Await(t.Context(), 1))
	kill()
	require.Error(t, <-died)
	require.NoError(t, s.python(t.Context(), t, "leaves"))
	release()
	require.NoError(t, s.python(t.Context(), t, "waits"))
	assert.Equal(t, 1, s.Engine.Recognitions(), "the three requests have one job")
}

// A client that waits gets the text also if the service restarts.
func TestOfficialPythonClientAcrossARestart(t *testing.T) {
	t.Parallel()
	s := start(t, withSpeakers())
	s.Engine.SetRecognize(talk)
	release := s.Engine.Hold()
	defer release()
	waited := make(chan error, 1)
	go func() { waited <- s.python(t.Context(), t, "waits") }()
	require.NoError(t, s.Engine.Await(t.Context(), 1))
	require.NoError(t, s.Restart(t.Context()))
	release()
	require.NoError(t, <-waited)
	list := s.do(t, http.MethodGet, "/v1/library/transcripts", nil)
	assert.Equal(t, 1, strings.Count(list.body, `"externalId"`), list.body)
}
