package ytdlp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const aSecret = "s3cret-value-of-a-cookie"

// jar writes a file of cookies, with the given lines after the cookie of the platform.
func jar(t *testing.T, more ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cookies.txt")
	lines := append([]string{"# Netscape HTTP Cookie File", "", cookie(".video.example", "SID")}, more...)
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	return path
}

func cookie(host, name string) string {
	end := strconv.FormatInt(time.Now().Add(time.Hour).Unix(), 10)
	return strings.Join([]string{host, "TRUE", "/", "TRUE", end, name, aSecret}, "\t")
}

var videoHosts = []string{"www.video.example"}

func TestReadCookies(t *testing.T) {
	t.Parallel()
	path := jar(t, cookie("bank.example", "B"), cookie("#HttpOnly_.www.video.example", "H"), cookie("notvideo.example", "N"), cookie(".example", "E"), "# a comment")
	report, err := ytdlp.ReadCookies(ytdlp.Cookies{File: path, Hosts: videoHosts})
	require.NoError(t, err)
	assert.Equal(t, 2, report.Count)
	assert.Equal(t, []string{"bank.example", "example", "notvideo.example"}, report.Others)
	assert.WithinDuration(t, time.Now().Add(time.Hour), report.Expires, time.Minute)

	for name, tt := range map[string]struct {
		text string
		mode os.FileMode
		says string
	}{
		"readable for all": {cookie(".video.example", "SID"), 0o604, "run chmod 600"},
		"of another host":  {cookie(".bank.example", "SID"), 0o600, "has no cookie for www.video.example"},
		"json":             {`[{"name": "SID", "value": "` + aSecret + `"}]`, 0o600, "line 1 of "},
		"cut":              {cookie(".video.example", "SID")[:30] + "\n" + aSecret, 0o600, "Netscape format"},
		"old":              {".video.example\tTRUE\t/\tTRUE\t1000\tSID\t" + aSecret, 0o600, "have expired"},
		"empty":            {"", 0o600, "has no cookie"},
		"huge":             {strings.Repeat("#\n", 1<<19+1), 0o600, "larger than"},
	} {
		path := filepath.Join(t.TempDir(), "cookies.txt")
		require.NoError(t, os.WriteFile(path, []byte(tt.text), 0o600), name)
		require.NoError(t, os.Chmod(path, tt.mode), name)
		_, err := ytdlp.ReadCookies(ytdlp.Cookies{File: path, Hosts: videoHosts})
		require.ErrorContains(t, err, tt.says, name)
		assert.NotContains(t, err.Error(), aSecret, name)
	}
	_, err = ytdlp.ReadCookies(ytdlp.Cookies{File: t.TempDir(), Hosts: videoHosts})
	require.ErrorContains(t, err, "is not a file")
	_, err = ytdlp.ReadCookies(ytdlp.Cookies{File: "/nonexistent/cookies.txt", Hosts: videoHosts})
	require.ErrorIs(t, err, os.ErrNotExist)
}

// walled is a program for which the site shows a content only with cookies. It keeps what it was
// given, changes its cookies as yt-dlp does, and tells an availability.
func walled(t *testing.T, refusal, availability string) fake {
	t.Helper()
	return fake{version: "2026.08.19", script: `case "$*" in
*--version*|-v*) ;;
*" --cookies "*)
	echo cookies >>"$here/ways"
	while test "$1" != --cookies || test "$2" = ""; do shift; done
	cat "$2" >"$here/jar"
	stat -c %a "$2" >"$here/mode"
	echo "$2" >"$here/path"
	echo "changed" >>"$2"
	echo '{"id":"x","title":"T","availability":` + availability + `,"format_id":"1","formats":[{"protocol":"https","acodec":"opus","url":"https://x.example/"}],"subtitles":{"en":[{"url":"https://x.example/","ext":"vtt"}]}}'
	exit ;;
*)
	echo plain >>"$here/ways"
	echo "ERROR: [site] x: ` + refusal + `" >&2
	echo null
	exit 1 ;;
esac
`}
}

func withCookies(t *testing.T, path string) func(*run.Config, *ytdlp.Options) {
	t.Helper()
	return func(_ *run.Config, o *ytdlp.Options) {
		o.Access.Cookies = map[transcript.Platform]ytdlp.Cookies{transcript.VideoSite: {File: path, Hosts: videoHosts}}
	}
}

// ask asks for captions without reading any.
func ask(ctx context.Context, b *bench, login bool) (engine.Captions, error) {
	c := b.content("x")
	c.Login = login
	return b.Captions(ctx, c, func([]transcript.Track) (int, bool) { return 0, false })
}

