package egress_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// writeExits writes a file of exits.
func writeExits(t *testing.T, path, text string) {
	t.Helper()
	fresh := path + ".new" // another file: a change is seen although the clock stands
	require.NoError(t, os.WriteFile(fresh, []byte(text), 0o600))
	require.NoError(t, os.Rename(fresh, path))
}

func namesOf(exits []*egress.Exit) string {
	var names []string
	for _, e := range exits {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestExitsFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "exits.json")
	writeExits(t, path, `{"exits": [
		{"name": "berlin", "address": "http://me:se%3Acret@proxy.test:3128"},
		{"name": "gate", "address": "socks5://gate.test", "byName": true, "uses": ["captions", "lists"], "platforms": ["video_site"]},
		{"name": "own", "address": "2001:db8:1:2::/64", "uses": ["sound"]}
	]}`)
	unnamed := &url.URL{Scheme: "http", Host: "other.test:3128"}
	g, log := newGuard(t, egress.Config{ExitsFile: path, Proxies: []*url.URL{unnamed}})
	assert.Empty(t, log.take())
	exits := g.Exits()
	require.Equal(t, "proxy-1 berlin gate own", namesOf(exits))
	for _, serves := range []struct {
		exit     int
		use      egress.Use
		platform transcript.Platform
		want     bool
	}{
		{0, egress.Sound, transcript.PhotoSite, true},
		{1, egress.Captions, transcript.VideoSite, true},
		{2, egress.Captions, transcript.VideoSite, true},
		{2, egress.Lists, transcript.VideoSite, true},
		{2, egress.Sound, transcript.VideoSite, false},
		{2, egress.Captions, transcript.PhotoSite, false},
		{3, egress.Sound, transcript.PhotoSite, true},
		{3, egress.Captions, transcript.PhotoSite, false},
	} {
		assert.Equal(t, serves.want, exits[serves.exit].Serves(serves.use, serves.platform), "%+v", serves)
	}

	writeExits(t, path, `{"exits": [{"name": "rome", "address": "http://rome.test:3128"}]}`)
	require.Equal(t, "proxy-1 rome", namesOf(g.Exits()))
	lines := log.take()
	require.Len(t, lines, 1)
	assert.Contains(t, lines[0], "the file of exits has changed")
	assert.Contains(t, lines[0], "exits=2")

	writeExits(t, path, `{"exits": [{"name": "paris", "address": "http://me:secret@paris.test:port"}]}`)
	for range 3 {
		require.Equal(t, "proxy-1 rome", namesOf(g.Exits()), "a bad file changes nothing")
	}
	lines = log.take()
	require.Len(t, lines, 1, "told once")
	assert.Contains(t, lines[0], "level=WARN")
	assert.Contains(t, lines[0], "exits[0].address: not a URL")
	assert.NotContains(t, lines[0], "secret")

	require.NoError(t, os.Remove(path))
	require.Equal(t, "proxy-1 rome", namesOf(g.Exits()))
	require.Equal(t, "proxy-1 rome", namesOf(g.Exits()))
	assert.Len(t, log.take(), 1)

	writeExits(t, path, `{"exits": [{"name": "paris", "address": "http://me:secret@paris.test"}]}`)
	require.NoError(t, os.Chmod(path, 0o604))
	require.Equal(t, "proxy-1 paris", namesOf(g.Exits()))
	lines = log.take()
	require.Len(t, lines, 2)
	assert.Contains(t, lines[0], "every user of this machine can read the file of exits")
	assert.Contains(t, lines[0], "chmod o-r "+path)
	assert.NotContains(t, strings.Join(lines, " "), "secret")
}

