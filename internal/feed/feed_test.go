package feed_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/unicode"

	"github.com/transcriptkit/transcriptkit/internal/feed"
)

var base = &url.URL{Scheme: "https", Host: "feeds.example", Path: "/show/feed.xml"}

func parse(t *testing.T, text string) *feed.Feed {
	t.Helper()
	f, err := feed.Parse(strings.NewReader(text), base, "application/xml")
	require.NoError(t, err)
	return f
}

const podcast = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:podcast="https://podcastindex.org/namespace/1.0"
  xmlns:atom="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/">
 <channel>
  <title>Talks &amp; more</title><atom:link rel="self" href="https://feeds.example/self"/><link>/show</link>
  <image><title>no title</title><link>https://no.example/</link></image>
  <ttl>90</ttl><skipHours><hour>0</hour><hour>23</hour><hour>99</hour></skipHours><skipDays><day>Sunday</day><day>Someday</day></skipDays>
  <item>
   <guid isPermaLink="false">ep-2</guid><title><![CDATA[Second &amp; last]]></title><link>episodes/2?a=1&b=2</link>
   <pubDate>Tue, 02 Jun 2026 10:00:00 EDT</pubDate><itunes:duration>1:02:03</itunes:duration>
   <enclosure url="/art.png" type="image/png" length="5"/>
   <enclosure url="/2.mp3" type="audio/mpeg" length="1234"/><enclosure url="/2b.mp3" type="audio/mpeg" length="1"/>
   <podcast:transcript url="/2.vtt" type="text/vtt" language="de"/><podcast:transcript url="ftp://x.example/2.srt" type="application/srt"/>
   <podcast:chapters url="/2.json" type="application/json+chapters"/>
   <source url="https://other.example/"><title>no title either</title></source>
  </item>
  <item><guid>https://feeds.example/ep/1</guid><pubDate>sometime</pubDate><itunes:duration>59</itunes:duration></item>
 </channel>
</rss>`

func TestPodcast(t *testing.T) {
	t.Parallel()
	f := parse(t, podcast)
	assert.Equal(t, &feed.Feed{
		Title: "Talks & more", Link: "https://feeds.example/show", TTL: 90 * time.Minute, SkipHours: []int{0, 23}, SkipDays: []time.Weekday{time.Sunday},
		Items: []feed.Item{
			{
				GUID: "ep-2", Link: "https://feeds.example/show/episodes/2?a=1&b=2", Title: "Second & last",
				Published: time.Date(2026, 6, 2, 14, 0, 0, 0, time.UTC), Duration: time.Hour + 2*time.Minute + 3*time.Second,
				Enclosure:   feed.Enclosure{URL: "https://feeds.example/2.mp3", Type: "audio/mpeg", Length: 1234},
				Transcripts: []feed.Transcript{{URL: "https://feeds.example/2.vtt", Type: "text/vtt", Language: "de"}},
				Chapters:    "https://feeds.example/2.json",
			},
			{GUID: "https://feeds.example/ep/1", Link: "https://feeds.example/ep/1", Duration: 59 * time.Second},
		},
	}, f)
}

func TestAtom(t *testing.T) {
	t.Parallel()
	f := parse(t, `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/" xml:base="https://a.example/x/">
	 <title type="html">A &amp;amp; B</title><link rel="self" href="self.xml"/>
	 <entry xml:base="sub/"><id>tag:1</id><title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Big <b>news</b></div></title>
	  <source><id>tag:other</id><title>Other</title><link href="https://other.example/"/></source>
	  <link rel="edit" href="edit"/><link href="one"/><link rel="alternate" href="second"/>
	  <link rel="enclosure" href="one.ogg" type="audio/ogg" length="7"/>
	  <published>2026-06-01T10:00:00+02:00</published><updated>2026-06-05T10:00:00Z</updated>
	  <media:group><media:title>not this</media:title><media:content url="https://a.example/v" type="application/x-shockwave-flash"/></media:group>
	 </entry>
	 <entry><link rel="alternate" href="two"/><updated>2026-06-05</updated></entry>
	</feed>`)
	assert.Equal(t, "A & B", f.Title)
	assert.Equal(t, []feed.Item{
		{
			GUID: "tag:1", Link: "https://a.example/x/sub/one", Title: "Big news", Published: time.Date(2026, 6, 1, 8, 0, 0, 0, time.UTC),
			Enclosure: feed.Enclosure{URL: "https://a.example/x/sub/one.ogg", Type: "audio/ogg", Length: 7},
		},
		{GUID: "https://a.example/x/two", Link: "https://a.example/x/two", Published: time.Date(2026, 6, 5, 0, 0, 0, 0, time.UTC)},
	}, f.Items)
}

func TestRSS1(t *testing.T) {
	t.Parallel()
	f := parse(t, `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"
	 xmlns:sy="http://purl.org/rss/1.0/modules/syndication/">
	 <channel rdf:about="https://r.example/"><title>R</title><link>https://r.example/</link><sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency></channel>
	 <item rdf:about="https://r.example/1"><title>One</title><link>https://r.example/one</link><dc:date>2026-01-02T03:04Z</dc:date></item></rdf:RDF>`)
	assert.Equal(t, &feed.Feed{Title: "R", Link: "https://r.example/", TTL: 6 * time.Hour, Items: []feed.Item{
		{GUID: "https://r.example/1", Link: "https://r.example/one", Title: "One", Published: time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC)},
	}}, f)
}