func TestCookies(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		refusal, availability string
		ways                  []string // the last is that of the answer
		private               bool
	}{
		"login, of nobody":  {"This video is only available for registered users", `null`, []string{"plain", "cookies"}, true},
		"login, unlisted":   {"Sign in to confirm your age", `"unlisted"`, []string{"plain", "cookies"}, true},
		"blocked, public":   {"Sign in to confirm you're not a bot", `"public"`, []string{"plain", "cookies"}, false},
		"gone":              {"Video unavailable. This video has been removed by the uploader", `"public"`, []string{"plain"}, false},
		"private":           {"Private video. Sign in if you've been granted access to this video", `"public"`, []string{"plain"}, false},
		"fault of the site": {"Unable to download webpage: HTTP Error 500", `"public"`, []string{"plain"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := jar(t, cookie("bank.example", "BANK"))
			before, err := os.ReadFile(path)
			require.NoError(t, err)
			program := walled(t, tt.refusal, tt.availability).program(t)
			b := newBench(t, program, withCookies(t, path))
			found, err := ask(t.Context(), b, true)
			dir := filepath.Dir(program)
			ways, readErr := os.ReadFile(filepath.Join(dir, "ways"))
			require.NoError(t, readErr)
			last := tt.ways[len(tt.ways)-1]
			assert.Equal(t, last == "cookies", strings.Contains(string(ways), "cookies"), string(ways))
			assert.Regexp(t, "^plain\n", string(ways), "the plain way comes first")
			if last == "cookies" {
				require.NoError(t, err)
				assert.Len(t, found.Tracks, 1)
				assert.Equal(t, tt.private, found.Private)
				given, err := os.ReadFile(filepath.Join(dir, "jar"))
				require.NoError(t, err)
				assert.Contains(t, string(given), aSecret)
				assert.NotContains(t, string(given), "BANK", "cookies of other hosts stay here")
				mode, err := os.ReadFile(filepath.Join(dir, "mode"))
				require.NoError(t, err)
				assert.Equal(t, "600\n", string(mode))
				at, err := os.ReadFile(filepath.Join(dir, "path"))
				require.NoError(t, err)
				assert.True(t, strings.HasPrefix(string(at), b.dir+"/login-"), "in the scratch folder, which the next start empties after a crash: %s", at)
			} else {
				require.Error(t, err)
			}
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, string(before), string(after), "the operator's file never changes")
			b.clean(t)
			assert.NotContains(t, b.log.String(), aSecret)
			seen, _ := os.ReadFile(filepath.Join(dir, "seen")) // the fake writes none where its script ends it
			assert.NotContains(t, string(seen), aSecret, "no argument and no variable holds a cookie")
		})
	}
}

// A caller that does not keep private content apart gets none.
func TestCookiesNeedPermission(t *testing.T) {
	t.Parallel()
	program := walled(t, "This video is only available for registered users", "null").program(t)
	b := newBench(t, program, withCookies(t, jar(t)))
	_, err := ask(t.Context(), b, false)
	coded(t, err, transcript.LoginRequired)
	c := b.content("x")
	c.Login = true
	_, err = b.Audio(t.Context(), c, t.TempDir(), engine.AudioOptions{})
	coded(t, err, transcript.LoginRequired)
	ways, err := os.ReadFile(filepath.Join(filepath.Dir(program), "ways"))
	require.NoError(t, err)
	assert.NotContains(t, string(ways), "cookies")
}

// A file that has become unfit leaves the refusal of the plain way as it is.
func TestCookiesThatAreGone(t *testing.T) {
	t.Parallel()
	path := jar(t)
	b := newBench(t, walled(t, "This video is only available for registered users", "null").program(t), withCookies(t, path))
	require.NoError(t, os.Remove(path))
	_, err := ask(t.Context(), b, true)
	coded(t, err, transcript.LoginRequired)
	assert.Contains(t, b.log.String(), "another way fails too")
	b.clean(t)
}

// The extractor arguments reach only the further way, joined with those of the service's own.
func TestExtractorArgs(t *testing.T) {
	t.Parallel()
	program := fake{version: "2026.08.19", script: `case "$*" in
*--version*|-v*) ;;
*) for arg in "$@"; do echo "$arg"; done >>"$here/args"; echo "ERROR: [site] x: Unable to download webpage: HTTP Error 500" >&2; echo null; exit 1 ;;
esac
`}.program(t)
	b := newBench(t, program, func(_ *run.Config, o *ytdlp.Options) {
		o.Access.ExtractorArgs = []string{"Other:a=--exec", "youtube:player_client=tv"}
	})
	_, err := ask(t.Context(), b, true)
	coded(t, err, transcript.UpstreamFailed)
	text, err := os.ReadFile(filepath.Join(filepath.Dir(program), "args"))
	require.NoError(t, err)
	runs := strings.Split(string(text), "--ignore-config\n")
	assert.Empty(t, runs[0])
	assert.NotContains(t, runs[1], "player_client=tv", "the plain way comes first")
	assert.Contains(t, string(text), "--extractor-args\nother:a=--exec\n")
	assert.Regexp(t, `--extractor-args\nyoutube:player_client=tv`, string(text))
}

