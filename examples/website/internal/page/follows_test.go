package page_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// newFollowing is a site whose service may read the feeds of a publisher. Each path of the
// publisher is a feed of two talks.
func newFollowing(t *testing.T) (s *site, publisher string) {
	t.Helper()
	feeds := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<feed xmlns="http://www.w3.org/2005/Atom"><title>Talks of %s</title>`, strings.TrimPrefix(r.URL.Path, "/"))
		for _, id := range []string{"dQw4w9WgXcQ", "9bZkp7q19f0"} {
			fmt.Fprintf(w, `<entry><id>tag:%[1]s</id><title>About &lt;b&gt;%[1]s</title><link href="https://youtu.be/%[1]s"/></entry>`, id)
		}
		fmt.Fprint(w, `</feed>`)
	}))
	t.Cleanup(feeds.Close)
	allow := servertest.Configure(func(c *server.Config) { c.Egress.Allow = []string{strings.TrimPrefix(feeds.URL, "http://")} })
	s = newSite(t, visitor.User, allow)
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "hello world"})
	return s, feeds.URL
}

// A feed that is followed shows what became of its items, with links to the texts. It can be
// paused, continued and removed.
func TestFollowAFeed(t *testing.T) {
	t.Parallel()
	s, publisher := newFollowing(t)
	assert.Contains(t, s.get(t, "/follows").body, "You follow nothing yet.")
	made := s.post(t, "/follows", "link", publisher+"/ann", "most", "1", "language", "en")
	require.Equal(t, http.StatusSeeOther, made.status, made.body)
	path := made.header.Get("Location")
	var shown answered
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		shown = s.get(t, path)
		assert.Contains(c, shown.body, "Accepted")
		assert.Contains(c, shown.body, "Skipped")
		// The title of the follow is stored after its items.
		assert.Contains(c, shown.body, "<h1><bdi>Talks of ann</bdi></h1>")
	}, time.Minute, 50*time.Millisecond)
	assert.Contains(t, shown.body, "About &lt;b&gt;dQw4w9WgXcQ", "a title is text")
	assert.Contains(t, shown.body, "It was there before the follow.")
	assert.Contains(t, shown.body, `href="/transcripts/video_site/dQw4w9WgXcQ?language="`)
	require.Eventually(t, func() bool {
		return strings.Contains(s.get(t, "/transcripts/video_site/dQw4w9WgXcQ?language=").body, "hello world")
	}, time.Minute, 50*time.Millisecond)

	for _, change := range []struct{ verb, state string }{{"pause", "Paused"}, {"resume", "Followed"}} {
		sent := s.post(t, path+"/"+change.verb)
		require.Equal(t, http.StatusSeeOther, sent.status)
		assert.Equal(t, path, sent.header.Get("Location"))
		for _, page := range []string{path, "/follows"} {
			assert.Contains(t, s.get(t, page).body, ">"+change.state+"</p>", page)
		}
	}
	again := s.post(t, "/follows", "link", publisher+"/ann", "language", "en")
	assert.Equal(t, path, again.header.Get("Location"), "the same again is the same follow")

	removed := s.post(t, path+"/delete")
	require.Equal(t, http.StatusSeeOther, removed.status)
	list := s.get(t, removed.header.Get("Location")).body
	assert.Contains(t, list, "The follow is removed.")
	assert.Contains(t, list, "You follow nothing yet.")
	assert.Equal(t, http.StatusNotFound, s.get(t, path).status)
}

// A file of subscriptions is followed row by row, and each bad row says why.
func TestFollowAFile(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	const ann, bob, cyd = "UCaaaaaaaaaaaaaaaaaaaaaa", "UCbbbbbbbbbbbbbbbbbbbbbb", "UCcccccccccccccccccccccc"
	sent := s.postFile(t, "/follows", "list.opml", `<?xml version="1.0"?><opml version="2.0"><body>
		<outline text="Ann" type="rss" xmlUrl="https://www.youtube.com/feeds/videos.xml?channel_id=`+ann+`"/>
		<outline text="More"><outline text="Bob" xmlUrl="https://www.youtube.com/channel/`+bob+`"/></outline>
		<outline text="Odd" xmlUrl="ftp://talks.example/&lt;b&gt;"/></body></opml>`)
	require.Equal(t, http.StatusOK, sent.status, sent.body)
	assert.Contains(t, sent.body, "You now follow 2 more.")
	assert.Contains(t, sent.body, "1 row of the file cannot be followed:")
	assert.Contains(t, sent.body, "ftp://talks.example/&lt;b&gt;")
	assert.Equal(t, 2, strings.Count(sent.body, `href="/follows/`), "both are in the list")

	again := s.postFile(t, "/follows", "subscriptions.csv", "Channel Id,Channel Url,Channel Title\n"+
		ann+",http://www.youtube.com/channel/"+ann+",Ann\n"+cyd+",http://www.youtube.com/channel/"+cyd+",Cyd\n")
	require.Equal(t, http.StatusOK, again.status, again.body)
	assert.Contains(t, again.body, "You now follow 1 more. You already followed 1.")
}

func TestFollowFormSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	s, publisher := newFollowing(t)
	for field, fields := range map[string][]string{
		"link":     {"link", " "},
		"most":     {"link", publisher + "/ann", "most", "51"},
		"language": {"link", publisher + "/ann", "language", "de_DE"},
	} {
		got := s.post(t, "/follows", fields...)
		assert.Equal(t, http.StatusUnprocessableEntity, got.status, field)
		assert.Contains(t, got.body, `id="`+field+`-trouble"`)
	}
	odd := s.post(t, "/follows", "link", "javascript:alert(1)")
	assert.GreaterOrEqual(t, odd.status, http.StatusBadRequest)
	assert.Contains(t, odd.body, `id="link-trouble"`)
	assert.Contains(t, odd.body, `value="javascript:alert(1)"`, "what was typed stays")
	for name, content := range map[string]string{"empty.opml": " \n", "list.opml": "<opml", "talk.csv": "no address\n"} {
		got := s.postFile(t, "/follows", name, content)
		assert.GreaterOrEqual(t, got.status, http.StatusBadRequest, name)
		assert.Contains(t, got.body, `id="file-trouble"`, name)
	}
	assert.Contains(t, s.postFile(t, "/follows", "list.opml", "<opml/>", "link", publisher).body, "not both")
	assert.Contains(t, s.get(t, "/follows").body, "You follow nothing yet.")
}

// A follow that fails says so in plain words, with the reason.
func TestFailingFollowSaysWhy(t *testing.T) {
	t.Parallel()
	s, publisher := newFollowing(t)
	path := s.post(t, "/follows", "link", publisher+"/ann").header.Get("Location")
	require.Eventually(t, func() bool { return strings.Contains(s.get(t, path).body, "Skipped") }, time.Minute, 50*time.Millisecond)
	_, err := storetest.SQL(t, store.Options{Database: s.database}).ExecContext(t.Context(), `UPDATE follow_sources SET told = true, failures = 9, failing_since = created_at,
		last_error = '{"code":"UNAVAILABLE","message":"There is no <feed> any more.","cure":"Follow another.","at":"2026-01-02T03:04:05.000Z","attempt":9}'`)
	require.NoError(t, err)
	for _, page := range []string{path, "/follows"} {
		shown := s.get(t, page).body
		assert.Contains(t, shown, ">Failing</p>")
		assert.Contains(t, shown, "Nothing can be read at this link. It may be removed, private or blocked, or it leads to no single recording. Check whether the link plays")
	}
	assert.Contains(t, s.get(t, path).body, "It keeps trying.")
}
