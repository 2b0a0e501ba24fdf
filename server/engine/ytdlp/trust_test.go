package ytdlp_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// asUnknown is the installed program, which says that it is of a release that no one knows. Beside
// it the file runs has a line for each run.
func asUnknown(t *testing.T) string {
	t.Helper()
	real, err := exec.LookPath(installed.program)
	require.NoError(t, err)
	return scripted(t, `case "$*" in *--version*) echo `+claimed()+`; exit ;; esac
echo x >>"$(dirname "$0")/runs"
exec `+real+` --use-extractors 'youtube.*,generic,html5' "$@"
`)
}

// claimed is a release that no one knows, with the options of the installed one.
func claimed() string {
	return map[string]string{"distribution": "2023.03.05", "current": "2099.01.01"}[*releaseFlag]
}

// scripted is a program of the shell.
func scripted(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "yt-dlp")
	require.NoError(t, os.WriteFile(path+".sh", []byte("#!/bin/sh\n"+script), 0o600))
	// By another program: a file that this one has just written may not be run.
	require.NoError(t, exec.Command("install", "-m", "700", path+".sh", path).Run())
	return path
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

const silentPage = `<!doctype html><html><head><title>A talk</title></head><body><video src="/talk.mp4"></video></body></html>`

// A release that no one knows goes through the suite before its silence counts. That it has
// passed is noted for this file of the program.
func TestUnknownRelease(t *testing.T) {
	t.Parallel()
	program, notes := asUnknown(t), t.TempDir()
	start := func() *bench {
		return newBench(t, program, func(_ *run.Config, o *ytdlp.Options) { o.Notes = notes })
	}
	none := func(b *bench) {
		found, err := b.Captions(t.Context(), engine.Content{Platform: transcript.ShortVideoSite, ExternalID: "x", URL: b.page(t, silentPage)}, nil)
		require.NoError(t, err, b.log)
		assert.Empty(t, found.Tracks)
	}
	b := start()
	none(b)
	suite := runsOf(t, program) - 1
	assert.Greater(t, suite, 7, "each case is a run")
	none(b)
	none(start())
	assert.Equal(t, suite+3, runsOf(t, program), "the suite runs once")

	another := scripted(t, `case "$*" in *--version*) echo `+claimed()+`; exit ;; esac
echo '{"id": "x", "format_id": "1", "formats": [{}]}'
`)
	require.NoError(t, os.Rename(another, program))
	_, err := start().Captions(t.Context(), engine.Content{Platform: transcript.ShortVideoSite, ExternalID: "x", URL: "http://www.example.com/x"}, nil)
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
