package enginetest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest/sitecatalog"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

const (
	mostPages = 200 // of a list of the catalog, in the smallest windows
	mostToken = 512 // bytes of a Next
)

// pages reads a list to its end and returns all items.
func pages[I any](t T, most int, ask func(at engine.Window) (engine.Listing[I], error)) (items []I, last engine.Listing[I]) {
	t.Helper()
	at := engine.Window{Max: most}
	for range mostPages {
		page, err := ask(at)
		require.NoError(t, err, "after %q", at.After)
		require.LessOrEqual(t, len(page.Items), most, "more than was wanted")
		require.LessOrEqual(t, len(page.Next), mostToken, "bytes of Next")
		items = append(items, page.Items...)
		if page.Next == "" {
			return items, page
		}
		require.NotEqual(t, at.After, page.Next, "the next page is the same one again")
		at.After = page.Next
	}
	t.Errorf("a list without an end: %d entries on %d pages", len(items), mostPages)
	t.FailNow()
	return nil, last
}

// windows returns the page sizes with which lists are read.
func (s *DiscoverySite) windows() []int {
	if s.backend.Slow {
		return []int{50}
	}
	return []int{50, 30, 7}
}

// cannot reports whether an error says that the question cannot be asked because of one of the
// parameters.
func cannot(t T, err error, parameters ...string) bool {
	t.Helper()
	if !errors.Is(err, transcript.NotImplemented) {
		return false
	}
	var e *transcript.Error
	require.ErrorAs(t, err, &e)
	assert.Contains(t, parameters, e.Details["parameter"], "detail \"parameter\" of %v", err)
	return true
}

// searchesAll runs a search to its end. ok is false if the question cannot be asked.
func (s *DiscoverySite) searchesAll(t T, q video.Search, most int, parameters ...string) (found []video.Result, ok bool) {
	t.Helper()
	source := s.source()
	if _, err := source.Search(t.Context(), q, engine.Window{Max: most}); err != nil && cannot(t, err, parameters...) {
		return nil, false
	}
	found, _ = pages(t, most, func(at engine.Window) (engine.Listing[video.Result], error) { return source.Search(t.Context(), q, at) })
	for _, r := range found {
		assert.Equal(t, q.Type, r.Type)
		members := map[video.Type]bool{video.TypeVideo: r.Video != nil, video.TypeChannel: r.Channel != nil, video.TypePlaylist: r.Playlist != nil}
		for of, there := range members {
			require.Equal(t, of == q.Type, there, "the member %s of a result of type %s", of, q.Type)
		}
	}
	return found, true
}

func findsVideos(t T, site *DiscoverySite) {
	searches := []struct {
		q          video.Search
		parameters []string // that a Discovery may refuse
	}{
		{video.Search{Q: "talk", Order: video.ByRelevance}, nil},
		{video.Search{Q: "fish", Order: video.ByRelevance}, nil},
		{video.Search{Q: "talk", Order: video.ByDate}, []string{"order"}},
		{video.Search{Q: "talk", Order: video.ByViews}, []string{"order"}},
		{video.Search{Q: "talk", Order: video.ByRelevance, ChannelID: sitetest.TalksChannel}, []string{"channelId"}},
		{video.Search{Q: "talk", Order: video.ByRelevance, ChannelID: sitetest.QuietChannel}, []string{"channelId"}},
	}
	for n, s := range searches {
		s.q.Type = video.TypeVideo
		for _, most := range site.windows() {
			found, ok := site.searchesAll(t, s.q, most, s.parameters...)
			if !ok {
				break
			}
			var got, want []string
			for _, r := range found {
				got = append(got, r.Video.VideoID)
				site.agrees(t, *r.Video)
			}
			for _, r := range site.Search(s.q) {
				want = append(want, r.Video.VideoID)
			}
			if s.q.Order == video.ByViews { // a video with hidden views has no known place
				hidden := func(id string) bool { return id == sitetest.TalkID(2) }
				got, want = slices.DeleteFunc(got, hidden), slices.DeleteFunc(want, hidden)
			}
			assert.Equal(t, want, got, "search %d in pages of %d", n, most)
		}
	}
}

