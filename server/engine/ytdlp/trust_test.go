package ytdlp_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The release that make setup installs, and the one of the distribution, are those that the
// tests run.
func TestTestedReleases(t *testing.T) {
	t.Parallel()
	pinned, err := os.ReadFile("../../../internal/ytdlpenv/requirements.txt")
	require.NoError(t, err)
	version := regexp.MustCompile(`(?m)^yt-dlp==(\S+)`).FindSubmatch(pinned)
	require.NotNil(t, version)
	assert.Equal(t, []string{"2023.03.04", string(version[1])}, ytdlp.Tested(), "run the suite with -release current, then change the list")
}

func runsOf(t *testing.T, program string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(filepath.Dir(program), "runs"))
	if os.IsNotExist(err) {
		return 0
	}
	require.NoError(t, err)
	return strings.Count(string(text), "x")
}

// passing answers each case of the suite as a release does that passes, and finds nothing in any
// other content.
func passing(c engine.Command) (info, stderr string, code int) {
	link := c.Args[len(c.Args)-1]
	is := func(id string) bool { return strings.Contains(link, id) }
	for says, id := range map[string]string{
		"Sign in to confirm you're not a bot": "suite-robot", "Video unavailable. This content isn't available, try again later": "suite-other",
		"HTTP Error 429: Too Many Requests": "suite-429", "HTTP Error 403: Forbidden": "plain-403",
	} {
		if is(id) {
			return "null", "ERROR: [youtube] x: " + says + "\n", 1
		}
	}
	switch {
	case slices.Contains(c.Args, "--load-info-json"):
		err := os.WriteFile(filepath.Join(c.Dir, "text.track.vtt"), []byte("WEBVTT\n\n00:00.000 --> 00:01.000\nhello\n"), 0o600)
		return "", "", map[bool]int{true: 1}[err != nil]
	case is("suite-track"):
		return `{"id": "x", "format_id": "1", "formats": [{}], "subtitles": {"en": [{"url": "https://x.example/", "ext": "vtt"}]}}`, "", 0
	case is("suite-token"):
		stderr = "WARNING: [youtube] x: There are missing subtitles languages because a PO token was not provided.\n"
	}
	return `{"id": "x", "format_id": "1", "formats": [{}]}`, stderr, 0
}

// A release that no one knows goes through the suite before its silence counts. That it has
// passed is noted for this file of the program.
func TestUnknownRelease(t *testing.T) {
	t.Parallel()
	file, notes := filepath.Join(t.TempDir(), "yt-dlp"), t.TempDir()
	require.NoError(t, os.WriteFile(file, []byte("one"), 0o600))
	runs, answer := 0, passing
	start := func() *bench {
		return fake{version: "2099.01.01", file: file, pages: true, answer: func(c engine.Command) (string, string, int) {
			runs++
			return answer(c)
		}}.start(t, func(_ *run.Config, o *ytdlp.Options) { o.Notes = notes })
	}
	ask := func(b *bench) (engine.Captions, error) {
		return b.Captions(t.Context(), engine.Content{Platform: transcript.ShortVideoSite, ExternalID: "x", URL: "https://www.example.com/x"}, nil)
	}
	none := func(b *bench) {
		found, err := ask(b)
		require.NoError(t, err, b.log)
		assert.Empty(t, found.Tracks)
	}
	b := start()
	none(b)
	suite := runs - 1
	assert.Greater(t, suite, 7, "each case is a run")
	none(b)
	none(start())
	assert.Equal(t, suite+3, runs, "the suite runs once")

	require.NoError(t, os.WriteFile(file, []byte("another"), 0o600))
	answer = func(engine.Command) (string, string, int) {
		return `{"id": "x", "format_id": "1", "formats": [{}]}`, "", 0
	}
	_, err := ask(start())
	coded(t, err, transcript.ConfigError) // another file is another release
}

// A release that fails the suite proves nothing, and the operator is told.
func TestReleaseThatFailsTheSuite(t *testing.T) {
	t.Parallel()
	program := fake{version: "2099.01.01", info: `{"id": "x", "format_id": "1", "formats": [{}]}`, pages: true}.program(t)
	notes := t.TempDir()
	b := newBench(t, program, func(_ *run.Config, o *ytdlp.Options) { o.Notes = notes })
	for _, platform := range []transcript.Platform{transcript.VideoSite, transcript.ShortVideoSite} {
		content := b.content("x")
		content.Platform = platform
		_, err := b.Captions(t.Context(), content, nil)
		e := coded(t, err, transcript.ConfigError)
		assert.Contains(t, e.Message, "is release 2099.01.01, which does not tell refusals from missing captions")
	}
	f := b.Rehearse(t.Context())
	assert.Equal(t, engine.Broken, f.Status)
	assert.Contains(t, f.Found, "it finds no captions in a video with captions")
	assert.NoFileExists(t, filepath.Join(notes, "yt-dlp-suite.json"))
}

// The service uses the captions that an unknown release finds, without a run of the suite.
func TestTracksOfAnUnknownRelease(t *testing.T) {
	t.Parallel()
	const info = `{"id": "x", "format_id": "1", "formats": [{}], "subtitles": {"en": [{"url": "http://x/", "ext": "vtt"}]}}`
	program := fake{version: "2099.01.01", info: info, script: `echo x >>"$here/runs"; `}.program(t)
	found, err := newBench(t, program).Captions(t.Context(), engine.Content{Platform: transcript.VideoSite, ExternalID: "x", URL: "http://www.example.com/watch?v=x"},
		func([]transcript.Track) (int, bool) { return 0, false })
	require.NoError(t, err)
	assert.Len(t, found.Tracks, 1)
	assert.Equal(t, 2, runsOf(t, program), "the version and the content")
}

// The installed release passes.
func TestRehearse(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	notes := t.TempDir()
	f := newBench(t, installed.program, func(_ *run.Config, o *ytdlp.Options) { o.Notes = notes }).Rehearse(t.Context())
	assert.Equal(t, engine.OK, f.Status, "%s: %s", f.Found, f.Cure)
	assert.FileExists(t, filepath.Join(notes, "yt-dlp-suite.json"))
}
