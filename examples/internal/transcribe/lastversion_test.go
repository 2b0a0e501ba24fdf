package transcribe

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/installed"
	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// TestClientsOfTheOtherVersion sends the same commands with the last version's program and with this
// version's, to a service of each version. On one service both programs print the same.
func TestClientsOfTheOtherVersion(t *testing.T) {
	if testing.Short() {
		t.Skip("compares two programs: make test-all")
	}
	t.Parallel()
	program := installed.LastVersion(t, installed.Transcribe)
	this := servertest.New(t)
	url, key := lastService(t)
	for _, s := range []struct{ version, url, key, word string }{{"this", this.URL, this.Key, "hello"}, {"last", url, key, "talk0000002"}} {
		t.Run(s.version, func(t *testing.T) {
			t.Parallel()
			for _, args := range [][]string{
				{"https://youtu.be/dQw4w9WgXcQ"},
				{"--format", "srt", "https://youtu.be/talk0000002"},
				{"../../testdata/talk.ogg"},
				{"--format", "json", "https://youtu.be/dQw4w9WgXcQ"},
				{"https://youtu.be/dQw4w9WgXcQ", "https://youtu.be/talk0000003"},
				{"search", s.word},
				{"https://nowhere.example/talk"},
			} {
				last := runProgram(t, program, s.url, s.key, args...)
				var stdout, stderr bytes.Buffer
				env := func(name string) string {
					return map[string]string{"TRANSCRIBE_KEY": s.key, "TRANSCRIBE_SERVER": s.url}[name]
				}
				code := run(t.Context(), args, env, &stdout, &stderr)
				assert.Equal(t, last.code, code, "%v: %s, but the last version: %s", args, stderr.String(), last.stderr)
				assert.Equal(t, last.stdout, stdout.String(), args)
				assert.Equal(t, strings.HasPrefix(args[len(args)-1], "https://nowhere"), code != exitOK, "%v: %s", args, stderr.String())
			}
		})
	}
}

// runProgram runs a program of the last version.
func runProgram(t *testing.T, program, url, key string, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append(os.Environ(), "TRANSCRIBE_KEY="+key, "TRANSCRIBE_SERVER="+url)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// lastService starts a service of the last version.
func lastService(t *testing.T) (url, key string) {
	t.Helper()
	dir := t.TempDir()
	database := "sqlite:" + filepath.Join(dir, "service.db")
	var secret []byte
	for _, command := range []string{"accounts set acme", "keys create --account acme --name test --scopes transcripts,batches"} {
		cmd := exec.CommandContext(t.Context(), installed.LastVersion(t, installed.Transcriptd), append(strings.Fields(command), "--db", database)...)
		var err error
		secret, err = cmd.Output()
		require.NoError(t, err, command)
	}
	cmd := exec.CommandContext(t.Context(), installed.LastVersion(t, installed.E2E), "-test.run=^$")
	cmd.Env = append(os.Environ(), "E2E_CHILD_DATABASE="+database, "E2E_CHILD_BLOBS="+filepath.Join(dir, "blobs"),
		"E2E_CHILD_DIARY="+filepath.Join(dir, "diary"), "E2E_CHILD_ADDR=127.0.0.1:0", "E2E_CHILD_MIN_FREE=0")
	cmd.Stderr = os.Stderr
	_, err := cmd.StdinPipe() // the service ends with it
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // the end of the test may have killed it
		_ = cmd.Wait()         // reports the kill
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err, "the service did not start")
	return "http://" + strings.TrimPrefix(strings.TrimSpace(line), "listening "), strings.TrimSpace(string(secret))
}