func findsOthers(t T, site *DiscoverySite) {
	q := video.Search{Q: "talk", Type: video.TypeChannel, Order: video.ByRelevance}
	if found, ok := site.searchesAll(t, q, 50, "type"); ok {
		var got []string
		for _, r := range found {
			got = append(got, r.Channel.ChannelID)
			site.agreesOnChannel(t, *r.Channel)
		}
		assert.Equal(t, []string{sitetest.TalksChannel, sitetest.QuietChannel}, got)
	}
	q.Type = video.TypePlaylist
	if found, ok := site.searchesAll(t, q, 50, "type"); ok {
		var got []string
		for _, r := range found {
			got = append(got, r.Playlist.PlaylistID)
			site.agreesOnPlaylist(t, *r.Playlist)
		}
		assert.Equal(t, []string{sitetest.TalksPlaylist, sitetest.EmptyPlaylist}, got)
	}
}

func tellsOfVideos(t T, site *DiscoverySite) {
	most := 48
	if site.backend.Slow {
		most = 4
	}
	contents, want := []engine.Content{site.Content(sitetest.RemovedVideo)}, []string{}
	for n := range most {
		contents, want = append(contents, site.Content(sitetest.TalkID(n))), append(want, sitetest.TalkID(n))
	}
	contents = append(contents, site.Content(sitecatalog.PrivateVideo))
	found, err := site.source().Videos(t.Context(), contents)
	require.NoError(t, err)
	var got []string
	for _, v := range found {
		got = append(got, v.VideoID)
		site.agreesOnVideo(t, v)
	}
	slices.Sort(got)
	assert.Equal(t, want, got, "those that are there, each once")

	found, err = site.source().Videos(t.Context(), []engine.Content{site.Content(sitetest.NoVideo)})
	require.NoError(t, err, "a list of videos that are all not there is a list")
	assert.Empty(t, found)
}

func tellsOfChannels(t T, site *DiscoverySite) {
	for _, name := range []string{sitetest.TalksChannel, "@talks", sitetest.QuietChannel, "@ruhe-größe"} {
		channel, err := site.source().Channel(t.Context(), site.ListOf(name))
		require.NoError(t, err, name)
		want, _ := site.Channel(name)
		assert.Equal(t, want.ChannelID, channel.ChannelID, name)
		site.agreesOnChannel(t, channel)
	}
}

func listsUploads(t T, site *DiscoverySite) {
	source := site.source()
	for _, kind := range video.Kinds() {
		for _, name := range []string{"@talks", sitetest.TalksChannel} {
			if kind != video.All && name != sitetest.TalksChannel {
				continue
			}
			if _, err := source.Uploads(t.Context(), site.ListOf(name), kind, engine.Window{Max: 50}); err != nil && kind != video.All && cannot(t, err, "type") {
				continue
			}
			for _, most := range site.windows() {
				var got []string
				items, _ := pages(t, most, func(at engine.Window) (engine.Listing[video.Summary], error) {
					page, err := source.Uploads(t.Context(), site.ListOf(name), kind, at)
					if err == nil {
						assert.Equal(t, sitetest.TalksChannel, page.ID, "the id of the channel")
					}
					return page, err
				})
				for _, v := range items {
					got = append(got, v.VideoID)
					site.agrees(t, v)
				}
				assert.Equal(t, site.Uploads(sitetest.TalksChannel, kind), got, "uploads of type %s in pages of %d", kind, most)
			}
		}
	}
}

func holdsPositions(t T, site *DiscoverySite) {
	source := site.source()
	list, _ := site.Playlist(sitetest.TalksPlaylist)
	for _, most := range site.windows() {
		items, _ := pages(t, most, func(at engine.Window) (engine.Listing[video.Item], error) {
			page, err := source.Items(t.Context(), site.ListOf(sitetest.TalksPlaylist), at)
			if err == nil {
				assert.Equal(t, sitetest.TalksPlaylist, page.ID)
				assert.Contains(t, []string{"", *list.Title}, page.Title)
			}
			return page, err
		})
		require.Len(t, items, len(list.Entries), "what was removed or is private stays")
		for n, item := range items {
			assert.Equal(t, n, item.Position, "position")
			require.Equal(t, list.Entries[n], item.Video.VideoID, "entry %d", n)
			_, there := site.Video(item.Video.VideoID)
			assert.Equal(t, there, item.Available, "entry %d is available", n)
			if there {
				site.agrees(t, item.Video)
			} else {
				assert.Equal(t, video.Summary{VideoID: list.Entries[n]}, item.Video, "entry %d has its id and nothing else", n)
			}
		}
	}
}