func TestJSONFeed(t *testing.T) {
	t.Parallel()
	f := parse(t, " \n"+`{"version":"https://jsonfeed.org/version/1.1","title":"J","home_page_url":"/","items":[
	 {"id":"a","url":"one","title":"One","date_published":"2026-06-01T10:00:00Z","attachments":[{"url":"x.png","mime_type":"image/png"},
	  {"url":"one.mp3","mime_type":"audio/mpeg","size_in_bytes":9,"duration_in_seconds":1.5}]},
	 {"id":7},{"title":"nothing"}]}`)
	assert.Equal(t, &feed.Feed{Title: "J", Link: "https://feeds.example/", Items: []feed.Item{
		{
			GUID: "a", Link: "https://feeds.example/show/one", Title: "One", Published: time.Date(2026, 6, 1, 10, 0, 0, 0, time.UTC), Duration: 1500 * time.Millisecond,
			Enclosure: feed.Enclosure{URL: "https://feeds.example/show/one.mp3", Type: "audio/mpeg", Length: 9},
		},
		{GUID: "7"},
	}}, f)
}

// rss is a feed of these items.
func rss(items string) string { return `<rss><channel><title>x</title>` + items + `</channel></rss>` }

func TestIdentity(t *testing.T) {
	t.Parallel()
	f := parse(t, rss(`
	 <item><guid>same</guid><link>https://a.example/1</link></item>
	 <item><guid>same</guid><link>https://a.example/2</link><pubDate>Mon, 1 Jun 2026 10:00:00 +0000</pubDate></item>
	 <item><link>https://a.example/3</link><enclosure url="https://a.example/3.mp3" type="audio/mpeg"/></item>
	 <item><guid> </guid><enclosure url="https://a.example/4.mp3" type="audio/mpeg"/></item>
	 <item><title>without anything</title></item>
	 <item><guid>plain</guid></item>
	 <item><link>javascript:alert(1)</link></item>
	 <item><link>https://user:secret@a.example/</link></item>`))
	var ids, links []string
	for _, i := range f.Items {
		ids, links = append(ids, i.GUID), append(links, i.Link)
	}
	assert.Equal(t, []string{"same", "https://a.example/3", "https://a.example/4.mp3", "plain"}, ids)
	assert.Equal(t, []string{"https://a.example/1", "https://a.example/3", "", ""}, links)
}