func TestAccessIsChecked(t *testing.T) {
	t.Parallel()
	at := func(link string) *url.URL {
		u, err := url.Parse(link)
		require.NoError(t, err)
		return u
	}
	folder := t.TempDir()
	plugin := filepath.Join(folder, "one", "yt_dlp_plugins", "extractor")
	require.NoError(t, os.MkdirAll(plugin, 0o755))
	require.NoError(t, ytdlp.Access{Plugins: folder, TokenProvider: at("http://127.0.0.1:4416/")}.Check())
	open := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(open, "one", "yt_dlp_plugins"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(open, "one", "yt_dlp_plugins", "a.py"), nil, 0o600))
	require.NoError(t, os.Chmod(filepath.Join(open, "one", "yt_dlp_plugins", "a.py"), 0o666))
	wide := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(wide, "one", "yt_dlp_plugins"), 0o755))
	require.NoError(t, os.Chmod(wide, 0o777))
	for says, a := range map[string]ytdlp.Access{
		"chmod -R o-w " + open: {Plugins: open},
		"chmod -R o-w " + wide: {Plugins: wide},
		"has no plugin":        {Plugins: t.TempDir()},
		"not an absolute path": {Plugins: "plugins"},
		"no such file":         {Plugins: "/nonexistent/plugins"},
		"name the folder":      {TokenProvider: at("http://127.0.0.1:4416")},
		"http://HOST:PORT":     {Plugins: folder, TokenProvider: at("http://127.0.0.1:4416/path")},
		"gets its arguments":   {Plugins: folder, TokenProvider: at("http://127.0.0.1:4416"), ExtractorArgs: []string{"YouTubePOT-BgUtilHTTP:base_url=http://x"}},
		"Access.Cookies: " + string(transcript.VideoSite): {Cookies: map[transcript.Platform]ytdlp.Cookies{transcript.VideoSite: {File: "/nonexistent", Hosts: videoHosts}}},
	} {
		err := a.Check()
		require.ErrorContains(t, err, says)
		var wrong *ytdlp.AccessError
		require.ErrorAs(t, err, &wrong)
	}
	for _, args := range []string{"--exec", "-x", "", "youtube", "youtube:", ":a=b", "youtube:a=b\n--exec", "youtube:a\x00b", "--exec:a=b", "you tube:a=b", "youtube:" + strings.Repeat("a", 2000)} {
		assert.Error(t, ytdlp.Access{ExtractorArgs: []string{args}}.Check(), "%q", args)
	}
}

func TestExamineAccess(t *testing.T) {
	t.Parallel()
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("X") + r.URL.Path {
		case "/ping":
			_, _ = w.Write([]byte(`{"server_uptime":1,"version":"2.0.2"}`))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(provider.Close)
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "bgutil", "yt_dlp_plugins"), 0o755))
	examine := func(at string) map[string]engine.Finding {
		u, err := url.Parse(at)
		require.NoError(t, err)
		b := newBench(t, fake{version: "2026.08.19"}.program(t), withCookies(t, jar(t, cookie("bank.example", "B"))), func(_ *run.Config, o *ytdlp.Options) {
			o.Access.Plugins, o.Access.TokenProvider = folder, u
		})
		found := map[string]engine.Finding{}
		for _, f := range b.Examine(t.Context()) {
			found[f.Name] = f
			assert.NotContains(t, f.Found, aSecret)
		}
		return found
	}
	found := examine(provider.URL)
	assert.Equal(t, engine.OK, found["token provider"].Status)
	assert.Contains(t, found["token provider"].Found, "version 2.0.2")
	assert.Equal(t, engine.OK, found["yt-dlp plugins"].Status)
	assert.Contains(t, found["yt-dlp plugins"].Found, "bgutil in "+folder)
	cookies := found["cookies of "+string(transcript.VideoSite)]
	assert.Equal(t, engine.OK, cookies.Status)
	assert.Contains(t, cookies.Found, "1 for www.video.example")
	assert.Contains(t, cookies.Found, "those of 1 other hosts are left out")
	assert.Contains(t, cookies.Found, "may ban the account")

	wrong := examine(other.URL)["token provider"]
	assert.Equal(t, engine.Broken, wrong.Status)
	assert.Contains(t, wrong.Found, "does not answer like a token provider")
	other.Close()
	assert.Contains(t, examine(other.URL)["token provider"].Found, "does not answer")
}
