package feed_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/feed"
)

func TestOPML(t *testing.T) {
	t.Parallel()
	got, err := feed.ReadOPML(strings.NewReader(`<?xml version="1.0"?><opml version="2.0"><head><title>Mine</title></head><body>
	 <outline text="Folder"><outline text="One" title="First" type="rss" xmlUrl="https://a.example/1"/><outline text="Page" type="link" url="https://a.example/p"/></outline>
	 <outline text="Two" xmlurl=" https://a.example/2 "/></body></opml>`))
	require.NoError(t, err)
	assert.Equal(t, []feed.Subscription{{Row: 1, Title: "First", URL: "https://a.example/1"}, {Row: 2, Title: "Two", URL: "https://a.example/2"}}, got)
}

func TestOPMLRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		"": feed.ErrNotFeed, "<rss/>": feed.ErrNotFeed, "<opml>": feed.ErrNotFeed, "<!DOCTYPE opml><opml/>": feed.ErrDocType,
		"<opml>" + strings.Repeat("<outline>", 100):                                     feed.ErrTooLarge,
		"<opml>" + strings.Repeat(`<outline xmlUrl="a"/>`, feed.MaxItems+1) + "</opml>": feed.ErrTooLarge,
	} {
		_, err := feed.ReadOPML(strings.NewReader(text))
		assert.ErrorIs(t, err, want, text[:min(len(text), 40)])
	}
}

func TestCSV(t *testing.T) {
	t.Parallel()
	got, err := feed.ReadCSV(strings.NewReader("\xef\xbb\xbfKanal-ID,Kanal-URL,Kanaltitel\r\nabc,http://v.example/channel/abc,\"Talks, \"\"live\"\"\"\r\n\r\nlost,,Gone\r\nHTTPS://v.example/channel/d\r\n"))
	require.NoError(t, err)
	assert.Equal(t, []feed.Subscription{
		{Row: 2, Title: `Talks, "live"`, URL: "http://v.example/channel/abc"},
		{Row: 4, Title: "lost  Gone"},
		{Row: 5, URL: "HTTPS://v.example/channel/d"},
	}, got)
	_, err = feed.ReadCSV(strings.NewReader(strings.Repeat("https://a.example/\n", feed.MaxItems+1)))
	assert.ErrorIs(t, err, feed.ErrTooLarge)
}

func FuzzSubscriptions(f *testing.F) {
	f.Add([]byte(`<opml><outline xmlUrl="a"/></opml>`))
	f.Add([]byte("id,url,title\na,https://a.example/,x\n"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		opml, err := feed.ReadOPML(bytes.NewReader(doc))
		for _, s := range opml {
			if err != nil || s.Row < 1 {
				t.Fatalf("%+v with %v", s, err)
			}
		}
		lines, err := feed.ReadCSV(bytes.NewReader(doc))
		for _, s := range lines {
			if err != nil || s.Row < 1 || s.URL == "" && s.Title == "" {
				t.Fatalf("%+v with %v", s, err)
			}
		}
	})
}
