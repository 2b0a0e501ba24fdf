package servertest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestFollows(t *testing.T) {
	t.Parallel()
	p := publisher(t)
	s := servertest.New(t, servertest.Configure(func(c *server.Config) { c.Egress.Allow, c.DirectMedia = []string{p.Listener.Addr().String()}, true }))
	c, err := client.New(s.URL, client.WithAPIKey(s.Key))
	require.NoError(t, err)
	ctx := t.Context()

	one := client.FollowParams{Feed: p.URL + "/one", FollowOptions: client.FollowOptions{Language: []string{"en"}, MaxItems: 1}}
	first, created, err := c.Follows.Create(ctx, one)
	require.NoError(t, err)
	assert.True(t, created)
	assert.Equal(t, one.Feed, first.URL)
	again, created, err := c.Follows.Create(ctx, one)
	require.NoError(t, err)
	assert.False(t, created, "the account follows it already")
	assert.Equal(t, first.ID, again.ID)
	_, _, err = c.Follows.Create(ctx, client.FollowParams{Feed: one.Feed, Channel: "@talks"})
	require.ErrorContains(t, err, "2 are given")

	opml := `<opml version="2.0"><body><outline type="rss" xmlUrl="` + p.URL + `/two"/><outline type="rss" xmlUrl="ftp://nowhere.example/"/></body></opml>`
	rows, err := c.Follows.CreateAll(ctx, strings.NewReader(opml), client.OPML, client.FollowOptions{})
	require.NoError(t, err)
	require.Len(t, rows, 2)
	require.NotNil(t, rows[0].Follow)
	assert.True(t, rows[0].Created)
	assert.Equal(t, transcript.InvalidRequest, *rows[1].Error, "a row that cannot be followed changes no other row")
	csv := "Channel Id,Channel Url,Channel Title\nUCtalks0000000000000000a,https://www.youtube.com/channel/UCtalks0000000000000000a,Talks\n"
	rows, err = c.Follows.CreateAll(ctx, strings.NewReader(csv), client.SubscriptionsCSV, client.FollowOptions{})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	_, err = c.Follows.CreateAll(ctx, strings.NewReader(strings.Repeat(" ", 9<<20)), client.OPML, client.FollowOptions{})
	require.ErrorContains(t, err, "send it in parts")

	var urls []string
	for f, err := range c.Follows.All(ctx, client.PageParams{Size: 1}) {
		require.NoError(t, err)
		urls = append(urls, f.URL)
	}
	assert.Contains(t, urls, one.Feed)
	assert.Greater(t, len(urls), 1, "from several pages")

	require.Eventually(t, func() bool {
		f, err := c.Follows.Get(ctx, first.ID)
		return assert.NoError(t, err) && f.LastLookedAt != nil
	}, time.Minute, 50*time.Millisecond)
	items := func() (all []string) {
		for i, err := range c.Follows.AllItems(ctx, first.ID) {
			require.NoError(t, err)
			all = append(all, fmt.Sprint(*i.ExternalID, " ", i.Status))
		}
		return all
	}
	require.Eventually(t, func() bool {
		return len(items()) == 2 && strings.HasSuffix(items()[0], string(follow.ItemSubmitted))
	}, time.Minute, 50*time.Millisecond)
	assert.Equal(t, []string{"talk-000002 submitted", "talk-000001 skipped"}, items())

	paused, err := c.Follows.Pause(ctx, first.ID)
	require.NoError(t, err)
	assert.Equal(t, follow.Paused, paused.Status)
	resumed, err := c.Follows.Resume(ctx, first.ID)
	require.NoError(t, err)
	assert.Equal(t, follow.Active, resumed.Status)

	require.NoError(t, c.Follows.Delete(ctx, first.ID))
	_, err = c.Follows.Get(ctx, first.ID)
	require.ErrorIs(t, err, transcript.NotFound)
}

// publisher serves feeds with two items under any path.
func publisher(t *testing.T) *httptest.Server {
	t.Helper()
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `<feed xmlns="http://www.w3.org/2005/Atom"><title>Talks of %s</title>
			<entry><id>2</id><link href="https://www.youtube.com/watch?v=talk-000002"/></entry>
			<entry><id>1</id><link href="https://www.youtube.com/watch?v=talk-000001"/></entry></feed>`, r.URL.Path)
	}))
	t.Cleanup(p.Close)
	return p
}
