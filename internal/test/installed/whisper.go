package installed

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// WhisperModel is the name of the model of [StartWhisper]. The model hears English only.
const WhisperModel = "tiny.en"

// WhisperPython returns the interpreter of the environment that make setup has installed. Without the
// environment, WhisperPython skips the test.
func WhisperPython(t testing.TB) string {
	t.Helper()
	python := filepath.Join(root(), "bin", "whisper", "bin", "python")
	if _, err := os.Stat(filepath.Join(root(), "bin", "whisper", "whole")); err != nil {
		t.Skip("make setup has not reached the Python package index, which has faster-whisper")
	}
	return python
}

// StartWhisper starts faster-whisper with the model tiny.en, behind a server with the transcription API
// of OpenAI, and returns the address above "audio/transcriptions". The server does
// one thing at a time: while it recognizes, it answers no other request. It ends with the test.
// Without the environment, StartWhisper skips the test.
func StartWhisper(t testing.TB) (baseURL string) {
	t.Helper()
	server := exec.Command(WhisperPython(t), "-I", "-B", filepath.Join(root(), "server", "engine", "fasterwhisper", "server.py"), "listen")
	server.Stderr = os.Stderr
	input, err := server.StdinPipe()
	require.NoError(t, err)
	output, err := server.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		_ = input.Close()         // so that the server also ends if this process is killed
		_ = server.Process.Kill() // the server may be busy
		_ = server.Wait()         // reports the kill
	})
	line, err := bufio.NewReader(output).ReadString('\n')
	require.NoError(t, err, "the server did not start")
	return strings.TrimSpace(line)
}

// root is the folder of the checkout.
func root() string {
	_, source, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(source), "..", "..", "..")
}
