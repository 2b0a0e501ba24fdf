package ytdlp_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// fake is a program in place of yt-dlp, for what no site at hand answers with.
type fake struct {
	version string // what it answers to --version; "2023.03.04" when empty
	info    string // to -J, on its standard output
	stderr  string // to everything
	code    int    // its exit code
	script  string // of the shell, before all of that
	load    string // of the shell, when it is to go on with an info file
	pages   bool   // it keeps pages in which the player lists no track

	// These need no program of their own.
	file   string                                                 // that the program would be; empty: one of testdata
	lines  []string                                               // what it says of several contents, those that begin with ERROR or WARNING on its standard error
	hangs  bool                                                   // after its lines
	answer func(c engine.Command) (info, stderr string, code int) // in place of the members above
}

// program sets the fake up and returns its path. Beside it the file seen will hold
// the arguments and the environment of its last run, and loaded the info that it
// was given.
func (f fake) program(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"version": cmp.Or(f.version, "2023.03.04"),
		"info":    f.info, "stderr": f.stderr, "script": f.script, "load": f.load,
		"code": strconv.Itoa(f.code),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	if f.pages {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "pages"), nil, 0o600))
	}
	// Linked, not written: a file that was just open for writing may not be run
	// while another test starts a program.
	script, err := filepath.Abs("testdata/yt-dlp")
	require.NoError(t, err)
	path := filepath.Join(dir, "yt-dlp")
	require.NoError(t, os.Symlink(script, path))
	return path
}

// hasSound writes the file of a whole recording.
const hasSound = "echo x > sound; echo sound > done"

// start returns a downloader with the fake. Answers that take no script come from this process.
func (f fake) start(t *testing.T, change ...func(*run.Config, *ytdlp.Options)) *bench {
	t.Helper()
	if f.script != "" || f.load != "" && f.load != hasSound {
		return newBench(t, f.program(t), change...)
	}
	if f.file == "" {
		var err error
		f.file, err = filepath.Abs("testdata/yt-dlp")
		require.NoError(t, err)
	}
	b := &bench{url: "http://site.example", dir: t.TempDir(), log: new(log)}
	b.host = engine.Host{Programs: inProcess{f}, Confined: true, Dir: b.dir, Judge: func(context.Context, string, string) error { return nil }}
	options := ytdlp.Options{Log: b.log.logger()}
	for _, f := range change {
		f(new(run.Config), &options)
	}
	var err error
	b.Downloader, err = ytdlp.New(b.host, options)
	require.NoError(t, err)
	return b
}

// inProcess answers as the fake does, without starting a program.
type inProcess struct{ fake }

func (p inProcess) Look(string) (string, error) { return p.file, nil }

func (p inProcess) Run(ctx context.Context, c engine.Command) (exit engine.Exit, err error) {
	write := func(to io.Writer, kept *[]byte, text string) {
		if to == nil {
			*kept = append(*kept, text...)
		} else if _, err := io.WriteString(to, text); err != nil {
			return // the adapter has heard enough
		}
	}
	switch args := strings.Join(c.Args, " "); {
	case strings.Contains(args, "--version"):
		write(c.Stdout, &exit.Stdout, cmp.Or(p.version, "2023.03.04"))
		return exit, nil
	case strings.Contains(args, "--load-info-json") && p.load == hasSound:
		err = errors.Join(os.WriteFile(filepath.Join(c.Dir, "sound"), []byte("x"), 0o600), os.WriteFile(filepath.Join(c.Dir, "done"), []byte("sound"), 0o600))
		return exit, err
	case strings.Contains(args, "--write-pages") && p.pages:
		for _, arg := range c.Args {
			if _, id, ok := strings.Cut(arg, "v="); ok {
				page := fmt.Sprintf(`{"playabilityStatus":{"status":"OK"},"videoDetails":{"videoId":%q}}`, id)
				err = errors.Join(err, os.WriteFile(filepath.Join(c.Dir, id+".dump"), []byte(page), 0o600))
			}
		}
	}
	info, stderr, code := p.info, p.stderr, p.code
	if p.answer != nil {
		info, stderr, code = p.answer(c)
	}
	for _, line := range p.lines {
		code = 1
		if strings.HasPrefix(line, "ERROR") || strings.HasPrefix(line, "WARNING") {
			write(c.Stderr, &exit.Stderr, line+"\n")
		} else {
			write(c.Stdout, &exit.Stdout, line+"\n")
		}
	}
	if p.hangs {
		<-ctx.Done()
	}
	if ctx.Err() != nil { // the adapter has ended it
		return exit, context.Cause(ctx)
	}
	write(c.Stdout, &exit.Stdout, info)
	write(c.Stderr, &exit.Stderr, stderr)
	exit.Code = code
	return exit, err
}