func knowsEmpty(t T, site *DiscoverySite) {
	source := site.source()
	items, err := source.Items(t.Context(), site.ListOf(sitetest.EmptyPlaylist), engine.Window{Max: 10})
	require.NoError(t, err)
	assert.Empty(t, items.Items)
	assert.Empty(t, items.Next)
	uploads, err := source.Uploads(t.Context(), site.ListOf(sitetest.QuietChannel), video.All, engine.Window{Max: 10})
	require.NoError(t, err)
	assert.Empty(t, uploads.Items)
	assert.Empty(t, uploads.Next)
	assert.Equal(t, sitetest.QuietChannel, uploads.ID)
	found, err := source.Search(t.Context(), video.Search{Q: "no such words", Type: video.TypeVideo, Order: video.ByRelevance}, engine.Window{Max: 10})
	require.NoError(t, err)
	assert.Empty(t, found.Items)
	assert.Empty(t, found.Next)
}

func knowsMissing(t T, site *DiscoverySite) {
	source, at := site.source(), engine.Window{Max: 10}
	missing := []question{
		{"a channel", func(ctx context.Context, d engine.Discovery) (any, error) {
			return d.Channel(ctx, site.ListOf(sitetest.NoChannel))
		}},
		{"a channel by its name", func(ctx context.Context, d engine.Discovery) (any, error) {
			return d.Channel(ctx, site.ListOf("@nobody"))
		}},
		{"uploads", func(ctx context.Context, d engine.Discovery) (any, error) {
			return d.Uploads(ctx, site.ListOf(sitetest.NoChannel), video.All, at)
		}},
		{"a playlist", func(ctx context.Context, d engine.Discovery) (any, error) {
			return d.Items(ctx, site.ListOf(sitetest.NoPlaylist), at)
		}},
		{"a private playlist", func(ctx context.Context, d engine.Discovery) (any, error) {
			return d.Items(ctx, site.ListOf(sitetest.PrivatePlaylist), at)
		}},
	}
	for _, q := range missing {
		got, err := q.ask(t.Context(), source)
		assert.ErrorIs(t, err, transcript.Unavailable, "%s", q.name)
		assert.True(t, isEmpty(got), "%s: a result together with an error", q.name)
	}
}

func refusesPages(t T, site *DiscoverySite) {
	for _, token := range []string{"no such page", "../../etc/passwd", "x\x00y", "\xff\xfe", "' OR 1=1 --", "99999999999999999999999999", "-1", "&pageToken=", strings.Repeat("A", mostToken+1)} {
		for _, q := range site.questions(after{token, token, token})[5:] {
			got, err := q.ask(t.Context(), site.source())
			var e *transcript.Error
			if !assert.ErrorAs(t, err, &e, "%s after %q", q.name, token) || !assert.Equal(t, transcript.InvalidRequest, e.Code, "%s after %q: %v", q.name, token, err) {
				continue
			}
			issues, _ := e.Details["issues"].([]transcript.Issue) // a missing detail is a fault too
			if assert.Len(t, issues, 1, "%s after %q", q.name, token) {
				assert.Equal(t, "pageToken", issues[0].Path)
			}
			assert.True(t, isEmpty(got), "%s: a result together with an error", q.name)
		}
	}
}

func servesManyQuestions(t T, site *DiscoverySite) {
	source, times := site.source(), 4
	if site.backend.Slow {
		times = 1
	}
	var asking sync.WaitGroup
	for range times {
		for _, q := range site.questions(after{})[:5] {
			asking.Go(func() {
				_, err := q.ask(t.Context(), source)
				assert.NoError(t, err, "%s", q.name)
			})
		}
	}
	asking.Wait()
}

func discoveryStops(t T, site *DiscoverySite) {
	stopped := errors.New("stopped")
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	for _, q := range site.questions(after{})[:5] {
		got, err := q.ask(ended, site.source())
		assert.True(t, errors.Is(err, stopped) || errors.Is(err, context.Canceled), "%s: the context had ended before the call: %v", q.name, err)
		assert.True(t, isEmpty(got), "%s: a result together with an error", q.name)
	}
}
