package ytdlp_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/linkcodes"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// harmless is the heading of the messages that tell nothing about a content.
const harmless transcript.Code = "-"

// readMessages reads a file of testdata: the heading of each message.
func readMessages(t *testing.T, file string) map[string]transcript.Code {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(t, err)
	_, list, _ := strings.Cut(string(data), "\n\n") // after the introduction
	all := make(map[string]transcript.Code)
	var code transcript.Code
	for line := range strings.Lines(list) {
		line = strings.TrimRight(line, "\n")
		if text, ok := strings.CutPrefix(line, "\t"); ok {
			assert.NotContains(t, all, text, "twice")
			all[text] = code
		} else if line != "" {
			code = transcript.Code(line)
		}
	}
	return all
}

// TestMessagesAreKnown compares the messages in the source of the installed releases with
// testdata/messages.txt. A new release fails with the messages that are new: decide what each
// means, add a condition where there is none, and put the message under its code.
func TestMessagesAreKnown(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	known := readMessages(t, "messages.txt")
	stale := make(map[string]bool)
	for text := range known {
		stale[text] = true
	}
	installed := 0
	for _, python := range []string{"/usr/bin/python3", "../../../bin/yt-dlp/bin/python"} {
		if _, err := os.Stat(python); err != nil {
			continue // this machine has no such release
		}
		python, err := filepath.Abs(python)
		require.NoError(t, err)
		out, err := exec.Command(python, "testdata/messages.py").Output()
		require.NoError(t, err, python)
		var said struct {
			Release  string
			Messages []string
		}
		require.NoError(t, json.Unmarshal(out, &said))
		assert.Greater(t, len(said.Messages), 100, said.Release)
		var unknown []string
		for _, text := range said.Messages {
			delete(stale, text)
			if known[text] == "" {
				unknown = append(unknown, text)
			}
		}
		assert.Empty(t, unknown, "yt-dlp %s: %s", said.Release, strings.Join(unknown, "\n"))
		installed++
	}
	if installed == 2 {
		assert.Empty(t, stale, "no installed release says these")
	}
}

// TestMessages gives each message to the adapter, as an error and as a warning beside formats that
// the adapter leaves out. A message about a hidden recording gets its code, for captions and for
// sound. The adapter never concludes from it that there is nothing.
func TestMessages(t *testing.T) {
	t.Parallel()
	var stderr string
	other := `"extractor": "other", `
	b := fake{answer: func(engine.Command) (string, string, int) {
		if strings.HasPrefix(stderr, "ERROR") || strings.Contains(stderr, "\nERROR") {
			return "null", stderr, 1
		}
		return `{"id": "x", ` + other + `"formats": [` + pictures + `]}`, stderr, 0
	}}.start(t)
	explained := linkcodes.Read(t, "../../../docs/operate/link-codes.md")
	says := func(text string, code transcript.Code, ask func() error) {
		stderr = text
		err := ask()
		e := coded(t, err, code)
		assert.Equal(t, code == transcript.IPBlocked, e.RetryAfter > 0, text)
		assert.NotEmpty(t, e.Message, text)
		assert.NotContains(t, e.Message, "no sound", text)
	}
	captions := func() error { return second(b.captions(t, "x", "en")) }
	audio := func() error { return second(b.Audio(t.Context(), b.content("x"), t.TempDir(), engine.AudioOptions{})) }

	var nothing strings.Builder
	for text, code := range readMessages(t, "messages.txt") {
		text = "[youtube] x: " + strings.ReplaceAll(text, "{}", "7") + "\n"
		if code == harmless {
			nothing.WriteString("WARNING: " + text)
			continue
		}
		for _, kind := range []string{"ERROR: ", "WARNING: "} {
			says(kind+text, code, func() error {
				err := captions()
				e := coded(t, err, code)
				assert.True(t, linkcodes.Has(explained, e.Code, e.Message), "docs/operate/link-codes.md does not explain %s: %s", e.Code, e.Message)
				assert.NotContains(t, e.Message, "cannot be understood", text)
				return err
			})
		}
	}
	other = ""
	for text, heading := range readMessages(t, "complaints.txt") {
		text = strings.ReplaceAll(text, `\n`, "\n") + "\n"
		code, errorsOnly := strings.CutSuffix(string(heading), " error")
		says("WARNING: [generic] Something harmless\nERROR: "+text, transcript.Code(code), func() error {
			err := captions()
			assert.ErrorContains(t, err, text[:20], "the log has the complaint")
			return err
		})
		if !errorsOnly {
			says("WARNING: "+text+onlyStills, transcript.Code(code), captions)
			says("WARNING: "+text+onlyStills, transcript.Code(code), audio)
		}
	}

	const tracks = `{"id": "x", "format_id": "1", "formats": [{}], "subtitles": {"en": [{"url": "http://x/", "ext": "vtt"}]}}`
	found, err := fake{info: tracks, stderr: nothing.String()}.start(t).captions(t, "x", "fr")
	require.NoError(t, err)
	assert.Len(t, found.Tracks, 1)
	_, err = fake{info: "null", code: 1, stderr: strings.ReplaceAll(nothing.String(), "WARNING: ", "ERROR: ")}.start(t).captions(t, "x", "en")
	assert.Equal(t, "The platform's answer cannot be understood.", coded(t, err, transcript.UpstreamFailed).Message)
}