func TestExitsFileThatIsWrong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for text, says := range map[string]string{
		``:                        "no JSON object",
		`[]`:                      "another type",
		`{"exits": []}`:           "exits: want 1 to 1000 exits",
		"{\n\"exits\": secret}":   "no JSON at line 2",
		`{"exits": ["secret"]}`:   "another type",
		`{"secret": []}`:          "unknown member",
		`{"exits": [{}]}`:         "exits[0].name: want 1 to 32",
		`{"exits": [ROME]} {}`:    "more than one JSON document",
		`{"exits": [ROME, ROME]}`: `exits[1]: name: another exit is named "rome" too`,
		`{"exits": [{"name": "proxy-1", "address": "http://a.test"}]}`:                            `another exit is named "proxy-1" too`,
		`{"exits": [{"name": "a b", "address": "http://a.test"}]}`:                                "exits[0].name: want",
		`{"exits": [{"name": "a", "address": 12345}]}`:                                            "exits.address: a value of another type is wanted (string)",
		`{"exits": [{"name": "a", "address": "me:secret@a.test"}]}`:                               "exits[0].address: want the URL",
		`{"exits": [{"name": "a", "address": "ftp://me:secret@a.test"}]}`:                         "not an http, https or socks5 URL",
		`{"exits": [{"name": "a", "address": "http://me:secret@a.test/way"}]}`:                    "exits[0].address: more than scheme",
		`{"exits": [{"name": "a", "address": "http://me:secret@a.test:0"}]}`:                      "exits[0]: address: not a port",
		`{"exits": [{"name": "a", "address": "10.0.0.0/8"}]}`:                                     "IPv6 prefix of /32 to /128",
		`{"exits": [{"name": "a", "address": "::ffff:10.0.0.0/104"}]}`:                            "IPv6 prefix of /32 to /128",
		`{"exits": [{"name": "a", "address": "2000::/3"}]}`:                                       "IPv6 prefix of /32 to /128",
		`{"exits": [{"name": "a", "address": "2001:db8::/64", "byName": true}]}`:                  "exits[0].byName: is for proxies",
		`{"exits": [{"name": "a", "address": "http://a.test", "uses": []}]}`:                      "exits[0].uses: is empty",
		`{"exits": [{"name": "a", "address": "http://a.test", "uses": ["video"]}]}`:               `exits[0].uses: "video" is none of`,
		`{"exits": [{"name": "a", "address": "http://a.test", "platforms": []}]}`:                 "exits[0].platforms: is empty",
		`{"exits": [{"name": "a", "address": "http://a.test", "platforms": ["secretplatform"]}]}`: "exits[0].platforms: ",
		`{"exits": [{"name": "a", "address": "http://127.0.0.2:9099"}]}`:                          "127.0.0.1:9099 is the deployment's own",
		`{"exits": [{"name": "a", "address": "2001:db8::/64"}]} `:                                 "[2001:db8::1]:9099 is in the deployment's own 2001:db8::/64",
	} {
		path := filepath.Join(dir, "exits.json")
		writeExits(t, path, strings.ReplaceAll(text, "ROME", `{"name": "rome", "address": "http://rome.test"}`))
		_, err := egress.New(egress.Config{
			ExitsFile: path, Allow: []string{"127.0.0.1:9099", "[2001:db8::1]:9099"},
			Proxies: []*url.URL{{Scheme: "http", Host: "other.test:3128"}},
		})
		var wrong *egress.ConfigError
		require.ErrorAs(t, err, &wrong, text)
		require.ErrorContains(t, err, says, text)
		if !strings.Contains(text, "secretplatform") {
			assert.NotContains(t, err.Error(), "secret", text)
		}
		if !strings.Contains(says, "deployment's own") {
			assert.Equal(t, "ExitsFile", wrong.Member, text)
			assert.Contains(t, err.Error(), path, text)
		}
	}
	for _, path := range []string{filepath.Join(dir, "absent.json"), dir} {
		_, err := egress.New(egress.Config{ExitsFile: path})
		require.ErrorContains(t, err, "egress: ExitsFile: ", path)
		require.ErrorContains(t, err, path)
	}
}

// Connections outside a visit leave by the exits that serve everything, or else by any.
func TestExitsOutsideVisits(t *testing.T) {
	t.Parallel()
	public, link := newPublic(t)
	bound, asked := newSocks(t)
	free, alsoAsked := newSocks(t)
	path := filepath.Join(t.TempDir(), "exits.json")
	one := fmt.Sprintf(`{"name": "bound", "address": %q, "uses": ["sound"]}`, bound)
	writeExits(t, path, `{"exits": [`+one+`, `+fmt.Sprintf(`{"name": "free", "address": %q}`, free)+`]}`)
	g := seen(t, public, egress.Config{ExitsFile: path})
	for range 4 {
		_, _, err := get(t, g.Client(), link)
		require.NoError(t, err)
	}
	assert.Empty(t, asked.list())
	assert.Len(t, alsoAsked.list(), 4, "no connection is kept")
	writeExits(t, path, `{"exits": [`+one+`]}`)
	_, _, err := get(t, g.Client(), link)
	require.NoError(t, err)
	assert.Len(t, asked.list(), 1)
}

// A proxy whose name does not exist closes no port for the other exits.
func TestLostExitClosesNothing(t *testing.T) {
	t.Parallel()
	public, link := newPublic(t)
	socks, _ := newSocks(t)
	lost := &url.URL{Scheme: "http", Host: fmt.Sprintf("lost.test:%d", public.at.Port())}
	g := seen(t, public, egress.Config{Proxies: []*url.URL{lost, socks}})
	_, _, err := get(t, g.Client(), link)
	require.NoError(t, err)
	_, _, err = get(t, g.Client(), strings.Replace(link, "public", "lost", 1))
	require.ErrorIs(t, err, egress.ErrRefused)
}
