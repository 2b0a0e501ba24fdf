package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hearing is a recognizer with OpenAI's API that says a word of its own for each sound.
type hearing struct {
	*httptest.Server
	mu    sync.Mutex
	heard map[string]int // answers by word
	asked int
	hold  func(n int) bool // whether the n-th request has to wait for the end of its client
}

func newHearing(t *testing.T) *hearing {
	t.Helper()
	h := &hearing{heard: map[string]int{}}
	h.Server = httptest.NewServer(http.HandlerFunc(h.answer))
	t.Cleanup(h.Close)
	return h
}

func (h *hearing) answer(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		fmt.Fprint(w, `{"object":"list","data":[]}`)
		return
	}
	sound, _, err := r.FormFile("file")
	if err != nil {
		return // the client has been killed
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, sound); err != nil {
		return
	}
	h.mu.Lock()
	h.asked++
	held := h.hold != nil && h.hold(h.asked)
	h.mu.Unlock()
	if held {
		<-r.Context().Done()
		return
	}
	word := "word" + hex.EncodeToString(sum.Sum(nil)[:4])
	h.mu.Lock()
	h.heard[word]++
	h.mu.Unlock()
	fmt.Fprintf(w, `{"language":"english","duration":2,"text":%[1]q,"segments":[{"start":0.5,"end":1.5,"text":%[1]q}]}`, word)
}

// holdFrom makes requests wait from the n-th on.
func (h *hearing) holdFrom(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hold = func(now int) bool { return now >= n }
}

func (h *hearing) goOn() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hold = nil
}

func (h *hearing) requests() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.asked
}

// most returns how often the sound was heard that was heard most often.
func (h *hearing) most() (most int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, n := range h.heard {
		most = max(most, n)
	}
	return most
}

// atHome is the environment with a state folder, and with one recognition at a time.
func atHome(state string) []string {
	return []string{"XDG_STATE_HOME=" + state, "GOMAXPROCS=1", quickYtDlp()}
}

// transcribing prepares "transcriptd transcribe" of the talk, in a state folder, with one
// recognition at a time and sounds of some seconds.
func transcribing(t *testing.T, state string, h *hearing, args ...string) *exec.Cmd {
	t.Helper()
	talk, err := filepath.Abs(recording)
	require.NoError(t, err)
	return program(t, atHome(state), append([]string{"transcribe", "--asr", "openai:" + h.URL + "/v1", "--recognizers", settingsFile(t, `{"openai": {"uploadLimitBytes": 200000}}`), talk}, args...)...)
}

// runUntil starts a command and returns when it has written a line that begins with text.
func runUntil(t *testing.T, cmd *exec.Cmd, text string) (rest *bufio.Reader) {
	t.Helper()
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(stderr)
	for said := ""; ; {
		line, err := lines.ReadString('\n')
		said += line
		require.NoError(t, err, said)
		if strings.HasPrefix(line, text) {
			return lines
		}
	}
}

// After kill -9 the same command gives the same text, and no sound is recognized twice.
func TestTranscribeIsKilled(t *testing.T) {
	t.Parallel()
	needPrograms(t)
	whole := newHearing(t)
	code, want, stderr := finish(transcribing(t, t.TempDir(), whole))
	require.Equal(t, exitOK, code, stderr)
	chunks := len(whole.heard)
	require.GreaterOrEqual(t, chunks, 12, want)

	points := []string{"sending", "job ", "recognizing", "publishing"}
	for n := 1; n < chunks; n += 2 { // ten points in all
		points = append(points, fmt.Sprintf("chunk %d", n))
	}
	require.GreaterOrEqual(t, len(points), 10)
	if testing.Short() {
		points = []string{"sending", "chunk 5", "publishing"}
	}
	for _, point := range points {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			state, h := t.TempDir(), newHearing(t)
			line, n := point, 0
			if _, err := fmt.Sscanf(point, "chunk %d", &n); err == nil {
				line = "recognizing"
			}
			if point != "publishing" {
				h.holdFrom(n + 1)
			}
			cmd := transcribing(t, state, h)
			rest := runUntil(t, cmd, line)
			if n > 0 { // the n-th is stored before the next one is asked for
				require.Eventually(t, func() bool { return h.requests() > n }, time.Minute, 5*time.Millisecond)
			}
			require.NoError(t, cmd.Process.Kill())
			_, _ = io.Copy(io.Discard, rest) // until it is dead
			_ = cmd.Wait()                   // reports the kill

			h.goOn()
			code, got, stderr := finish(transcribing(t, state, h))
			require.Equal(t, exitOK, code, stderr)
			assert.Equal(t, want, got)
			assert.Equal(t, 1, h.most(), "a sound was recognized twice")
		})
	}
}

// A folder is watched with the service in the same process. After kill -9 the same command goes
// on, and the text is found by its words.
func TestTranscribeWatchesAFolder(t *testing.T) {
	full(t)
	t.Parallel()
	needPrograms(t)
	state, folder, h := t.TempDir(), t.TempDir(), newHearing(t)
	talk, err := os.ReadFile(recording)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "talk.ogg"), talk, 0o600))
	call := func(args ...string) *exec.Cmd {
		return program(t, atHome(state), append([]string{"transcribe", "--asr", "openai:" + h.URL + "/v1", "--recognizers", settingsFile(t, `{"openai": {"uploadLimitBytes": 200000}}`)}, args...)...)
	}
	h.holdFrom(3)
	killed := call("--watch", folder, "--no-timestamps")
	runUntil(t, killed, "talk.ogg: recognizing")
	require.Eventually(t, func() bool { return h.requests() == 3 }, time.Minute, 10*time.Millisecond)
	require.NoError(t, killed.Process.Kill())
	require.Error(t, killed.Wait())
	h.goOn()

	again := call("--watch", folder, "--no-timestamps")
	rest := runUntil(t, again, "Wrote "+filepath.Join(folder, "talk.txt"))
	require.NoError(t, again.Process.Signal(os.Interrupt))
	_, err = io.Copy(io.Discard, rest)
	require.NoError(t, err)
	require.NoError(t, again.Wait(), "the usual end")
	text, err := os.ReadFile(filepath.Join(folder, "talk.txt"))
	require.NoError(t, err)
	words := strings.Fields(string(text))
	require.NotEmpty(t, words)
	assert.Equal(t, 1, h.most(), "no sound is recognized twice")

	code, stdout, stderr := finish(call("search", words[0]))
	require.Equal(t, exitOK, code, stderr)
	assert.Contains(t, stdout, words[0])
	assert.Contains(t, stdout, "talk · en · upload ")
}

// A hang-up says that the same command goes on.
func TestTranscribeIsHungUp(t *testing.T) {
	t.Parallel()
	needPrograms(t)
	// Tests under nohup ignore the signal, and programs inherit that from them.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	state, h := t.TempDir(), newHearing(t)
	h.holdFrom(1)
	cmd := transcribing(t, state, h)
	rest := runUntil(t, cmd, "recognizing")
	require.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
	said, err := io.ReadAll(rest)
	require.NoError(t, err)
	require.Error(t, cmd.Wait())
	assert.Equal(t, 129, cmd.ProcessState.ExitCode())
	assert.Contains(t, string(said), "hung up; the same command goes on with it\n")
}