// An id that looks like a word of the program's is none.
func TestIDsLikeComplaints(t *testing.T) {
	t.Parallel()
	b := fake{info: "null", code: 1, stderr: "ERROR: [youtube] the-captcha: Video unavailable\n"}.start(t)
	_, err := b.captions(t, "the-captcha", "en")
	coded(t, err, transcript.Unavailable)
}

// What hides the media comes as a warning where captions may be had without it.
func TestWarnings(t *testing.T) {
	t.Parallel()
	const tracks = `"subtitles": {"en": [{"url": "http://x/", "ext": "vtt"}]}`
	tests := []struct {
		name, info, stderr string
		code               transcript.Code // "" for none
	}{
		{"private", `{"id": "x", "formats": []}`, "WARNING: [youtube] Private video. Sign in if you've been granted access", transcript.Unavailable},
		{"blocked, with tracks", `{"id": "x", "formats": [], ` + tracks + `}`, "WARNING: [youtube] Sign in to confirm you're not a bot", transcript.IPBlocked},
		{"protected, with tracks", `{"id": "x", "formats": [], ` + tracks + `}`, "WARNING: This video is DRM protected", transcript.Unavailable},
		{"out of order, with tracks", `{"id": "x", "formats": [], ` + tracks + `}`, "WARNING: No video formats found!", ""},
		{"out of order", `{"id": "x", "formats": []}`, "WARNING: No video formats found!", transcript.UpstreamFailed},
		{"only pictures", `{"id": "x", "formats": [{"acodec": "none"}], ` + tracks + `}`, "WARNING: Requested format is not available", ""},
		{"a token", `{"id": "x", "format_id": "1", "formats": [{}]}`,
			"WARNING: [youtube] x: There are missing subtitles languages because a PO token was not provided.", transcript.POTokenRequired},
		{"a warning that means nothing", `{"id": "x", "format_id": "1", "formats": [{}]}`, "WARNING: [youtube] HTTP Error 403: Forbidden. Retrying", ""},
		{"nothing", `null`, "", transcript.UpstreamFailed},
		{"no JSON", `<html>`, "", transcript.UpstreamFailed},
		{"cut off", `{"id": "x", "formats": [`, "", transcript.UpstreamFailed},
		{"an empty list", `{"_type": "playlist", "entries": []}`, "", transcript.UpstreamFailed},
		{"a list of nothing", `{"_type": "playlist", "entries": [null]}`, "", transcript.UpstreamFailed},
		{"a channel", `{"_type": "playlist", "id": "c", "playlist_count": 9, "entries": [{"id": "y", "format_id": "1", "formats": [{}]}]}`, "", transcript.Unavailable},
		{"a post with several", `{"_type": "playlist", "id": "x", "playlist_count": 3, "entries": [{"id": "y", "format_id": "1", "formats": [{}]}]}`, "", ""},
		{"a list of one", `{"_type": "playlist", "id": "c", "playlist_count": 1, "entries": [{"id": "y", "format_id": "1", "formats": [{}]}]}`, "", ""},
		{"live", `{"id": "x", "live_status": "is_live", "format_id": "1", "formats": [{}]}`, "", transcript.Unavailable},
		{"announced", `{"id": "x", "live_status": "is_upcoming", "formats": []}`, "WARNING: No video formats found!", transcript.Unavailable},
		{"was live", `{"id": "x", "live_status": "was_live", "format_id": "1", "formats": [{}]}`, "", ""},
		{"odd types", `{"id": 7, "title": ["x"], "duration": "long", "timestamp": 1e999, "uploader": {}, "subtitles": [], "automatic_captions": "x", "format_id": "1", "formats": [{"acodec": 3}]}`, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := fake{info: tt.info, stderr: tt.stderr + "\n", pages: tt.code == ""}.start(t)
			_, err := b.Captions(t.Context(), b.content("x"), func([]transcript.Track) (int, bool) { return 0, false })
			if tt.code == "" {
				assert.NoError(t, err)
				return
			}
			coded(t, err, tt.code)
		})
	}
}

