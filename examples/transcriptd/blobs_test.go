package main

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest" // a database and a bucket that the test starts by itself
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TestServeWithABucket: uploads go into it and are gone with their job, no link leads
// to it, every line of the log is JSON, and none repeats a password.
func TestServeWithABucket(t *testing.T) {
	full(t)
	t.Parallel()
	b := storetest.NewBucket(t)
	place, err := url.Parse(b.URL)
	require.NoError(t, err)
	endpoint, err := url.Parse(place.Query().Get("endpoint"))
	require.NoError(t, err)
	database, err := url.Parse(storetest.Postgres(t).Database)
	require.NoError(t, err)
	database.User = url.UserPassword(database.User.Username(), "hunter2")
	db := database.String()
	key := os.Getenv("AWS_SECRET_ACCESS_KEY") // of the bucket
	require.NotEmpty(t, key)
	env := []string{
		"AWS_ACCESS_KEY_ID=" + os.Getenv("AWS_ACCESS_KEY_ID"), "AWS_SECRET_ACCESS_KEY=" + key, "AWS_EC2_METADATA_DISABLED=true",
		"TRANSCRIPTD_BLOBS=" + b.URL, "TRANSCRIPTD_DB=" + db, "TRANSCRIPTD_LOG_FORMAT=json",
	}
	code, _, log := finish(program(t, env, "serve", "--listen", "127.0.0.1:0", "--allow-egress", endpoint.Host))
	require.Equal(t, exitUsage, code, log)
	require.Contains(t, log, endpoint.Host+" is the deployment's own "+endpoint.Host+", which no link may reach")

	recording := filepath.Join(t.TempDir(), "talk.wav")
	require.NoError(t, os.WriteFile(recording, []byte("no recording"), 0o600))
	p := start(t, env, "--asr", "none")
	c := reader(t, db, p.addr)
	for _, source := range []transcript.Source{transcript.URL("https://youtu.be/abcdefghijk"), transcript.File(recording)} {
		_, err := c.Transcripts.Get(t.Context(), transcript.Request{Source: source})
		require.Error(t, err)
	}
	require.Eventually(t, func() bool { return len(b.Left(t)) == 0 }, time.Minute, 5*time.Millisecond)
	log = p.greeting + stop(t, p)
	for line := range strings.Lines(log) {
		assert.True(t, json.Valid([]byte(line)), line)
	}
	assert.NotContains(t, log, "hunter2")
	assert.NotContains(t, log, key)
}

// TestServeWithoutItsBucket ends at once, in one line that names it.
func TestServeWithoutItsBucket(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{
		"text": `transcriptd: the blobs at s3://nowhere cannot be written and read: check `,
		"json": `{"time":"[^"]*","level":"ERROR","msg":"ended","err":"the blobs at s3://nowhere cannot be written and read: check `,
	} {
		env := []string{"AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=hunter2", "AWS_EC2_METADATA_DISABLED=true"}
		code, _, log := finish(program(t, env, "serve", "--listen", "127.0.0.1:0", "--log-format", format,
			"--blobs", "s3://nowhere?region=us-east-1&use_path_style=true&endpoint=http://127.0.0.1:1"))
		assert.Equal(t, exitFailure, code, log)
		assert.Regexp(t, `\A`+want+`[^\n]+\n\z`, lastLine(log))
		assert.NotContains(t, log, "hunter2")
	}
}
