package site_test

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// local is a file of an operator's whose video site is on this machine.
const local = `{
  "video_site": {
    "hosts": ["127.0.0.1:9099"],
    "shortHosts": [],
    "id": "^[A-Za-z0-9_-]{11}$",
    "links": ["/watch?v={id}", "/shorts/{id}", "/live/{id}", "/embed/{id}", "/v/{id}"],
    "canonical": "http://127.0.0.1:9099/watch?v={id}",
    "base": "http://127.0.0.1:9099"
  }
}`

func override(t *testing.T, text string) *site.Table {
	t.Helper()
	table, err := site.Default().Override(strings.NewReader(text))
	require.NoError(t, err)
	return table
}

func TestOverride(t *testing.T) {
	t.Parallel()
	table := override(t, local)
	want := site.Match{Platform: transcript.VideoSite, ExternalID: "dQw4w9WgXcQ", URL: "http://127.0.0.1:9099/watch?v=dQw4w9WgXcQ"}
	for _, link := range []string{"http://127.0.0.1:9099/watch?v=dQw4w9WgXcQ", "127.0.0.1:9099/shorts/dQw4w9WgXcQ", "https://127.0.0.1:9099/v/dQw4w9WgXcQ", "dQw4w9WgXcQ"} {
		match, err := table.Detect(link)
		require.NoError(t, err, link)
		assert.Equal(t, want, match)
	}
	for _, link := range []string{"http://127.0.0.1/watch?v=dQw4w9WgXcQ", "http://127.0.0.1:9098/watch?v=dQw4w9WgXcQ", "https://youtu.be/dQw4w9WgXcQ"} {
		_, err := table.Detect(link)
		require.ErrorIs(t, err, transcript.UnsupportedPlatform, link)
	}
	at, err := table.At(transcript.VideoSite, "dQw4w9WgXcQ", 7)
	require.NoError(t, err)
	assert.Equal(t, "http://127.0.0.1:9099/watch?v=dQw4w9WgXcQ&t=7s", at)
	s, _ := table.Site(transcript.VideoSite)
	assert.Equal(t, "http://127.0.0.1:9099/playlist?list={id}", s.Playlist)
	assert.Equal(t, "http://127.0.0.1:9099/channel/{id}", s.Channel)

	match, err := table.Detect("https://x.com/jack/status/20")
	require.NoError(t, err, "a platform that is not named keeps its default")
	assert.Equal(t, transcript.MicroblogSite, match.Platform)
	_, err = site.Default().Detect("https://youtu.be/dQw4w9WgXcQ")
	assert.NoError(t, err, "the default table is as it was")
}

func TestOverrideDerives(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file string
		want       site.Site // the members that are looked at
	}{
		{"base from canonical", `{"microblog_site": {"hosts": ["blog.example"], "canonical": "http://blog.example/i/status/{id}"}}`,
			site.Site{Canonical: "http://blog.example/i/status/{id}", Base: "http://blog.example", Channel: "http://blog.example/{id}"}},
		{"canonical from base", `{"microblog_site": {"hosts": ["blog.example:81"], "base": "http://blog.example:81"}}`,
			site.Site{Canonical: "http://blog.example:81/i/status/{id}", Base: "http://blog.example:81", Channel: "http://blog.example:81/{id}"}},
		{"both named", `{"microblog_site": {"hosts": ["blog.example"], "canonical": "https://blog.example/i/status/{id}", "base": "http://10.0.0.1"}}`,
			site.Site{Canonical: "https://blog.example/i/status/{id}", Base: "http://10.0.0.1", Channel: "http://10.0.0.1/{id}"}},
		{"templates named", `{"microblog_site": {"hosts": ["blog.example"], "base": "http://blog.example", "at": "http://b/{id}?t={t}", "playlist": "http://b/p/{id}", "channel": "http://b/c/{id}"}}`,
			site.Site{Canonical: "http://blog.example/i/status/{id}", Base: "http://blog.example", At: "http://b/{id}?t={t}", Playlist: "http://b/p/{id}", Channel: "http://b/c/{id}"}},
		{"an id only", `{"microblog_site": {"id": "^[0-9]{2}$"}}`,
			site.Site{Canonical: "https://twitter.com/i/status/{id}", Base: "https://twitter.com", Channel: "https://x.com/{id}"}},
	} {
		s, ok := override(t, test.file).Site(transcript.MicroblogSite)
		require.True(t, ok)
		got := site.Site{Canonical: s.Canonical, Base: s.Base, At: s.At, Playlist: s.Playlist, Channel: s.Channel}
		assert.Equal(t, test.want, got, test.name)
	}
}

