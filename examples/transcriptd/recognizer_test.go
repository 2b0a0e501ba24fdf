package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// A recording is recognized by the server that was named, with the key of the
// file, and the transcript tells by whom.
func TestServeRecognizesWithServers(t *testing.T) {
	t.Parallel()
	needPrograms(t)
	const said = `{"task":"transcribe","language":"english","duration":8.0,"text":" This is a short talk.",
		"segments":[{"id":0,"text":" This is a short talk.","start":0.5,"end":2.5,"temperature":0.0,"avg_logprob":-0.2,"no_speech_prob":0.01}]}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/health":
			fmt.Fprint(w, `{"status":"ok"}`)
		case "/v1/models":
			fmt.Fprint(w, `{"object":"list","data":[]}`)
		case "/inference":
			fmt.Fprint(w, said)
		case "/v1/audio/transcriptions":
			if r.Header.Get("Authorization") != "Bearer sk-short" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			fmt.Fprint(w, said)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	key := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(key, []byte("sk-short\n"), 0o600))
	for engine, args := range map[string][]string{
		"whisper-server": {"--asr", "whisper-server:" + server.URL},
		"openai":         {"--asr", "openai:" + server.URL + "/v1", "--asr-key-file", key, "--asr-model", "small"},
	} {
		db := newDatabase(t)
		p := start(t, nil, append(args, "--db", db)...)
		assert.Equal(t, "ok", readiness(t, p.addr)["asr"], engine)
		result, err := reader(t, db, p.addr).Transcripts.Get(t.Context(), transcript.Request{
			Source: transcript.File(recording), SendMetadata: true,
		})
		require.NoError(t, err, engine)
		assert.Equal(t, "This is a short talk.", result.Transcript.Segments[0].Text)
		assert.Equal(t, "en", result.Transcript.Lang)
		assert.Equal(t, engine, result.Transcript.Metadata["engine"])
		assert.NotContains(t, stop(t, p), "sk-short")
	}
}
