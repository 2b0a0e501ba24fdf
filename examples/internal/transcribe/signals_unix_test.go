//go:build unix

package transcribe

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// A hang-up cancels nothing: the last line says how to go on, and that does go on.
func TestHungUpProcess(t *testing.T) {
	t.Parallel()
	// Tests under nohup ignore the signal, and programs inherit that from them.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	for name, args := range map[string][]string{"job": nil, "batch": {first, second}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := servertest.New(t)
			release, file := sync.OnceFunc(s.Engine.HoldCaptions()), recording(t)
			if name == "job" {
				release, args = sync.OnceFunc(s.Engine.Hold()), []string{file}
			}
			defer release()
			var stderr watched
			cmd := program(t.Context(), s, args...)
			cmd.Stderr = &stderr
			require.NoError(t, cmd.Start())
			stderr.await(t, name+" 0")
			require.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
			var exit *exec.ExitError
			require.ErrorAs(t, cmd.Wait(), &exit)
			assert.Equal(t, exitHungUp, exit.ExitCode())
			told := regexp.MustCompile(`hung up; the ` + name + ` goes on: "transcribe --job (\S+)" returns to it\n$`).FindStringSubmatch(stderr.String())
			require.NotNil(t, told, stderr.String())

			release()
			code, stdout, said := transcribe(t.Context(), s, "", "--job", told[1])
			assert.Equal(t, exitOK, code, said)
			assert.Contains(t, stdout, "hello world")
		})
	}
}

// nohup ignores the hang-up, so the program does too.
func TestNohup(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	release := sync.OnceFunc(s.Engine.Hold())
	defer release()
	var stdout bytes.Buffer
	var stderr watched
	plain := program(t.Context(), s, recording(t))
	cmd := exec.CommandContext(t.Context(), "sh", append([]string{"-c", `trap "" HUP; exec "$@"`, "sh"}, plain.Args...)...)
	cmd.Env, cmd.Stdout, cmd.Stderr = plain.Env, &stdout, &stderr
	require.NoError(t, cmd.Start())
	stderr.await(t, "recognizing\n")
	require.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
	release()
	require.NoError(t, cmd.Wait(), stderr.String())
	assert.Equal(t, "[00:00:00] hello world\n", stdout.String())
}
