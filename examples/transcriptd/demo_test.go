package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/installed"
)

const recording = "../testdata/talk.ogg"

// beginning is the first sentence of the recording: the recognizer needs longer for the
// whole recording than the rest of the demo takes.
func beginning(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "talk.ogg")
	out, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-t", "4", "-i", recording, "-c", "copy", path).CombinedOutput()
	require.NoError(t, err, string(out))
	return path
}

func TestDemo(t *testing.T) {
	t.Parallel()
	needPrograms(t)
	a := must(t, "demo", "--recording", beginning(t), "--models", t.TempDir())
	assert.Empty(t, a.stderr)
	link, upload, found := strings.Cut(a.stdout, "\nA recording: ")
	require.True(t, found, a.stdout)

	assert.Regexp(t, `(?m)^Links are read by yt-dlp \d{4}\.\d\d\.\d\d, (installed by make setup|this system's own): /\S+/yt-dlp$`, link)
	assert.Regexp(t, `(?m)^A link: http://127\.0\.0\.1:\d+/watch\?v=`, link)
	assert.Contains(t, link, "\n[00:00:00] This is a short talk about a program that listens.\n")
	assert.NotContains(t, link, "Vortrag", "captions in the language that is asked for")
	assert.Regexp(t, "(?m)^Speech is recognized by pocketsphinx en-us .*English only.*`transcriptd models pull small`", link)
	assert.Contains(t, link, "\nOf 100 words of clear real speech, pocketsphinx gets 37 wrong, ")
	assert.Contains(t, link, "make demo MODEL=small")
	assert.Regexp(t, `(?m)^Captions were read, in \S+\.\nAsked once more, the answer came from the cache, in \d+ms\.$`, link)
	assert.NotContains(t, link, "recognizing")

	assert.Regexp(t, `(?m)^recognizing \d+%$`, upload, "progress in lines, as this is no terminal")
	assert.Regexp(t, `(?m)^\[00:00:\d\d\] this is a short talk`, upload)
	assert.Regexp(t, `(?m)^Speech was recognized, in \S+\.\nAsked once more, the answer came from the cache, in \d+ms\.$`, upload)
	lines := strings.Split(strings.TrimSpace(upload), "\n")
	assert.Contains(t, lines[len(lines)-1], "go run ./examples/transcriptd serve")
}

// The faster-whisper that make setup has installed hears a recording, confined like every program.
func TestDemoWithFasterWhisper(t *testing.T) {
	full(t)
	t.Parallel()
	needPrograms(t)
	a := must(t, "demo", "--recording", beginning(t), "--models", t.TempDir(), "--recognizers", settingsFile(t, `{"fasterWhisper": %q}`, installed.WhisperPython(t)))
	assert.Empty(t, a.stderr)
	link, upload, found := strings.Cut(a.stdout, "\nA recording: ")
	require.True(t, found, a.stdout)
	assert.Regexp(t, "(?m)^Speech is recognized by faster-whisper tiny.en \\(no model was pulled\\): .*English only.*`transcriptd models pull small`", link)
	assert.Regexp(t, `(?m)^\[00:00:\d\d\] This is a short talk about a program that listens`, upload)
	assert.Contains(t, upload, "\nSpeech was recognized, in ")
}

// The demo says that nothing was heard in a recording without speech. Silence does not even reach
// the recognizer.
func TestDemoOfATone(t *testing.T) {
	full(t)
	t.Parallel()
	needPrograms(t)
	file := filepath.Join(t.TempDir(), "sound.wav")
	made, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=frequency=440", "-t", "4", "-ar", "16000", "-ac", "1", file).CombinedOutput()
	require.NoError(t, err, string(made))
	a := must(t, "demo", "--recording", file, "--models", t.TempDir())
	_, upload, found := strings.Cut(a.stdout, "\nA recording: ")
	require.True(t, found, a.stdout)
	assert.Regexp(t, `(?m)^Nothing was heard and the text is empty, in \S+\.$`, upload)
	assert.NotContains(t, upload, "Speech was recognized")
}

func TestDemoLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	needPrograms(t)
	text, err := filepath.Abs("../testdata/talk.txt")
	require.NoError(t, err)
	quick := strings.TrimPrefix(quickYtDlp(), realYtDlp)
	for says, args := range map[string][]string{
		"UPLOAD_INVALID":       {"demo", "--recording", text},
		"UNSUPPORTED_PLATFORM": {"demo", "--recording", text, "--url", "http://127.0.0.1:1/watch?v=a-shortTalk", "--yt-dlp", quick}, // no site of its own then
		"/nowhere/yt-dlp":      {"demo", "--recording", text, "--yt-dlp", "/nowhere/yt-dlp"},
	} {
		tmp := t.TempDir()
		code, _, stderr := finish(program(t, []string{"TMPDIR=" + tmp}, args...))
		assert.Equal(t, exitFailure, code, args)
		assert.Regexp(t, `\A(time=[^\n]* level=WARN [^\n]*\n)*transcriptd: [^\n]*`+says+`[^\n]*\n\z`, stderr, args)
		left, err := os.ReadDir(tmp)
		require.NoError(t, err)
		assert.Empty(t, left, args)
	}
}

// needPrograms skips where the engines are not installed, but not in CI.
func needPrograms(t *testing.T) {
	t.Helper()
	for _, p := range programs() {
		if _, err := exec.LookPath(p[0]); err != nil && os.Getenv("CI") == "" {
			t.Skip(err)
		}
	}
}

// On a terminal the progress is one line that moves: what script records of it
// is drawn again and again.
func TestDemoOnATerminal(t *testing.T) {
	full(t)
	t.Parallel()
	needPrograms(t)
	script, err := exec.LookPath("script")
	if err != nil {
		t.Skip("no program script to make a terminal with")
	}
	cmd := exec.CommandContext(context.Background(), script, "-qec", os.Args[0]+" demo --recording "+beginning(t), "/dev/null")
	cmd.Env = append(os.Environ(), asProgram+"=1")
	shown, err := cmd.Output()
	require.NoError(t, err, string(shown))
	assert.Regexp(t, `recognizing +\d+% \|[█ ]+.* 0:\d\d`, string(shown))
	assert.NotRegexp(t, `(?m)^recognizing \d+%\r?$`, string(shown))
}
