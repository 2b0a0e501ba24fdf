package ytdlp_test

import (
	"os"
	"path/filepath"
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

const (
	// lent finds the folder of the cache among the arguments.
	lent = `cache=; before=; for arg in "$@"; do case "$before" in --cache-dir) cache=$arg ;; esac; before=$arg; done
`
	solved    = `{"yt-dlp_version": "2026.10.26", "data": [3, 1, 2]}`
	silentOne = `{"id": "x", "format_id": "1", "acodec": "none", "vcodec": "avc1", "formats": [{"protocol": "https", "acodec": "none", "vcodec": "avc1"}]}`
)

// caching is a downloader whose program keeps a cache by a script, before it describes a video
// without sound.
func caching(t *testing.T, script string, code int) *bench {
	t.Helper()
	return fake{version: "2026.10.26", info: silentOne, code: code, script: "case \"$*\" in *--cache-dir*)\n" + lent + script + "\n;; esac\n"}.start(t)
}

// sound asks for the sound of a video, which there is none of.
func (b *bench) sound(t *testing.T) {
	t.Helper()
	_, err := b.Audio(t.Context(), b.content("x"), t.TempDir(), engine.AudioOptions{})
	require.Error(t, err)
}

// kept lists the files of the service's cache.
func (b *bench) kept(t *testing.T) (names []string) {
	t.Helper()
	dir := filepath.Join(b.dir, "yt-dlp-cache")
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil
		}
		require.NoError(t, err)
		info, err := entry.Info()
		require.NoError(t, err)
		if entry.IsDir() {
			assert.Equal(t, os.FileMode(0o700), info.Mode().Perm(), path)
			return nil
		}
		assert.Equal(t, os.FileMode(0o600), info.Mode(), path)
		names = append(names, strings.TrimPrefix(path, dir+"/"))
		return nil
	}))
	return names
}

// The next run finds the files that a run has left in its cache, in a folder of its own.
func TestCache(t *testing.T) {
	t.Parallel()
	b := caching(t, `cat "$cache/youtube-sigfuncs/a.json" >>"$here/found" 2>/dev/null; echo "$cache" >>"$here/folders"
mkdir -p "$cache/youtube-sigfuncs" && echo '`+solved+`' >"$cache/youtube-sigfuncs/a.json"`, 0)
	for range 3 {
		b.sound(t)
		assert.Equal(t, []string{"youtube-sigfuncs/a.json"}, b.kept(t))
	}
	here := filepath.Dir(b.program)
	found, err := os.ReadFile(filepath.Join(here, "found"))
	require.NoError(t, err)
	assert.Equal(t, strings.Repeat(solved+"\n", 2), string(found))
	folders, err := os.ReadFile(filepath.Join(here, "folders"))
	require.NoError(t, err)
	for folder := range strings.Lines(string(folders)) {
		assert.True(t, strings.HasPrefix(folder, b.dir+"/cache-"), "never the user's own: %s", folder)
		assert.NoDirExists(t, strings.TrimSpace(folder), "a run takes its folder with it")
	}
	assert.Equal(t, 3, strings.Count(string(folders), "\n"))
}

// Captions, and other platforms, have no cache.
func TestNoCache(t *testing.T) {
	t.Parallel()
	b := caching(t, `echo x >>"$here/asked"`, 0)
	_, err := b.captions(t, "x", "en")
	require.Error(t, err) // no page, so that all players are asked
	asked := filepath.Join(filepath.Dir(b.program), "asked")
	text, err := os.ReadFile(asked)
	require.NoError(t, err)
	assert.Equal(t, "x\n", string(text), "by the second run alone")
	other := b.content("x")
	other.Platform = transcript.ShortVideoSite
	_, err = b.Audio(t.Context(), other, t.TempDir(), engine.AudioOptions{})
	require.Error(t, err)
	after, err := os.ReadFile(asked)
	require.NoError(t, err)
	assert.Equal(t, text, after)
}

// Hostile files that a run leaves in its copy of the cache stay there.
func TestHostileCache(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.MkdirAll(filepath.Join(secret, "youtube-x"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(secret, "key.json"), []byte(solved), 0o600))
	b := caching(t, `mkdir -p "$cache/youtube-sigfuncs" "$cache/other" "$cache/youtube-deep/more" && cd "$cache/youtube-sigfuncs" || exit 9
ln -s `+secret+`/key.json link.json
ln -s `+secret+` "$cache/youtube-linked"
ln -s ../../.. "$cache/youtube-up"
mkfifo pipe.json
printf '{"yt-dlp_version": "2026.10.26", "data": "' >large.json; head -c 5000000 /dev/zero | tr '\0' x >>large.json; echo '"}' >>large.json
echo '{"yt-dlp_version": "2026.10.26"' >cut.json
echo '{"yt-dlp_version": "2026.10.26", "data": 1, "more": 2}' >more.json
echo '{"yt-dlp_version": "soon", "data": 1}' >release.json
echo '[1]' >list.json
echo '`+solved+`' >"$cache/other/a.json"; echo '`+solved+`' >"$cache/a.json"; echo '`+solved+`' >"$cache/youtube-deep/more/a.json"
echo '`+solved+`' >..json; echo '`+solved+`' >'a b.json'; echo '`+solved+`' >a.txt; echo '`+solved+`' >good.json; chmod 0777 good.json`, 0)
	b.sound(t)
	assert.Equal(t, []string{"youtube-sigfuncs/..json", "youtube-sigfuncs/good.json"}, b.kept(t))
}

