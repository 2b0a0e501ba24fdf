package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// process is the program as the shell would start it.
type process struct {
	*exec.Cmd
	addr     string
	greeting string        // what it logged until it listened
	logged   *bufio.Reader // what it logs from then on
}

// program prepares a process with an environment of its own.
func program(t testing.TB, env []string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel) // and kills what is left of it
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append([]string{asProgram + "=1", "TRANSCRIPTD_DRAIN_DELAY=0", noWhisper + "=" + os.Getenv(noWhisper), "PATH=" + os.Getenv("PATH"),
		"GOCOVERDIR=" + t.TempDir(), "GORACE=" + os.Getenv("GORACE")}, env...)
	cmd.Dir = t.TempDir()
	return cmd
}

// start starts a server on a free port and waits until it listens. Its yt-dlp only says what it
// is, which takes the real one a second or two: a test that reads links by it passes realYtDlp.
func start(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	return await(t, program(t, append([]string{quickYtDlp()}, env...), append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...))
}

// realYtDlp is the variable with which a program takes the yt-dlp of this machine.
const realYtDlp = "TRANSCRIPTD_YT_DLP="

// quickYtDlp is the variable with which a program takes what stands in for yt-dlp. TestMain removes
// its folder.
var quickYtDlp = sync.OnceValue(func() string {
	standIn, err := filepath.Abs("testdata/doctor/yt-dlp")
	if err != nil {
		panic(err)
	}
	says, err := os.ReadFile("../../server/engine/ytdlp/testdata/equipment/full.txt")
	if err != nil {
		panic(err)
	}
	program := filepath.Join(standIns, "yt-dlp")
	fresh := time.Now().UTC().AddDate(0, 0, -10).Format("2006.01.02\n")
	if err := errors.Join(os.Symlink(standIn, program), os.WriteFile(filepath.Join(standIns, "version"), []byte(fresh), 0o600),
		os.WriteFile(filepath.Join(standIns, "says"), says, 0o600)); err != nil {
		panic(err)
	}
	return realYtDlp + program
})

// await starts a server and waits until it listens.
func await(t testing.TB, cmd *exec.Cmd) *process {
	t.Helper()
	return awaitLine(t, cmd, regexp.MustCompile(`msg"?[=:]"?listening"?[ ,]"?addr"?[=:]"?(127\.0\.0\.1:\d+)"?\}?\n$`))
}

// awaitLine starts a server and waits until it logs a line, whose first group is its
// address.
func awaitLine(t testing.TB, cmd *exec.Cmd, listening *regexp.Regexp) *process {
	t.Helper()
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	p := &process{Cmd: cmd, logged: bufio.NewReader(stderr)}
	for {
		line, err := p.logged.ReadString('\n')
		p.greeting += line
		require.NoError(t, err, p.greeting)
		if found := listening.FindStringSubmatch(line); found != nil {
			p.addr = found[1]
			return p
		}
	}
}

// end waits for the process and returns its exit code and the rest of its log.
func (p *process) end(t testing.TB) (code int, log string) {
	t.Helper()
	rest, err := io.ReadAll(p.logged)
	require.NoError(t, err)
	_ = p.Wait() // the state tells
	return p.ProcessState.ExitCode(), string(rest)
}

// finish runs a process to its end.
func finish(cmd *exec.Cmd) (code int, stdout, stderr string) {
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	_ = cmd.Run() // the state tells
	return cmd.ProcessState.ExitCode(), out.String(), log.String()
}

func get(t *testing.T, url string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	return res.StatusCode
}

func TestServeEndsOnASignal(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		p := start(t, nil)
		assert.Equal(t, http.StatusOK, get(t, "http://"+p.addr+"/healthz"))
		assert.Equal(t, http.StatusOK, get(t, "http://"+p.addr+"/readyz"))
		assert.FileExists(t, filepath.Join(p.Dir, "transcriptd.db"), "the default database")
		require.NoError(t, p.Process.Signal(signal))
		code, log := p.end(t)
		assert.Equal(t, exitOK, code, "%v: %s", signal, log)
		assert.NotContains(t, log, "level=ERROR")
	}
}

// A load balancer has the time to look elsewhere.
func TestServeDrains(t *testing.T) {
	t.Parallel()
	const delay = 5 * time.Second // in which a busy machine answers some questions
	p := start(t, nil, "--drain-delay", delay.String())
	require.Equal(t, http.StatusOK, get(t, "http://"+p.addr+"/readyz"))
	began := time.Now()
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	require.Eventually(t, func() bool { return get(t, "http://"+p.addr+"/readyz") == http.StatusServiceUnavailable }, delay, 5*time.Millisecond)
	assert.Equal(t, http.StatusOK, get(t, "http://"+p.addr+"/healthz"), "everything still works")
	code, log := p.end(t)
	assert.Equal(t, exitOK, code, log)
	assert.GreaterOrEqual(t, time.Since(began), delay)

	code, _, stderr := finish(program(t, nil, "serve", "--drain-delay", "-1s"))
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, stderr, "--drain-delay")
}