func TestOverrideTwice(t *testing.T) {
	t.Parallel()
	first := override(t, `{"microblog_site": {"channel": "https://people.example/{id}"}}`)
	second, err := first.Override(strings.NewReader(`{"microblog_site": {"id": "^[0-9]{2}$"}}`))
	require.NoError(t, err)
	s, _ := second.Site(transcript.MicroblogSite)
	assert.Equal(t, "https://people.example/{id}", s.Channel, "the base did not change")
	assert.Equal(t, "^[0-9]{2}$", s.ID)
	s, _ = first.Site(transcript.MicroblogSite)
	assert.Equal(t, "^[0-9]{1,20}$", s.ID)
}

func TestOverrideShapes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, id, links, canonical string
		link, found                string // found is empty when there is none
	}{
		{"unanchored grammar", `[a-z]{3}`, `"/{id}"`, "/{id}", "/abcd", ""},
		{"unanchored alternatives", `a|b`, `"/{id}"`, "/{id}", "/ab", ""},
		{"text round a placeholder", `[a-z]+`, `"/@{user}.x/{id}"`, "/@u.x/{id}", "/@somebody.x/abc", "abc"},
		{"an empty placeholder", `[a-z]+`, `"/@{user}.x/{id}"`, "/@u.x/{id}", "/@.x/abc", ""},
		{"text round the id", `[a-z]+`, `"/v-{id}.html"`, "/v-{id}.html", "/v-abc.html", "abc"},
		{"another text round the id", `[a-z]+`, `"/v-{id}.html"`, "/v-{id}.html", "/v-abc.htm", ""},
		{"the last of two marks", `[0-9]+`, `"/{slug}-id-{id}"`, "/x-id-{id}", "/a-id-1-id-2", "2"},
		{"the first end", `[0-9]+`, `"/{id}-{slug}"`, "/{id}-x", "/12-a-b", "12"},
		{"no slug", `[0-9]+`, `"/{slug}-id-{id}"`, "/x-id-{id}", "/-id-2", ""},
		{"the second pattern", `[0-9]+`, `"/a/{id}", "/{any}/x{id}"`, "/a/{id}", "/a/x12", "12"},
		{"the whole query", `[0-9]+`, `"/?p={id}"`, "/?p={id}", "?p=12", "12"},
		{"an id that needs escapes", `.+`, `"/{id}"`, "/{id}", "/a%2Fb%3Fc%C3%A9", "a/b?cé"},
		{"the same in a query", `.+`, `"/w?v={id}"`, "/w?v={id}", "/w?v=a%26b%2Bc", "a&b+c"},
		{"dots whatever the grammar", `.+`, `"/w?v={id}"`, "/w?v={id}", "/w?v=..", ""},
		{"spaces whatever the grammar", `.+`, `"/{id}"`, "/{id}", "/a%20b", ""},
		{"not", `[a-z]+`, `"!/list", "/{id}"`, "/{id}", "/list", ""},
		{"not, elsewhere", `[a-z]+`, `"!//other.example/list", "/{id}"`, "/{id}", "/list", "list"},
		{"only elsewhere", `[a-z]+`, `"/v/{id}", "//other.example/{id}"`, "/v/{id}", "/abc", ""},
	} {
		table := override(t, `{"photo_site": {"hosts": ["site.example", "other.example"], "shortHosts": ["go.example"], "id": "`+test.id+`", "links": [`+test.links+`], "canonical": "https://site.example`+test.canonical+`"}}`)
		match, err := table.Detect("https://site.example" + test.link)
		if test.found == "" {
			require.ErrorIs(t, err, transcript.InvalidVideo, "%s: %v", test.name, match)
			continue
		}
		require.NoError(t, err, test.name)
		assert.Equal(t, test.found, match.ExternalID, test.name)
		again, err := table.Detect(match.URL)
		require.NoError(t, err, match.URL)
		assert.Equal(t, match, again, test.name)
	}
}

func TestOverrideRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ file, says string }{
		{``, "JSON"},
		{`[]`, "JSON"},
		{`{} {}`, "JSON"},
		{`{"video_site": {}`, "JSON"},
		{`{"upload": {}}`, "upload is no platform"},
		{`{"videosite": {}}`, "videosite is no platform"},
		{`{"video_site": null}`, "video_site must be an object"},
		{`{"video_site": []}`, "video_site must be an object"},
		{`{"video_site": {"host": ["a.example"]}}`, "video_site.host is no member"},
		{`{"video_site": {"Hosts": ["a.example"]}}`, "video_site.Hosts is no member"},
		{`{"video_site": {"hosts": "a.example"}}`, "video_site.hosts must be a list"},
		{`{"video_site": {"hosts": null}}`, "video_site.hosts must be a list"},
		{`{"video_site": {"hosts": ["youtube.com", 7]}}`, "video_site.hosts[1] must be a text"},
		{`{"video_site": {"hosts": ["youtube.com", null]}}`, "video_site.hosts[1] must be a text"},
		{`{"video_site": {"hosts": ["youtube.com", ""]}}`, "video_site.hosts[1] must be a text"},
		{`{"video_site": {"hosts": []}}`, "video_site.hosts must name a host"},
		{`{"video_site": {"hosts": ["www.youtube.com", "A.example"]}}`, "video_site.hosts[1] must be a host"},
		{`{"video_site": {"hosts": ["https://a.example"]}}`, "video_site.hosts[0] must be a host"},
		{`{"video_site": {"hosts": ["a.example/"]}}`, "video_site.hosts[0] must be a host"},
		{`{"video_site": {"hosts": ["a.example:443"]}}`, "video_site.hosts[0] must be a host"},
		{`{"video_site": {"hosts": ["bücher.example"]}}`, "video_site.hosts[0] must be a host"},
		{`{"video_site": {"hosts": ["www.youtube.com", "www.youtube.com"]}}`, "video_site.hosts[1] \"www.youtube.com\" is a host of video_site already"},
		{`{"photo_site": {"hosts": ["www.instagram.com", "youtu.be"]}}`, "photo_site.hosts[1] \"youtu.be\" is a host of video_site already"},
		{`{"photo_site": {"shortHosts": ["youtu.be"]}}`, "photo_site.shortHosts[0] \"youtu.be\" is a host of video_site already"},
		{`{"photo_site": {"shortHosts": ["https://a"]}}`, "photo_site.shortHosts[0] must begin with a host"},
		{`{"photo_site": {"shortHosts": ["a.example", "B"]}}`, "photo_site.shortHosts[1] must begin with a host"},
		{`{"photo_site": {"shortHosts": ["a.example/{id}"]}}`, "photo_site.shortHosts[0] must hold text"},
		{`{"photo_site": {"shortHosts": ["a.example/"]}}`, "photo_site.shortHosts[0] must hold text"},
		{`{"photo_site": {"shortHosts": ["instagram.com"]}}`, "photo_site.shortHosts[0] \"instagram.com\" is among hosts"},
		{`{"video_site": {"hosts": ["a.example"]}}`, "video_site.canonical must be on one of hosts"},
		{`{"video_site": {"id": 1}}`, "video_site.id must be a text"},
		{`{"video_site": {"id": ""}}`, "video_site.id must be a text"},
		{`{"video_site": {"id": "("}}`, "video_site.id is no regular expression"},
		{`{"video_site": {"id": "a)|(b"}}`, "video_site.id is no regular expression"},
		{`{"video_site": {"id": "(?!a)b"}}`, "video_site.id is no regular expression"},
		{`{"video_site": {"links": []}}`, "video_site.links must hold a pattern"},
		{`{"video_site": {"links": ["/watch?v={id}", "/a/{id}", "b/{id}"]}}`, "video_site.links[2] must begin with /"},
		{`{"video_site": {"links": ["/watch?v={id}", "/a"]}}`, "video_site.links[1] must hold {id} once"},
		{`{"video_site": {"links": ["/{id}/{id}"]}}`, "video_site.links[0] must hold {id} once"},
		{`{"video_site": {"links": ["/{id}?v={id}"]}}`, "video_site.links[0] must hold {id} once"},
		{`{"video_site": {"links": ["!/{id}"]}}`, "video_site.links[0] must not hold {id}"},
		{`{"video_site": {"links": ["/a?v={id}&w=1"]}}`, "video_site.links[0] may have one query parameter"},
		{`{"video_site": {"links": ["/a?={id}"]}}`, "video_site.links[0] may have one query parameter"},
		{`{"video_site": {"links": ["/{id}-{id}"]}}`, "video_site.links[0] has a segment"},
		{`{"video_site": {"links": ["/{a}{id}"]}}`, "video_site.links[0] must have text between"},
		{`{"video_site": {"links": ["/{id}{b}"]}}`, "video_site.links[0] must have text between"},
		{`{"video_site": {"links": ["/{a}{b}/{id}"]}}`, "video_site.links[0] has a segment"},
		{`{"video_site": {"links": ["/{/{id}"]}}`, "video_site.links[0] has a segment"},
		{`{"video_site": {"links": ["/{}/{id}"]}}`, "video_site.links[0] has a segment"},
		{`{"video_site": {"links": ["//a.example/{id}"]}}`, "video_site.links[0] is for a host that is not in hosts"},
		{`{"video_site": {"links": ["//YOUTU.be/{id}"]}}`, "video_site.links[0] must name a host"},
		{`{"video_site": {"links": ["/v/{id}"]}}`, "video_site.canonical must have the shape"},
		{`{"video_site": {"canonical": "https://www.youtube.com/watch"}}`, "video_site.canonical must hold {id} once"},
		{`{"video_site": {"canonical": "https://www.youtube.com/{x}?v={id}"}}`, "video_site.canonical must be a web link"},
		{`{"video_site": {"canonical": "www.youtube.com/watch?v={id}"}}`, "video_site.canonical must be a web link"},
		{`{"video_site": {"canonical": "ftp://www.youtube.com/watch?v={id}"}}`, "video_site.canonical must be a web link"},
		{`{"video_site": {"canonical": "https://{id}.youtube.com/watch"}}`, "video_site.canonical must be a web link"},
		{`{"video_site": {"canonical": "https://a.example/watch?v={id}"}}`, "video_site.canonical must be on one of hosts"},
		{`{"video_site": {"canonical": "https://www.youtube.com/x?v={id}"}}`, "video_site.canonical must have the shape"},
		{`{"video_site": {"id": "[a-z]+", "links": ["/{id}/{x}", "/a/{id}"], "canonical": "https://youtu.be/a/{id}"}}`, "video_site.canonical must have the shape"},
		{`{"video_site": {"links": ["!/{a}", "/{id}"], "canonical": "https://youtu.be/{id}"}}`, "video_site.canonical must have the shape"},
		{`{"video_site": {"base": "www.youtube.com"}}`, "video_site.canonical must be a web link"},
		{`{"video_site": {"base": "https://www.youtube.com/x"}}`, "video_site.canonical must have the shape"},
		{`{"video_site": {"canonical": "https://www.youtube.com/watch?v={id}", "base": "https://www.youtube.com/"}}`, "video_site.base must be scheme and host"},
		{`{"video_site": {"canonical": "https://www.youtube.com/watch?v={id}", "base": "ftp://a"}}`, "video_site.base must be scheme and host"},
		{`{"video_site": {"canonical": "https://www.youtube.com/watch?v={id}", "base": "https://u@a"}}`, "video_site.base must be scheme and host"},
		{`{"video_site": {"canonical": "https://www.youtube.com/watch?v={id}", "base": "https://a:0"}}`, "video_site.base must name a host"},
		{`{"video_site": {"at": "https://www.youtube.com/watch?v={id}"}}`, "video_site.at must hold {t} once"},
		{`{"video_site": {"at": "/watch?v={id}&t={t}"}}`, "video_site.at must be a web link"},
		{`{"video_site": {"playlist": "https://a/"}}`, "video_site.playlist must hold {id} once"},
		{`{"video_site": {"channel": "https://a/{id}/{x}"}}`, "video_site.channel must be a web link"},
		{`{"video_site": {"playlistId": "("}}`, "video_site.playlistId is no regular expression"},
		{`{"video_site": {"channelId": ""}}`, "video_site.channelId must be a text"},
		{`{"photo_site": {"playlistId": "a"}}`, "photo_site.playlist must be there for playlistId"},
		{`{"photo_site": {"channelLinks": ["/{id}"]}}`, "photo_site.channelId must be there for channelLinks"},
		{`{"video_site": {"playlistLinks": ["/a?list={id}", "/b"]}}`, "video_site.playlistLinks[1] must hold {id} once"},
		{`{"video_site": {"playlistLinks": ["//a.example/{id}"]}}`, "video_site.playlistLinks[0] is for a host that is not in hosts"},
		{`{"video_site": {"channelLinks": ["/{name}/{id}"]}}`, "video_site.channelLinks[0] must hold {id} once"},
		{`{"video_site": {"channelLinks": ["/{tab}/{name}"]}}`, "video_site.channelLinks[0] may have only text before a {name}"},
		{`{"video_site": {"channelLinks": ["/a?n={name}"]}}`, "video_site.channelLinks[0] may have only text before a {name}"},
		{`{"video_site": {"channelLinks": ["/{name}.html"]}}`, "video_site.channelLinks[0] may have only text before a {name}"},
		{`{"video_site": {"channelLinks": ["//youtu.be/{name}"]}}`, "video_site.channelLinks[0] may have only text before a {name}"},
		{`{"video_site": {"elsewhere": []}}`, "video_site.elsewhere must be an object of objects"},
		{`{"video_site": {"elsewhere": {"a-shortTalk": "http://a.example/"}}}`, "video_site.elsewhere must be an object of objects"},
		{`{"video_site": {"elsewhere": {"a-shortTalk": {"link": "http://a.example/"}}}}`, "video_site.elsewhere.a-shortTalk.link is no member"},
		{`{"video_site": {"elsewhere": {"a-shortTalk": {"canonical": 7}}}}`, "video_site.elsewhere.a-shortTalk.canonical must be a text"},
		{`{"video_site": {"elsewhere": {"a-shortTalk": {}}}}`, "video_site.elsewhere.a-shortTalk.canonical must be a web link"},
		{`{"video_site": {"elsewhere": {"a-talk": {"canonical": "http://a.example/watch?v=a-talk"}}}}`, "video_site.elsewhere.a-talk is no id"},
		{`{"video_site": {"elsewhere": {"a-shortTalk": {"canonical": "http://a.example/talk"}}}}`, "video_site.elsewhere.a-shortTalk.canonical must have the shape"},
		{`{"video_site": {"elsewhere": {"a-shortTalk": {"canonical": "http://a.example/watch?v=another-one"}}}}`, "video_site.elsewhere.a-shortTalk.canonical must have the shape"},
		{`{"video_site": {"elsewhere": {"a-shortTalk": {"canonical": "http://youtu.be/watch?v=a-shortTalk"}}}}`, "video_site.elsewhere.a-shortTalk.canonical is on one of hosts"},
		{`{"video_site": {"elsewhere": {"a-shortTalk": {"canonical": "http://t.co/watch?v=a-shortTalk"}}}}`, `"t.co" is a host of`},
		{`{"video_site": {"elsewhere": {"a-shortTalk": {"canonical": "http://a.example/watch?v=a-shortTalk", "at": "http://a.example/#12"}}}}`, "video_site.elsewhere.a-shortTalk.at must hold {t} once"},
	} {
		table, err := site.Default().Override(strings.NewReader(test.file))
		assert.ErrorContains(t, err, test.says, test.file)
		assert.Nil(t, table)
	}
	broken := errors.New("broken disk")
	_, err := site.Default().Override(iotest.ErrReader(broken))
	assert.ErrorIs(t, err, broken)
}