// Exit code 0 and no file is a failure.
func TestMissingFiles(t *testing.T) {
	t.Parallel()
	const info = `{"id": "x", "title": "T", "format_id": "1", "formats": [{}], "subtitles": {"en": [{"url": "http://x/", "ext": "vtt"}]}}`
	for _, load := range []string{"", ": > text.track.vtt; : > sound; echo > done", "echo WEBVTT > text.en.vtt; echo x > sound"} {
		b := fake{info: info, load: load}.start(t)
		found, err := b.captions(t, "x", "en")
		coded(t, err, transcript.UpstreamFailed)
		assert.Equal(t, "T", found.Metadata.Title)
		assert.Nil(t, found.Track)
		path, err := b.Audio(t.Context(), b.content("x"), t.TempDir(), engine.AudioOptions{})
		coded(t, err, transcript.UpstreamFailed)
		assert.Empty(t, path)
	}
	// Nor is exit code 1 one, with the file there and whole.
	b := fake{info: info, load: "echo x > sound; echo sound > done; exit 1"}.start(t)
	_, err := b.Audio(t.Context(), b.content("x"), t.TempDir(), engine.AudioOptions{})
	assert.NoError(t, err)
}

// A release of the program that unpacks itself may do so, but captions have a bound
// of their own.
func TestLargeFiles(t *testing.T) {
	t.Parallel()
	const info = `{"id": "x", "format_id": "1", "formats": [{}], "subtitles": {"en": [{"url": "http://x/", "ext": "vtt"}]}}`
	const unpacks = `head -c 50000000 /dev/zero >"$TMPDIR/library" || exit 9; rm "$TMPDIR/library"`
	b := fake{info: info, script: unpacks, load: "printf 'WEBVTT\n\n00:00.000 --> 00:01.000\nhello\n' > text.track.vtt"}.start(t)
	found, err := b.captions(t, "x", "en")
	require.NoError(t, err)
	assert.Len(t, found.Segments, 1)

	b = fake{info: info, load: "{ echo WEBVTT; yes; } | head -c 16777217 > text.track.vtt"}.start(t)
	_, err = b.captions(t, "x", "en")
	e := coded(t, err, transcript.UpstreamFailed)
	assert.Equal(t, "The platform's captions never end.", e.Message)
}