// readiness is what /readyz says of the parts of a service that is up, without the cures.
func readiness(t *testing.T, addr string) map[string]string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+addr+"/readyz", nil)
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	var ready struct{ Checks map[string]string }
	require.NoError(t, json.NewDecoder(res.Body).Decode(&ready))
	assert.Equal(t, http.StatusOK, res.StatusCode)
	for name, said := range ready.Checks {
		ready.Checks[name], _, _ = strings.Cut(said, ": ") // and the cure
	}
	return ready.Checks
}

// What --asr names, and without it the best that is there, with the command that gets
// better ones.
func TestServeSaysWhoRecognizes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program, model := filepath.Join(dir, "whisper-cli"), filepath.Join(dir, "ggml-base.en.bin")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700))
	head := []byte("lmgg\x98\xca\x00\x00\xdc\x05\x00\x00\x00\x02\x00\x00\x08\x00\x00\x00\x06\x00\x00\x00")
	require.NoError(t, os.WriteFile(model, head, 0o600)) // all that is read before there is work
	for _, test := range []struct {
		args, says, ready string
	}{
		{"--models " + t.TempDir(), `msg=recognizer asr=pocketsphinx model=\S+ quality="low.*transcriptd models pull small.*why="nothing better`, "ok"},
		{"--asr none", `msg=recognizer asr=none why="--asr says so".*only links with captions`, "unavailable"},
		{"--models " + dir + " --recognizers " + settingsFile(t, `{"whisperCLI": %q}`, program), `asr=whisper-cli model=base.en quality="?base.*why="found in ` + dir, "ok"},
		{"--asr whisper-server:http://127.0.0.1:1 --recognizers " + settingsFile(t, `{"whisperServer": {"model": "base"}}`), `asr=whisper-server model=base`, "unavailable"},
		{"--asr openai:http://127.0.0.1:1/v1 --recognizers " + settingsFile(t, `{"openai": {"model": "small"}}`), `asr=openai model=small quality="?as good`, "unavailable"},
	} {
		p := start(t, nil, strings.Fields(test.args)...)
		assert.Regexp(t, test.says, p.greeting, test.args)
		// Where an answer takes long, a check says "unavailable" for a while.
		require.Eventually(t, func() bool { return strings.HasPrefix(readiness(t, p.addr)["asr"], test.ready) }, time.Minute, 50*time.Millisecond, test.args)
		require.NoError(t, p.Process.Signal(syscall.SIGTERM))
		code, _ := p.end(t)
		assert.Equal(t, exitOK, code)
	}
}

func TestSecondServerOnTheSameFile(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	first := start(t, []string{"TRANSCRIPTD_DB=" + db})
	code, stdout, stderr := finish(program(t, nil, "serve", "--listen", "127.0.0.1:0", "--db", db))
	assert.Equal(t, exitFailure, code)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "transcriptd: ")
	assert.Contains(t, stderr, "another process serves this database: stop that one, or name another")

	assert.Equal(t, exitOK, call(t, "accounts", "set", "acme", "--db", db).code, "other commands work beside it")
	assert.Equal(t, http.StatusOK, get(t, "http://"+first.addr+"/readyz"))
	require.NoError(t, first.Process.Kill())
	_, _ = first.end(t)

	second := start(t, nil, "--db", db)
	require.NoError(t, second.Process.Signal(syscall.SIGTERM))
	code, log := second.end(t)
	assert.Equal(t, exitOK, code, "the lock died with its process: %s", log)
}

func TestBusyPort(t *testing.T) {
	t.Parallel()
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	addr := taken.Addr().String()
	code, _, stderr := finish(program(t, []string{"TRANSCRIPTD_LISTEN=" + addr}, "serve"))
	assert.Equal(t, exitFailure, code)
	assert.Contains(t, stderr, addr)
	assert.Contains(t, stderr, "another program listens on")
	assert.Contains(t, stderr, "--listen: ")
}

// An upload that stalls holds up the drain; whoever asks twice does not want to
// wait for it.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	must(t, "accounts", "set", "acme", "--db", db)
	key := strings.TrimSpace(must(t, "keys", "create", "--account", "acme", "--name", "ci", "--scopes", "transcripts", "--db", db).stdout)
	p := start(t, nil, "--db", db)
	stall(t, p.addr, key)

	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	for line := ""; !strings.Contains(line, "msg=draining"); {
		var err error
		line, err = p.logged.ReadString('\n')
		require.NoError(t, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.Discard, p.logged) // until it ends
		_ = p.Wait()                         // the state tells
	}()
	// The first signal is heard a moment before the second one means more.
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for began := time.Now(); ; {
		select {
		case <-again.C:
			_ = p.Process.Signal(syscall.SIGTERM) // it may have ended
			require.Less(t, time.Since(began), time.Minute)
			continue
		case <-ended:
		}
		break
	}
	status, ok := p.ProcessState.Sys().(syscall.WaitStatus)
	require.True(t, ok)
	assert.True(t, status.Signaled(), "it did not wait for the upload, which Stop cuts off later")
}

// stall begins an upload and does not go on with it.
func stall(t *testing.T, addr, key string) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() }) // the server may have closed it
	_, err = fmt.Fprintf(conn, "POST /v1/transcript HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n", addr, key)
	require.NoError(t, err)
	// The server asks for the body once the handler reads it.
	answer, err := bufio.NewReader(conn).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, answer, "100 Continue")
}