// The cache has bounds of number, size and age.
func TestBoundsOfTheCache(t *testing.T) {
	t.Parallel()
	b := caching(t, `mkdir -p "$cache/youtube-n" && i=0; while [ $i -lt 250 ]; do echo '`+solved+`' >"$cache/youtube-n/$$-$i.json"; i=$((i+1)); done`, 0)
	for range 2 {
		b.sound(t)
		assert.Len(t, b.kept(t), 100)
	}
	b = caching(t, `mkdir -p "$cache/youtube-n"; for i in 1 2 3 4 5 6; do { printf '{"yt-dlp_version": "2026.10.26", "data": "'; head -c 3900000 /dev/zero | tr '\0' x; echo '"}'; } >"$cache/youtube-n/$$-$i.json"; done`, 0)
	for range 2 {
		b.sound(t)
		assert.Len(t, b.kept(t), 4, "16 MiB")
	}

	b = caching(t, `mkdir -p "$cache/youtube-n"; test -e "$here/no" || echo '`+solved+`' >"$cache/youtube-n/old.json"`, 0)
	b.sound(t)
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(b.program), "no"), nil, 0o600))
	b.sound(t)
	require.Len(t, b.kept(t), 1)
	old := time.Now().Add(-25 * time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(b.dir, "yt-dlp-cache", "youtube-n", "old.json"), old, old))
	b.sound(t)
	assert.Empty(t, b.kept(t))
}

// The bounds hold over many runs that each learn something else.
func TestCacheOverManyRuns(t *testing.T) {
	t.Parallel()
	b := caching(t, `run=$(cat "$here/run" 2>/dev/null || echo 10); echo $((run+1)) >"$here/run"
rm -rf "$cache"/youtube-*; mkdir -p "$cache/youtube-n"; i=0; while [ $i -lt 60 ]; do echo '`+solved+`' >"$cache/youtube-n/$run-$i.json"; i=$((i+1)); done`, 0)
	for _, want := range []int{60, 100, 100, 100} {
		b.sound(t)
		assert.Len(t, b.kept(t), want)
	}
	runs := make(map[string]bool)
	for _, name := range b.kept(t) {
		runs[strings.TrimPrefix(name, "youtube-n/")[:2]] = true
	}
	assert.True(t, runs["13"] && runs["12"] && !runs["10"], "the latest files stay: %v", runs)
}

// A run that fails with the cache leaves none: what is in the cache may be the reason.
func TestCacheThatLeadsAstray(t *testing.T) {
	t.Parallel()
	b := caching(t, `mkdir -p "$cache/youtube-n"; test ! -e "$cache/youtube-n/a.json" || exit 1; echo '`+solved+`' >"$cache/youtube-n/a.json"`, 0)
	b.sound(t)
	require.Len(t, b.kept(t), 1)
	b.sound(t)
	assert.Empty(t, b.kept(t))
	b.sound(t)
	assert.Len(t, b.kept(t), 1, "without it the program works again")
}

// The confinement lets a run write the folder that it is lent, and not the cache itself.
func TestCacheInTheConfinement(t *testing.T) {
	t.Parallel()
	program := fake{version: "2026.10.26", info: silentOne, script: "case \"$*\" in *--cache-dir*)\n" + lent + `mkdir -p "$cache/youtube-n" && echo '` + solved + `' >"$cache/youtube-n/a.json"
mkdir -p "$cache/../yt-dlp-cache/youtube-n" 2>/dev/null; echo '` + solved + `' >"$cache/../yt-dlp-cache/youtube-n/b.json"
;; esac
`}.program(t)
	b := newBench(t, program, func(r *run.Config, _ *ytdlp.Options) {
		r.Path, r.WithoutLandlock = filepath.Dir(program)+":"+run.DefaultPath, false // what stands in for yt-dlp reads its own folder
	})
	for range 2 {
		b.sound(t)
		assert.Equal(t, []string{"youtube-n/a.json"}, b.kept(t), b.log)
	}
}