func TestNoSound(t *testing.T) {
	t.Parallel()
	for name, info := range map[string]string{
		"a silent picture":          `{"id": "x", "format_id": "1", "acodec": "none", "vcodec": "h264", "formats": [{"acodec": "none"}]}`,
		"nothing that may be taken": `{"id": "x", "formats": [{"protocol": "rtmp"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := fake{info: info}.start(t)
			_, err := b.Audio(t.Context(), b.content("x"), t.TempDir(), engine.AudioOptions{})
			coded(t, err, transcript.Unavailable)
		})
	}
}

// A size that the platform tells beforehand is believed.
func TestSizeKnownBefore(t *testing.T) {
	t.Parallel()
	b := fake{info: `{"id": "x", "format_id": "1", "filesize": 1000001, "formats": [{}]}`, load: "exit 3"}.start(t)
	_, err := b.Audio(t.Context(), b.content("x"), t.TempDir(), engine.AudioOptions{MaxBytes: 1000000})
	coded(t, err, transcript.MediaTooLarge)
}

// A download that says it will be too large, or is, does not go on.
func TestStopsWhenTooLarge(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"progress: 10 1000001 NA", "progress: 1000001 NA 2000000.5"} {
		b := fake{info: `{"id": "x", "format_id": "1", "formats": [{}]}`, load: "echo '" + line + "'; sleep 60"}.start(t)
		_, err := b.Audio(t.Context(), b.content("x"), t.TempDir(), engine.AudioOptions{MaxBytes: 1000000})
		coded(t, err, transcript.MediaTooLarge)
	}
}

// The link is known again in whatever case the program writes its host.
func TestRefusalInAnotherCase(t *testing.T) {
	t.Parallel()
	b := fake{info: "null", code: 1, script: "curl -s http://localhost/ > /dev/null"}.start(t)
	_, err := b.Captions(t.Context(), engine.Content{URL: "http://LocalHost/"}, nil)
	coded(t, err, transcript.Unavailable)
	_, err = b.Captions(t.Context(), engine.Content{URL: "http://site.example/"}, nil)
	coded(t, err, transcript.UpstreamFailed)
}

func TestCheck(t *testing.T) {
	t.Parallel()
	check := func(b *bench) error {
		_, err := b.Version(t.Context()) // as long as it takes
		for err == nil {
			if err = b.Check(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
				return err
			}
			err = nil // the program is still looking for its equipment
		}
		return err
	}
	require.NoError(t, check(newBench(t, installed.program)))
	tests := []struct {
		name string
		fake fake
		says string // "" when it is fit
	}{
		{"old enough", fake{version: "2023.03.04"}, ""},
		{"a build between releases", fake{version: "2025.10.22.232842.dev0"}, ""},
		{"too old", fake{version: "2021.06.06"}, "is version 2021.06.06, older than 2023.03.04"},
		{"another program", fake{version: "ffmpeg version 5.1"}, "does not answer like yt-dlp"},
		{"broken", fake{script: "echo 'ModuleNotFoundError: No module named yt_dlp' >&2; exit 1"}, "does not answer like yt-dlp"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := check(tt.fake.start(t))
			if tt.says == "" {
				assert.NoError(t, err)
				return
			}
			assert.Contains(t, coded(t, err, transcript.ConfigError).Message, tt.says)
		})
	}
	t.Run("missing", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, "yt-dlp-that-is-not-there")
		for _, err := range []error{b.Check(t.Context()), second(b.captions(t, "x", "en"))} {
			assert.Contains(t, coded(t, err, transcript.ConfigError).Message, "is missing")
		}
	})
	t.Run("options unknown", func(t *testing.T) {
		t.Parallel()
		_, err := fake{code: 2, stderr: "yt-dlp: error: no such option: --no-live-from-start\n"}.start(t).captions(t, "x", "en")
		coded(t, err, transcript.ConfigError)
		assert.ErrorContains(t, err, "no such option")
	})
}

func second[T any](_ T, err error) error { return err }

func TestNew(t *testing.T) {
	t.Parallel()
	_, err := ytdlp.New(engine.Host{}, ytdlp.Options{})
	require.Error(t, err)
	programs, err := run.New(run.Config{Dir: t.TempDir()})
	require.NoError(t, err)
	_, err = ytdlp.New(engine.Host{Programs: programs}, ytdlp.Options{Program: "../yt-dlp"})
	require.ErrorContains(t, err, "Program")

	// Without a guard there is no network, and so no yt-dlp.
	d, err := ytdlp.New(engine.Host{Programs: programs}, ytdlp.Options{})
	require.NoError(t, err)
	_, err = d.Version(t.Context()) // Check does not wait for a busy machine
	assert.ErrorContains(t, err, "egress guard")
}

// What the program is told, by its version.
func TestArguments(t *testing.T) {
	t.Parallel()
	for version, plugins := range map[string]bool{"2023.03.04": false, "2025.03.01": false, "2025.04.30": true, "2026.02.21": true} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			path := fake{version: version, info: "null"}.program(t)
			b := newBench(t, path)
			_, err := b.captions(t, "x", "en")
			require.Error(t, err)
			data, err := os.ReadFile(filepath.Join(filepath.Dir(path), "seen"))
			require.NoError(t, err)
			told := strings.Split(strings.TrimSpace(string(data)), "\n")
			assert.Equal(t, plugins, slices.Contains(told, "arg --no-plugin-dirs"))
			assert.Contains(t, told, "arg --ignore-config")
			assert.Contains(t, string(data), "\narg --\narg "+b.url+"/watch?v=x\n", "the link cannot be an option")
			assert.NotContains(t, string(data), "--proxy")
			assert.Contains(t, told, "NO_PROXY=")
			assert.Contains(t, string(data), "\nftp_proxy=http://ytdlp-x:")
		})
	}
}