func TestNew(t *testing.T) {
	t.Parallel()
	table, err := site.New(map[transcript.Platform]site.Site{
		transcript.VideoSite: {Hosts: []string{"127.0.0.1:1"}, Base: "http://127.0.0.1:1"},
	})
	require.NoError(t, err)
	match, err := table.Detect("127.0.0.1:1/shorts/dQw4w9WgXcQ")
	require.NoError(t, err)
	assert.Equal(t, "http://127.0.0.1:1/watch?v=dQw4w9WgXcQ", match.URL)
	_, err = table.Detect("https://youtu.be/dQw4w9WgXcQ")
	assert.ErrorIs(t, err, transcript.UnsupportedPlatform)
	_, err = site.New(map[transcript.Platform]site.Site{transcript.Upload: {}})
	assert.ErrorContains(t, err, "upload is no platform")
	_, err = site.New(map[transcript.Platform]site.Site{transcript.PhotoSite: {ShortHosts: []string{"x y"}}})
	assert.ErrorContains(t, err, "photo_site.shortHosts[0]")
	table, err = site.New(nil)
	require.NoError(t, err)
	assert.Equal(t, site.Default().Hosts(), table.Hosts())
}

func FuzzOverride(f *testing.F) {
	f.Add(local, "http://127.0.0.1:9099/watch?v=dQw4w9WgXcQ")
	f.Add(`{"photo_site": {"id": ".+", "links": ["/p/{id}", "/{a}-x-{id}-y-{b}"]}}`, "https://instagram.com/a-x-1-y-b")
	f.Fuzz(func(t *testing.T, file, link string) {
		table, err := site.Default().Override(strings.NewReader(file))
		if err != nil {
			return
		}
		match, err := table.Detect(link)
		if err == nil {
			require.NotEmpty(t, match.URL)
		}
	})
}
