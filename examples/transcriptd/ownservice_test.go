package main

import (
	"bytes"
	"database/sql"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/account"
)

// An interruption keeps the work, and says how to go on with it.
func TestTranscribeIsInterrupted(t *testing.T) {
	t.Parallel()
	needPrograms(t)
	state, h := t.TempDir(), newHearing(t)
	h.holdFrom(3)
	cmd := transcribing(t, state, h)
	rest := runUntil(t, cmd, "recognizing")
	require.Eventually(t, func() bool { return h.requests() == 3 }, time.Minute, 5*time.Millisecond)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	said, err := io.ReadAll(rest)
	require.NoError(t, err)
	_ = cmd.Wait() // the state tells
	assert.Equal(t, 130, cmd.ProcessState.ExitCode())
	assert.Contains(t, string(said), "talk.ogg: interrupted; the same command goes on with it\n")

	h.goOn()
	code, text, stderr := finish(transcribing(t, state, h))
	assert.Equal(t, exitOK, code, stderr)
	assert.Contains(t, text, "word")
	assert.Equal(t, 1, h.most(), "a sound was recognized twice")
}

// Two calls at once share a service. If the process with the service dies, the other call goes on.
func TestTranscribeTwiceAtOnce(t *testing.T) {
	t.Parallel()
	needPrograms(t)
	state, h := t.TempDir(), newHearing(t)
	h.holdFrom(3)
	first := transcribing(t, state, h)
	_ = runUntil(t, first, "recognizing")
	second := transcribing(t, state, h)
	var text bytes.Buffer
	second.Stdout = &text
	rest := runUntil(t, second, "recognizing")
	require.Eventually(t, func() bool { return h.requests() == 3 }, time.Minute, 5*time.Millisecond)
	require.NoError(t, first.Process.Kill())
	_ = first.Wait() // reports the kill
	h.goOn()
	said, err := io.ReadAll(rest)
	require.NoError(t, err)
	require.NoError(t, second.Wait(), string(said))
	assert.Contains(t, text.String(), "word")
	assert.Equal(t, 1, h.most(), "a sound was recognized twice")
}

// A file of 16 MiB and more goes up as a resumable upload.
func TestTranscribeALargeRecording(t *testing.T) {
	full(t)
	t.Parallel()
	needPrograms(t)
	large := filepath.Join(t.TempDir(), "talk.wav")
	out, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-i", recording, "-af", "apad", "-ac", "2", "-ar", "48000", "-t", "90", large).CombinedOutput()
	require.NoError(t, err, "%s", out)
	file, err := os.Stat(large)
	require.NoError(t, err)
	require.Greater(t, file.Size(), int64(16<<20))
	code, stdout, stderr := finish(program(t, atHome(t.TempDir()), "transcribe", "--asr", "openai:"+newHearing(t).URL+"/v1", large))
	require.Equal(t, exitOK, code, stderr)
	assert.NotEmpty(t, stdout)
}

// Each call has turns of its own, so that the work of an interrupted call holds up no new one.
func TestCallers(t *testing.T) {
	t.Parallel()
	of := func(authorization string) (account.Principal, error) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Header.Set("Authorization", authorization)
		return callers{"secret"}.Authenticate(t.Context(), r)
	}
	one, err := of("Bearer secret.one")
	require.NoError(t, err)
	two, err := of("Bearer secret.two")
	require.NoError(t, err)
	assert.Equal(t, one.Account, two.Account)
	assert.NotEqual(t, one.Plan.Name, two.Plan.Name)
	assert.True(t, one.Plan.SharedTurn)
	for _, wrong := range []string{"", "secret", "Bearer ", "Bearer .one", "Bearer secre.one", "Bearer secretone"} {
		_, err := of(wrong)
		require.Error(t, err, wrong)
	}
}

// Each fault of the state folder has a cure for the user.
func TestTranscribeWithoutAState(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	damaged := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(damaged, "transcriptd"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(damaged, "transcriptd", "transcribe.db"), bytes.Repeat([]byte("no database "), 100), 0o600))
	for _, tc := range []struct{ home, says string }{
		{"", "name a folder by XDG_STATE_HOME\n"},
		{file, "name another folder by XDG_STATE_HOME\n"},
		{damaged, "without the files in " + damaged + "/transcriptd, the command begins from zero"},
	} {
		code, stdout, stderr := finish(transcribing(t, tc.home, newHearing(t)))
		assert.Equal(t, exitFailure, code, tc.says)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, tc.says)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
	st, err := os.Stat(filepath.Join(damaged, "transcriptd"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), st.Mode().Perm(), "closed to others")
}

// A program of a newer version has changed the tables: this one still works with them.
func TestTranscribeWithANewerState(t *testing.T) {
	t.Parallel()
	needPrograms(t)
	state, h := t.TempDir(), newHearing(t)
	code, first, stderr := finish(transcribing(t, state, h))
	require.Equal(t, exitOK, code, stderr)
	db, err := sql.Open("sqlite", filepath.Join(state, "transcriptd", "transcribe.db"))
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)`)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	code, again, stderr := finish(transcribing(t, state, h))
	assert.Equal(t, exitOK, code, stderr)
	assert.Equal(t, first, again)
	assert.Equal(t, 1, h.most())
}
