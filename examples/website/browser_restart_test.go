package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// program is the website's, built once for all tests that start it as a process.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "website-of-tests")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "website")
	out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput() //nolint:gosec // its own source
	if err != nil {
		return "", &exec.Error{Name: string(out), Err: err}
	}
	return path, nil
})

// startProcess starts the website as a process of its own, and returns its address.
func startProcess(t *testing.T, flags ...string) (address string, kill func()) {
	t.Helper()
	path, err := program()
	require.NoError(t, err)
	cmd := exec.Command(path, flags...) //nolint:gosec // as above
	cmd.Dir = t.TempDir()
	cmd.Stderr = t.Output()
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var once sync.Once
	kill = func() {
		once.Do(func() {
			assert.NoError(t, cmd.Process.Kill())
			_ = cmd.Wait() // it was killed
		})
	}
	t.Cleanup(kill)
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "The website is at ")
	require.True(t, ok, line)
	return address, kill
}

// The page of a job shows how it goes while the server is killed and started again, and
// comes to the text without being loaded anew; and so does one that was loaded meanwhile.
func TestBrowserFollowsAJobOverARestart(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	recognizer, asr := newRecognizer(t)
	recognizer.say("heard after all")
	recognizer.hold()
	dir := t.TempDir()
	flags := []string{"--single-user", "--no-demo", asr, "--db=sqlite:" + filepath.Join(dir, "website.db"), "--blobs=" + filepath.Join(dir, "blobs")}
	address, kill := startProcess(t, append(flags, "--listen=127.0.0.1:0")...)
	page := newPage(t, address)
	page.Expect(`ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|status of 50[0-9]`)
	page.Open("/")
	page.Choose("#files", recording)
	page.WaitAt(`^/jobs/`)
	page.WaitText("#stage", "Recognizing speech")
	page.Reload()
	page.WaitText("#stage", "Recognizing speech")
	page.Wait(`(globalThis.before = true)`) // lost when the page is loaded anew

	kill()
	page.WaitText("#line", "Connection lost")
	restarted, _ := startProcess(t, append(flags, "--listen="+strings.Trim(strings.TrimPrefix(address, "http://"), "/"))...)
	require.Equal(t, address, restarted)
	page.Wait(`document.getElementById("line").innerText === ""`)
	assert.True(t, page.Sees("progressbar", "Speech recognized"))
	page.Wait(`globalThis.before`)
	recognizer.release()
	page.WaitAt(`^/transcripts/upload/`)
	page.WaitText("#text", "heard after all")
}
