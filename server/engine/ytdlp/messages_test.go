package ytdlp_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/linkcodes"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// harmless is the heading of the messages that tell nothing about a content.
const harmless transcript.Code = "-"

// readMessages reads testdata/messages.txt: the code of each message.
func readMessages(t *testing.T) map[string]transcript.Code {
	t.Helper()
	data, err := os.ReadFile("testdata/messages.txt")
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
	known := readMessages(t)
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

// saying is a fake that says one text for each content: the first text as an error for the content
// e0, and as a warning, beside formats that are all left out, for the content w0.
func saying(t *testing.T, said []string) *bench {
	t.Helper()
	program := fake{
		info: `{"id": "x", "extractor": "other", "formats": [` + pictures + `]}`,
		script: `for last; do :; done; id=${last##*=}
case $id in
e*) { printf 'ERROR: [youtube] x: '; cat "$here/said-${id#e}"; echo; } >&2; echo null; exit 1 ;;
w*) { printf 'WARNING: [youtube] x: '; cat "$here/said-${id#w}"; echo; } >&2; cat "$here/info"; exit ;;
esac`,
	}.program(t)
	for i, text := range said {
		require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(program), "said-"+strconv.Itoa(i)), []byte(text), 0o600))
	}
	return newBench(t, program)
}

// TestMessages says each message to the adapter, as an error and as a warning. With -short it says
// every tenth.
func TestMessages(t *testing.T) {
	t.Parallel()
	var said []string
	var codes []transcript.Code
	var nothing strings.Builder
	for text, code := range readMessages(t) {
		text = strings.ReplaceAll(text, "{}", "7")
		if code == harmless {
			nothing.WriteString("WARNING: [youtube] x: " + text + "\n")
			continue
		}
		said, codes = append(said, text), append(codes, code)
	}
	b, explained := saying(t, said), linkcodes.Read(t, "../../../docs/operate/link-codes.md")
	for i, text := range said {
		if testing.Short() && i%10 != 0 {
			continue
		}
		for _, kind := range []string{"e", "w"} {
			_, err := b.captions(t, kind+strconv.Itoa(i), "en")
			e := coded(t, err, codes[i])
			assert.True(t, linkcodes.Has(explained, e.Code, e.Message), "docs/operate/link-codes.md does not explain %s: %s", e.Code, e.Message)
			assert.NotContains(t, e.Message, "cannot be understood", text)
			assert.NotEmpty(t, e.Message, text)
		}
	}
	const tracks = `{"id": "x", "format_id": "1", "formats": [{}], "subtitles": {"en": [{"url": "http://x/", "ext": "vtt"}]}}`
	found, err := fake{info: tracks, stderr: nothing.String()}.start(t).captions(t, "x", "fr")
	require.NoError(t, err)
	assert.Len(t, found.Tracks, 1)
	_, err = fake{info: "null", code: 1, stderr: strings.ReplaceAll(nothing.String(), "WARNING: ", "ERROR: ")}.start(t).captions(t, "x", "en")
	assert.Equal(t, "The platform's answer cannot be understood.", coded(t, err, transcript.UpstreamFailed).Message)
}
