package transcribe

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/internal/programtest"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

// answered is what the program answers by itself, without a service.
func answered(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr strings.Builder
	require.Equal(t, exitOK, run(t.Context(), args, func(string) string { return "" }, &stdout, &stderr))
	assert.Empty(t, stderr.String())
	return stdout.String()
}

func TestHelp(t *testing.T) {
	t.Setenv("COLUMNS", "80") // hence not parallel
	golden(t, "help.txt", answered(t, "--help"))
	assert.Equal(t, answered(t, "--help"), answered(t, "-h"))
}

func TestVersion(t *testing.T) {
	t.Parallel()
	assert.Regexp(t, `^transcribe \S+\n$`, answered(t, "--version"))
}

func TestServerFromTheEnvironment(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	env := func(name string) string {
		return map[string]string{"TRANSCRIBE_SERVER": s.URL, "TRANSCRIBE_KEY": s.Key}[name]
	}
	var stdout strings.Builder
	assert.Equal(t, exitOK, run(t.Context(), []string{recording(t)}, env, &stdout, io.Discard))
	assert.Equal(t, "[00:00:00] hello world\n", stdout.String())

	var stderr strings.Builder
	nowhere := func(string) string { return "nowhere" }
	assert.Equal(t, exitUsage, run(t.Context(), []string{recording(t)}, nowhere, io.Discard, &stderr))
	assert.Contains(t, stderr.String(), "transcribe: TRANSCRIBE_SERVER")
}

func TestFormats(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	file := recording(t)
	for format, want := range map[string]string{
		"txt":                 "[00:00:00] hello world\n",
		"txt --no-timestamps": "hello world\n",
		"srt":                 "1\n00:00:00,000 --> 00:00:10,000\nhello world\n",
		"vtt":                 "WEBVTT\n\n00:00:00.000 --> 00:00:10.000\nhello world\n",
		"md":                  "# talk\n\n0:10 · en · asr\n\n[00:00:00] hello world\n",
		"md --no-timestamps":  "# talk\n\n0:10 · en · asr\n\nhello world\n",
		"json":                `"title": "talk"`,
	} {
		code, stdout, stderr := transcribe(t.Context(), s, "", append([]string{file, "--format"}, strings.Fields(format)...)...)
		require.Equal(t, exitOK, code, stderr)
		if strings.HasPrefix(format, "json") {
			assert.Contains(t, stdout, want)
			continue
		}
		assert.Equal(t, strings.TrimSpace(want), strings.TrimSpace(stdout), format)
	}
	code, _, stderr := transcribe(t.Context(), s, "", "--no-timestamps", "--format", "srt", file)
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, stderr, "--no-timestamps is for txt, md, docx and html")
}

func TestSilence(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	s.Engine.Say("")
	file := recording(t)
	code, stdout, stderr := transcribe(t.Context(), s, "", file)
	assert.Equal(t, exitOK, code)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "Nothing was heard in "+file+": its text is empty.\n")
}

func TestQuiet(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	code, stdout, stderr := transcribe(t.Context(), s, "", "--quiet", recording(t))
	assert.Equal(t, exitOK, code)
	assert.NotEmpty(t, stdout)
	assert.Empty(t, stderr)
	code, _, stderr = transcribe(t.Context(), s, "", "--quiet", "https://nowhere.example/1")
	assert.Equal(t, exitFailure, code)
	assert.Regexp(t, `^transcribe: https://nowhere\.example/1: [^\n]*UNSUPPORTED_PLATFORM[^\n]*\n[^\n]*transcribe the file\. A service with --direct-media reads links to recordings\.\n$`, stderr)
}

// The shells themselves complete what the code says.
func TestCompletion(t *testing.T) {
	t.Parallel()
	for _, shell := range programtest.Shells() {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			code := answered(t, "--completion", shell)
			golden(t, "completion."+shell, code)
			assert.Equal(t, []string{"--format", "srt", "vtt", "search", "follow"}, programtest.Complete(t, shell, code,
				"transcribe --form", "transcribe -f s", "transcribe talk.mp3 --format v", "transcribe sea", "transcribe fol"))
		})
	}
	assert.Equal(t, []string{"--format --from", "txt srt vtt json md docx html csv zip", "vtt", "", "", ""}, programtest.Complete(t, "bash", answered(t, "--completion", "bash"),
		"transcribe --f", `transcribe talk.mp3 --format ""`, "transcribe --format = v",
		"transcribe --output s", "transcribe ta", "transcribe search sea")) // the last three are files, which bash completes by itself
}

// A wait says why, once, and the text follows when the site answers again.
func TestWaitSaysWhy(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	blocks := transcript.Errorf(transcript.IPBlocked, "The site blocks. Ask less.")
	blocks.Cure, blocks.RetryAfter = "Ask less.", 1
	s.Engine.FailCaptions(blocks)
	go func() {
		look := time.NewTicker(10 * time.Millisecond)
		defer look.Stop()
		for s.Engine.CaptionReads(transcript.VideoSite) < 2 {
			<-look.C
		}
		s.Engine.FailCaptions(nil)
	}()
	code, stdout, stderr := transcribe(t.Context(), s, "", "https://youtu.be/dQw4w9WgXcQ")
	assert.Equal(t, exitOK, code, stderr)
	assert.NotEmpty(t, stdout)
	assert.Equal(t, 1, strings.Count(stderr, "The site blocks. Ask less.\n"), stderr)
}

// With --keep-media the service keeps the recordings, and nothing of links.
func TestKeepMedia(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	c, err := client.New(s.URL, client.WithAPIKey(s.Key))
	require.NoError(t, err)
	code, _, stderr := transcribe(t.Context(), s, "", "--keep-media", "30d", "--output", t.TempDir()+"/", recording(t), "dQw4w9WgXcQ")
	require.Equal(t, exitOK, code, stderr)
	usage, err := c.Usage.Get(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, 1, usage.KeptMedia.Recordings)
	code, _, stderr = transcribe(t.Context(), s, "", "--keep-media", "long", recording(t))
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, stderr, `"long" is not a time such as 90d or 36h`)
}