func TestBrokenButReadable(t *testing.T) {
	t.Parallel()
	for name, item := range map[string]string{
		"an ampersand":             `<title>Caf` + "é" + ` & Co</title>`,
		"a name of HTML":           `<title>Caf&eacute; & Co</title>`,
		"a byte of Windows-1252":   "<title>Caf\xe9 & Co</title>",
		"a control character":      "<title>Caf\x0bé &#38; Co</title>",
		"a prefix without address": `<title>Café &amp; Co</title><itunes:duration>9</itunes:duration>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := parse(t, rss("<item><guid>1</guid>"+item+"</item>"))
			require.Len(t, f.Items, 1)
			assert.Equal(t, "Café & Co", f.Items[0].Title)
		})
	}
}

func TestCharsets(t *testing.T) {
	t.Parallel()
	doc := func(declaration, title string) string {
		return declaration + rss("<item><guid>1</guid><title>"+title+"</title></item>")
	}
	utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(doc(`<?xml version="1.0" encoding="utf-16"?>`, "Grüße"))
	require.NoError(t, err)
	for name, c := range map[string]struct{ text, contentType string }{
		"declaration":                       {doc(`<?xml version="1.0" encoding='ISO-8859-1'?>`, "Gr\xfc\xdfe"), ""},
		"declaration before header":         {doc(`<?xml version="1.0" encoding="iso-8859-1"?>`, "Gr\xfc\xdfe"), "text/xml; charset=utf-8"},
		"header":                            {doc("", "Gr\xfc\xdfe"), "text/xml; charset=iso-8859-1"},
		"byte order mark before all":        {"\xef\xbb\xbf" + doc(`<?xml version="1.0" encoding="iso-8859-1"?>`, "Grüße"), "text/xml; charset=koi8-r"},
		"UTF-16":                            {utf16, "text/xml"},
		"declared UTF-16, is UTF-8":         {doc(`<?xml version="1.0" encoding="utf-16"?>`, "Grüße"), ""},
		"declared UTF-8, is Latin-1":        {doc(`<?xml version="1.0" encoding="utf-8"?>`, "Gr\xfc\xdfe"), ""},
		"a charset that does not exist":     {doc(`<?xml version="1.0" encoding="klingon"?>`, "Grüße"), ""},
		"a charset that only replaces text": {doc(`<?xml version="1.0" encoding="hz-gb-2312"?>`, "Grüße"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := feed.Parse(iotest.OneByteReader(strings.NewReader(c.text)), base, c.contentType)
			require.NoError(t, err)
			require.Len(t, f.Items, 1)
			assert.Equal(t, "Grüße", f.Items[0].Title)
		})
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("<a>", 100)
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"empty":           {"", feed.ErrNotFeed},
		"blank":           {" \n\t", feed.ErrNotFeed},
		"a page":          {"<html><body></body></html>", feed.ErrNotFeed},
		"a page of HTML5": {"<!DOCTYPE html><html></html>", feed.ErrDocType},
		"words":           {"Not found", feed.ErrNotFeed},
		"cut off":         {podcast[:len(podcast)-20], feed.ErrNotFeed},
		"cut off JSON":    {`{"version":"https://jsonfeed.org/version/1","items":[`, feed.ErrNotFeed},
		"other JSON":      {`{"error":"no"}`, feed.ErrNotFeed},
		"wrong JSON":      {`{"version":1}`, feed.ErrNotFeed},
		"an entity bomb": {`<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><rss><channel><title>&b;</title></channel></rss>`,
			feed.ErrDocType},
		"an outer document type": {`<!DOCTYPE rss PUBLIC "-//x//DTD//EN" "http://169.254.169.254/latest"><rss/>`, feed.ErrDocType},
		"a document type inside": {`<rss><!DOCTYPE x><channel/></rss>`, feed.ErrDocType},
		"too deep":               {rss(deep), feed.ErrTooLarge},
		"subscriptions":          {`<opml><body/></opml>`, feed.ErrNotFeed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := feed.Parse(strings.NewReader(c.text), base, "")
			assert.ErrorIs(t, err, c.want)
			assert.Nil(t, f)
			assert.Less(t, len(fmt.Sprint(err)), 300)
		})
	}
}

func TestErrorOfTheReader(t *testing.T) {
	t.Parallel()
	gone := errors.New("the connection is gone")
	_, err := feed.Parse(io.MultiReader(strings.NewReader(podcast[:1200]), iotest.ErrReader(gone)), base, "")
	assert.ErrorIs(t, err, gone)
	assert.NotErrorIs(t, err, feed.ErrNotFeed)
}

func TestManyItems(t *testing.T) {
	t.Parallel()
	items := func(n int) string {
		var b bytes.Buffer
		for i := range n {
			fmt.Fprintf(&b, "<item><guid>%d</guid></item>", i)
		}
		return rss(b.String())
	}
	f := parse(t, items(feed.MaxItems))
	require.Len(t, f.Items, feed.MaxItems)
	assert.False(t, f.More)
	assert.Equal(t, "9999", f.Items[9999].GUID)
	f = parse(t, items(feed.MaxItems+1))
	assert.Len(t, f.Items, feed.MaxItems)
	assert.True(t, f.More)
}

func TestLongTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 1<<20)
	f := parse(t, rss("<item><guid>1</guid><title>"+long+"</title><link>https://a.example/"+long+"</link><description>"+long+"</description></item>"))
	require.Len(t, f.Items, 1)
	assert.LessOrEqual(t, len(f.Items[0].Title), 4<<10)
	assert.NotContains(t, f.Items[0].Title, "\uFFFD")

	endless := io.MultiReader(strings.NewReader("<rss><channel><title>"), zeros{})
	_, err := feed.Parse(endless, base, "")
	assert.ErrorIs(t, err, feed.ErrTooLarge)
}

// zeros is an endless text.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

func TestDates(t *testing.T) {
	t.Parallel()
	want := time.Date(2026, 6, 2, 14, 0, 0, 0, time.UTC)
	for _, text := range []string{
		"Tue, 02 Jun 2026 14:00:00 GMT", "Tue, 2 Jun 2026 16:00:00 +0200", "2 Jun 2026 14:00:00", "Tue,  02 Jun 26 14:00:00 UT",
		"2026-06-02T14:00:00Z", "2026-06-02T14:00:00.000Z", "2026-06-02T16:00:00+0200", "2026-06-02 14:00:00", "Tuesday, 02 Jun 2026 10:00:00 EDT",
		"Tue Jun 2 14:00:00 2026", "Di., 02 Jun 2026 14:00:00 GMT",
	} {
		f := parse(t, rss("<item><guid>1</guid><pubDate>"+text+"</pubDate></item>"))
		assert.Equal(t, want, f.Items[0].Published, text)
	}
	for _, text := range []string{"", "yesterday", "Tue, 32 Jun 2026 14:00:00 GMT", "0000-00-00T00:00:00Z", "9999-01-01", strings.Repeat("2", 100)} {
		f := parse(t, rss("<item><guid>1</guid><pubDate>"+text+"</pubDate></item>"))
		assert.Zero(t, f.Items[0].Published, text)
	}
}

func TestDurations(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"61": 61 * time.Second, "1:01": 61 * time.Second, "1:00:01": 3601 * time.Second, " 61.5 ": 61500 * time.Millisecond,
		"": 0, "an hour": 0, "-1": 0, "1e99": 0, "NaN": 0, "1:2:3:4": 0, "99999:00:00": 0,
	} {
		f := parse(t, `<rss xmlns:itunes="HTTP://www.itunes.com/DTDs/Podcast-1.0.dtd">`+strings.TrimPrefix(rss("<item><guid>1</guid><itunes:duration>"+text+"</itunes:duration></item>"), "<rss>"))
		assert.Equal(t, want, f.Items[0].Duration, text)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{podcast, rss("<item><guid>1</guid></item>"), `<feed><entry><id>1</id><link href="a"/></entry></feed>`, `{"version":"https://jsonfeed.org/version/1","items":[{"id":1}]}`, "<!DOCTYPE x>"} {
		f.Add([]byte(seed), "text/xml; charset=utf-8")
	}
	f.Fuzz(func(t *testing.T, doc []byte, contentType string) {
		got, err := feed.Parse(bytes.NewReader(doc), base, contentType)
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, i := range got.Items {
			if i.GUID == "" || seen[i.GUID] {
				t.Fatalf("the GUID %q is empty or repeated", i.GUID)
			}
			seen[i.GUID] = true
			for _, at := range []string{i.Link, i.Enclosure.URL, i.Chapters} {
				if at != "" && !strings.HasPrefix(at, "http://") && !strings.HasPrefix(at, "https://") {
					t.Fatalf("the link %q", at)
				}
			}
			if i.Duration < 0 || i.Enclosure.Length < 0 || len(i.Title) > 4<<10 {
				t.Fatalf("%+v", i)
			}
		}
	})
}
