package egress_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func namesOf(exits []*egress.Exit) string {
	var names []string
	for _, e := range exits {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestListedExits(t *testing.T) {
	t.Parallel()
	unnamed := &url.URL{Scheme: "http", Host: "other.test:3128"}
	g, log := newGuard(t, egress.Config{Proxies: []*url.URL{unnamed}, Exits: []egress.Listed{
		{Name: "berlin", Address: "http://me:se%3Acret@proxy.test:3128"},
		{Name: "gate", Address: "socks5://gate.test", ByName: true, Uses: []egress.Use{egress.Captions, egress.Lists}, Platforms: []transcript.Platform{transcript.VideoSite}},
		{Name: "own", Address: "2001:db8:1:2::/64", Uses: []egress.Use{egress.Sound}},
	}})
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

	require.NoError(t, g.Change(egress.Config{Exits: []egress.Listed{{Name: "rome", Address: "http://rome.test:3128"}}}))
	require.Equal(t, "rome", namesOf(g.Exits()))
	err := g.Change(egress.Config{Exits: []egress.Listed{{Name: "paris", Address: "http://me:secret@paris.test:port"}}})
	require.ErrorContains(t, err, "exits[0].address: not a URL")
	assert.NotContains(t, err.Error(), "secret")
	require.Equal(t, "rome", namesOf(g.Exits()), "what is wrong changes nothing")
	require.NoError(t, g.Change(egress.Config{}))
	require.Equal(t, "direct", namesOf(g.Exits()))
}

// A change denies other addresses.
func TestChangeOfDenied(t *testing.T) {
	t.Parallel()
	g, _ := newGuard(t, egress.Config{Allow: []string{"127.0.0.1:9099"}})
	require.NoError(t, g.JudgeLink(t.Context(), "job", "http://127.0.0.1:9099/"))
	require.ErrorContains(t, g.Change(egress.Config{Deny: []string{"localhost:9099"}}), "Allow: 127.0.0.1:9099 is the deployment's own")
	require.NoError(t, g.JudgeLink(t.Context(), "job", "http://public.test/"))
	require.NoError(t, g.Change(egress.Config{Deny: []string{"public.test:80"}}))
	require.ErrorIs(t, g.JudgeLink(t.Context(), "job", "http://public.test/"), egress.ErrRefused)
}

func TestExitsThatAreWrong(t *testing.T) {
	t.Parallel()
	rome := egress.Listed{Name: "rome", Address: "http://rome.test"}
	for says, exits := range map[string][]egress.Listed{
		"exits: want at most 1000 exits":                              make([]egress.Listed, 1001),
		"exits[0].name: want 1 to 32":                                 {{}},
		`exits[1].name: another exit is named "rome" too`:             {rome, rome},
		`exits[0].name: another exit is named "proxy-1" too`:          {{Name: "proxy-1", Address: "http://a.test"}},
		"exits[0].name: want":                                         {{Name: "a b", Address: "http://a.test"}},
		"exits[0].address: want the URL":                              {{Name: "a", Address: "me:secret@a.test"}},
		"not an http, https or socks5 URL":                            {{Name: "a", Address: "ftp://me:secret@a.test"}},
		"exits[0].address: more than scheme":                          {{Name: "a", Address: "http://me:secret@a.test/way"}},
		"exits[0].address: not a port":                                {{Name: "a", Address: "http://me:secret@a.test:0"}},
		"exits[0].address: want the URL of a proxy (http, http":       {{Name: "a", Address: "10.0.0.0/8"}},
		"IPv6 prefix of /32 to /128 such":                             {{Name: "a", Address: "::ffff:10.0.0.0/104"}},
		"IPv6 prefix of /32 to /128":                                  {{Name: "a", Address: "2000::/3"}},
		"exits[0].byName: is for proxies":                             {{Name: "a", Address: "2001:db8::/64", ByName: true}},
		"exits[0].uses: is empty":                                     {{Name: "a", Address: "http://a.test", Uses: []egress.Use{}}},
		`exits[0].uses: "video" is none of`:                           {{Name: "a", Address: "http://a.test", Uses: []egress.Use{"video"}}},
		"exits[0].platforms: is empty":                                {{Name: "a", Address: "http://a.test", Platforms: []transcript.Platform{}}},
		`exits[0].platforms: "bank" is none of`:                       {{Name: "a", Address: "http://a.test", Platforms: []transcript.Platform{"bank"}}},
		"127.0.0.1:9099 is the deployment's own":                      {{Name: "a", Address: "http://127.0.0.2:9099"}},
		"[2001:db8::1]:9099 is in the deployment's own 2001:db8::/64": {{Name: "a", Address: "2001:db8::/64"}},
	} {
		_, err := egress.New(egress.Config{
			Exits: exits, Allow: []string{"127.0.0.1:9099", "[2001:db8::1]:9099"},
			Proxies: []*url.URL{{Scheme: "http", Host: "other.test:3128"}},
		})
		var wrong *egress.ConfigError
		require.ErrorAs(t, err, &wrong, says)
		require.ErrorContains(t, err, says)
		assert.NotContains(t, err.Error(), "secret")
		if !strings.Contains(says, "deployment's own") {
			assert.Equal(t, "Exits", wrong.Member, says)
		}
	}
}

// Connections outside a visit leave by the exits that serve everything, or else by any.
func TestExitsOutsideVisits(t *testing.T) {
	t.Parallel()
	public, link := newPublic(t)
	bound, asked := newSocks(t)
	free, alsoAsked := newSocks(t)
	one := egress.Listed{Name: "bound", Address: bound.String(), Uses: []egress.Use{egress.Sound}}
	g := seen(t, public, egress.Config{Exits: []egress.Listed{one, {Name: "free", Address: free.String()}}})
	for range 4 {
		_, _, err := get(t, g.Client(), link)
		require.NoError(t, err)
	}
	assert.Empty(t, asked.list())
	assert.Len(t, alsoAsked.list(), 4, "no connection is kept")
	require.NoError(t, g.Change(egress.Config{Exits: []egress.Listed{one}}))
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
