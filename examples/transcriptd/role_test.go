package main

import (
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest" // a PostgreSQL that the test starts by itself
)

// A process that accepts requests starts no program and asks for none; one that works
// listens only where metrics are shown.
func TestServeInRoles(t *testing.T) {
	t.Parallel()
	o := storetest.Postgres(t)
	env := []string{"TRANSCRIPTD_DB=" + o.Database, "TRANSCRIPTD_BLOBS=" + o.Blobs, "PATH=/nowhere"}
	api := start(t, env, "--role", "api", "--yt-dlp", "nothing", "--asr", "whisper-cli:/nowhere/model")
	assert.Contains(t, api.greeting, "blobs are kept in a local folder")
	for _, word := range []string{"recognizer", "links", "programs"} {
		assert.NotContains(t, api.greeting, word)
	}
	assert.Equal(t, "none", readiness(t, api.addr)["workers"])

	free, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	at := free.Addr().String()
	require.NoError(t, free.Close())
	worker := awaitLine(t, program(t, append(env, "PATH="+os.Getenv("PATH")),
		"serve", "--role", "worker", "--listen", api.addr, "--metrics", at, "--drain-delay", "1h"), regexp.MustCompile(`msg=(working)\n$`))
	assert.NotContains(t, worker.greeting, "msg=listening")
	assert.Equal(t, http.StatusOK, get(t, "http://"+at+"/readyz"))
	assert.Equal(t, http.StatusNotFound, get(t, "http://"+at+"/v1/transcript"))
	require.Eventually(t, func() bool { return readiness(t, api.addr)["asr"] == "ok" }, time.Minute, 50*time.Millisecond)

	for _, p := range []*process{worker, api} {
		require.NoError(t, p.Process.Signal(syscall.SIGTERM))
		code, log := p.end(t)
		assert.Equal(t, exitOK, code, log)
		assert.NotContains(t, log, "level=ERROR")
	}
}

// The commands of docs/operate/many-machines.md are those of this program.
func TestManyMachinesInOperations(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/operate/many-machines.md")
	require.NoError(t, err)
	o := storetest.Postgres(t)
	env := []string{"TRANSCRIPTD_DB=" + o.Database, "TRANSCRIPTD_BLOBS=" + o.Blobs}
	commands := regexp.MustCompile(`(?m)^transcriptd (.*)$`).FindAllStringSubmatch(strings.Split(string(page), "```")[1], -1)
	require.Len(t, commands, 3)
	for _, command := range commands[:2] { // the third wants a model
		args := strings.NewReplacer(":8080", "127.0.0.1:0", ":9090", "127.0.0.1:0").Replace(command[1])
		p := awaitLine(t, program(t, env, strings.Fields(args)...), regexp.MustCompile(`msg=(listening|working)`))
		require.NoError(t, p.Process.Signal(syscall.SIGTERM))
		code, log := p.end(t)
		assert.Equal(t, exitOK, code, log)
	}
	code, _, stderr := finish(program(t, env, strings.Fields(commands[2][1])...))
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, stderr, "The model ggml-base.bin cannot be used")
}
