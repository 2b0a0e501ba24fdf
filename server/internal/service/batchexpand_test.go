package service_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/batcher"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/shortlink"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// listScript is a source of lists that answers as a test says.
type listScript struct {
	answer func(ctx context.Context, call, offset, n int) (engine.ListPage, error)

	mu    sync.Mutex
	calls int
	read  int // entries
}

func (s *listScript) Lists(p transcript.Platform) bool { return p == transcript.VideoSite }

func (s *listScript) List(ctx context.Context, l engine.List, offset, n int) (engine.ListPage, error) {
	s.mu.Lock()
	s.calls++
	call := s.calls
	s.mu.Unlock()
	if l.URL != "https://www.youtube.com/playlist?list=PL1234567890" {
		return engine.ListPage{}, errors.New("another list")
	}
	page, err := s.answer(ctx, call, offset, n)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read += len(page.Entries)
	return page, err
}

func (s *listScript) entriesRead() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.read
}

// listOf answers with a list of so many contents, in pages of a size; 0: in one.
func listOf(total, size int) func(context.Context, int, int, int) (engine.ListPage, error) {
	return func(_ context.Context, _, offset, n int) (engine.ListPage, error) {
		if size > 0 {
			n = min(n, size)
		}
		page := engine.ListPage{Title: "A list"}
		for ; offset < total && len(page.Entries) < n; offset++ {
			page.Entries = append(page.Entries, engine.ListEntry{ID: fmt.Sprintf("entry-%05d", offset)})
		}
		page.Last = offset == total
		return page, nil
	}
}

// listing makes a list source and captions for every content.
func listing(l *listScript) func(*service.Config) {
	return func(c *service.Config) {
		reads(func(_ context.Context, id string) (engine.Captions, error) { return captioned(id), nil })(c)
		c.Engine.Lists = l
	}
}

func playlistBatch(items, maxItems int) batcher.Request {
	r := batchOf()
	r.Mode, r.MaxItems, r.Plan.BatchItems = batch.Playlist, maxItems, items
	r.List = &engine.List{Platform: transcript.VideoSite, Kind: engine.PlaylistList, ID: "PL1234567890", URL: "https://www.youtube.com/playlist?list=PL1234567890"}
	return r
}

// However long a list is, no more of it is read than the plan, the caller or the service
// permits, and one that tells that there are more.
func TestListAgainstThePlan(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                        string
		total, page, plan, maxItems int
		read                        int
		limit                       int // of the refusal; 0: none
	}{
		{"over the plan", 10_000, 0, 30, 0, 31, 30},
		{"over the plan, in pages", 10_000, 7, 30, 0, 31, 30},
		{"over the service", 10_000, 100, -1, 0, 501, 500},
		{"the first of many", 10_000, 0, 30, 20, 20, 0},
		{"the first of many, in pages", 10_000, 7, 30, 20, 20, 0},
		{"more wanted than permitted", 10_000, 0, 30, 40, 31, 30},
		{"as many as permitted", 30, 0, 30, 0, 30, 0},
		{"fewer than wanted", 3, 2, 30, 20, 3, 0},
		{"an empty list", 0, 0, 30, 0, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dbtest.Each(t, func(t *testing.T, s *db.Store) {
				lists := &listScript{answer: listOf(tt.total, tt.page)}
				b := start(t, s, &script{}, listing(lists))
				made, err := b.Batches.Create(t.Context(), playlistBatch(tt.plan, tt.maxItems))
				require.NoError(t, err)
				assert.Equal(t, batch.Pending, made.Status)
				assert.Zero(t, made.Counts)
				job := b.ended(t, acme, made.ID)
				assert.Equal(t, tt.read, lists.entriesRead(), "entries read")
				if tt.limit > 0 {
					assert.Equal(t, batch.Failed, job.Status)
					require.NotNil(t, job.Error)
					assert.Equal(t, transcript.BatchLimitExceeded, job.Error.Code)
					assert.EqualValues(t, tt.limit+1, job.Error.Details["requested"])
					assert.EqualValues(t, tt.limit, job.Error.Details["limit"])
					assert.Contains(t, job.Error.Message, fmt.Sprintf(" %d", tt.limit))
					assert.Contains(t, job.Error.Message, ": there are more. Say how many to take at most: the first are taken.")
					assert.Zero(t, job.Counts)
					return
				}
				assert.Nil(t, job.Error)
				assert.Equal(t, batch.Completed, job.Status)
				assert.Equal(t, batch.Counts{Total: tt.read, Success: tt.read}, job.Counts)
				for i, item := range b.items(t, acme, made.ID, 500) {
					assert.Equal(t, fmt.Sprintf("entry-%05d", i), item.ExternalID, "in the list's order")
				}
			})
		})
	}
}

// What a list says of its entries need not be true.
func TestListThatLies(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		lists := &listScript{answer: func(_ context.Context, _, _, n int) (engine.ListPage, error) {
			page := engine.ListPage{Title: strings.Repeat("x\x00", 1000), Last: true, Entries: []engine.ListEntry{
				{ID: "entry-00000"}, {URL: "https://youtu.be/entry-00001"}, {ID: "entry-00000"}, {URL: "https://www.youtube.com/watch?v=entry-00001"},
				{ID: "not an id", URL: "https://www.youtube.com/shorts/entry-00002"}, {ID: "../../etc/passwd"}, {URL: "file:///etc/passwd"},
				{URL: "https://example.com/watch?v=entry-00003"}, {URL: "https://x.com/jack/status/20"}, {}, {URL: "https://www.youtube.com/playlist?list=PL1234567890"},
				{ID: "entry-00003", URL: "http://127.0.0.1/"}, {URL: strings.Repeat("y", 5000)},
			}}
			for len(page.Entries) < 1000 {
				page.Entries = append(page.Entries, engine.ListEntry{ID: "entry-99999"})
			}
			return page, nil
		}}
		b := start(t, s, &script{}, listing(lists))
		made, err := b.Batches.Create(t.Context(), playlistBatch(30, 14))
		require.NoError(t, err)
		job := b.ended(t, acme, made.ID)
		assert.Equal(t, batch.Completed, job.Status)
		var got []string
		for _, item := range b.items(t, acme, made.ID, 500) {
			code := transcript.Code("")
			if item.Error != nil {
				code = *item.Error
			}
			assert.LessOrEqual(t, len(item.ExternalID), 512)
			got = append(got, strings.TrimSpace(fmt.Sprintf("%.20s %s %s", item.ExternalID, item.Status, code)))
		}
		assert.Equal(t, []string{
			"entry-00000 success", "entry-00001 success", "entry-00000 skipped", "entry-00001 skipped", "entry-00002 success",
			"../../etc/passwd failed INVALID_VIDEO", "file:///etc/passwd failed INVALID_VIDEO",
			"https://example.com/ failed UNSUPPORTED_PLATFORM", "20 failed NOT_IMPLEMENTED", "failed INVALID_VIDEO",
			"https://www.youtube. failed INVALID_VIDEO", "entry-00003 success", "yyyyyyyyyyyyyyyyyyyy failed INVALID_VIDEO", "entry-99999 success",
		}, got)
	})
}

// A list that cannot be read just now is asked for again, as often as other work is, and
// one that blocks is waited for.
func TestListThatFails(t *testing.T) {
	t.Parallel()
	blocks := transcript.Errorf(transcript.IPBlocked, "The platform blocks.")
	blocks.RetryAfter = 1
	for _, tt := range []struct {
		name    string
		fails   int // how often; -1: always
		err     error
		code    transcript.Code // of the batch in the end; "": none
		calls   int             // 0: any number
		patient bool
	}{
		{"a fault that passes", 3, transcript.Errorf(transcript.UpstreamFailed, "It is away."), "", 4, true},
		{"a fault that does not", -1, transcript.Errorf(transcript.UpstreamFailed, "It is away."), transcript.UpstreamFailed, 4, true},
		{"gone", -1, transcript.Errorf(transcript.Unavailable, "It is private."), transcript.Unavailable, 1, true},
		{"a wall", -1, transcript.Errorf(transcript.LoginRequired, "Log in."), transcript.LoginRequired, 1, true},
		{"a block that passes", 1, blocks, "", 2, true},
		{"a block that does not", -1, blocks, transcript.IPBlocked, 0, false},
		{"an error without a code", -1, errors.New("broken"), transcript.Internal, 4, true},
		{"no end, and nothing", -1, nil, transcript.UpstreamFailed, 4, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dbtest.Each(t, func(t *testing.T, s *db.Store) {
				lists := &listScript{answer: func(ctx context.Context, call, offset, n int) (engine.ListPage, error) {
					if tt.fails < 0 || call <= tt.fails {
						return engine.ListPage{}, tt.err
					}
					return listOf(3, 0)(ctx, call, offset, n)
				}}
				b := start(t, s, &script{}, listing(lists), func(c *service.Config) {
					if !tt.patient {
						c.WaitNoLonger()
					}
				})
				made, err := b.Batches.Create(t.Context(), playlistBatch(30, 0))
				require.NoError(t, err)
				job := b.ended(t, acme, made.ID)
				if tt.calls > 0 {
					assert.Equal(t, tt.calls, lists.calls)
				}
				if tt.code == "" {
					assert.Equal(t, batch.Counts{Total: 3, Success: 3}, job.Counts)
					assert.Nil(t, job.Error)
					return
				}
				assert.Equal(t, batch.Failed, job.Status)
				require.NotNil(t, job.Error)
				assert.Equal(t, tt.code, job.Error.Code)
				assert.Zero(t, job.Counts)
			})
		})
	}
}

// An engine that panics has failed like any other.
func TestListThatPanics(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		lists := &listScript{answer: func(context.Context, int, int, int) (engine.ListPage, error) { panic("a fault") }}
		b := start(t, s, &script{}, listing(lists))
		made, err := b.Batches.Create(t.Context(), playlistBatch(30, 0))
		require.NoError(t, err)
		job := b.ended(t, acme, made.ID)
		assert.Equal(t, transcript.Internal, job.Error.Code)
		assert.NotContains(t, job.Error.Message, "a fault")
	})
}

// hanging is a source of lists that answers when it is told, or its context ends.
func hanging() (l *listScript, begun, ended chan struct{}) {
	begun, ended = make(chan struct{}, 10), make(chan struct{}, 10)
	return &listScript{answer: func(ctx context.Context, _, _, _ int) (engine.ListPage, error) {
		begun <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return engine.ListPage{}, context.Cause(ctx)
	}}, begun, ended
}

// A batch that is canceled while its list is read stops the reading.
func TestCancelWhileListed(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		lists, begun, ended := hanging()
		b := start(t, s, &script{}, listing(lists))
		made, err := b.Batches.Create(t.Context(), playlistBatch(30, 0))
		require.NoError(t, err)
		wait(t, begun)
		_, err = b.Batches.Cancel(t.Context(), acme, made.ID, nil)
		require.NoError(t, err)
		wait(t, ended)
		job := b.ended(t, acme, made.ID)
		assert.Equal(t, batch.Cancelled, job.Status)
		assert.Nil(t, job.Error)
		assert.Zero(t, job.Counts)
		require.NoError(t, b.Batches.Delete(t.Context(), acme, made.ID))
	})
}

// A process that stops while it reads a list leaves that to the next one.
func TestStopWhileListed(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		lists, begun, _ := hanging()
		first := prepare(t, s, &script{}, listing(lists))
		require.NoError(t, first.Start(t.Context()))
		made, err := first.Batches.Create(t.Context(), playlistBatch(30, 0))
		require.NoError(t, err)
		wait(t, begun)
		require.NoError(t, first.Stop(t.Context()))
		next := start(t, s, &script{}, listing(&listScript{answer: listOf(5, 2)}))
		assert.Equal(t, batch.Counts{Total: 5, Success: 5}, next.ended(t, acme, made.ID).Counts)
	})
}

// A process that is taken for dead while it reads a list may still end it: the batch
// takes its items once.
func TestListedTwice(t *testing.T) {
	t.Parallel()
	o := dbtest.Postgres(t)
	begun, goOn := make(chan struct{}, 10), make(chan struct{})
	ghost := &listScript{answer: func(ctx context.Context, call, offset, n int) (engine.ListPage, error) {
		begun <- struct{}{}
		<-goOn
		return listOf(7, 0)(ctx, call, offset, n)
	}}
	first := start(t, dbtest.Open(t, o), &script{}, listing(ghost))
	made, err := first.Batches.Create(t.Context(), playlistBatch(30, 0))
	require.NoError(t, err)
	wait(t, begun)
	_, err = first.Batches.Create(t.Context(), playlistBatch(30, 0)) // keeps the other worker of the first process
	require.NoError(t, err)
	wait(t, begun)
	buryAll(t, first.store)
	next := start(t, dbtest.Open(t, o), &script{}, listing(&listScript{answer: listOf(5, 2)}))
	assert.Equal(t, batch.Counts{Total: 5, Success: 5}, next.ended(t, acme, made.ID).Counts)
	close(goOn)
	require.Eventually(t, func() bool { return ghost.entriesRead() == 14 }, time.Minute, 5*time.Millisecond)
	require.NoError(t, first.Stop(t.Context()))
	assert.Equal(t, batch.Counts{Total: 5, Success: 5}, next.ended(t, acme, made.ID).Counts)
}

// Nobody waits for a service that reads no lists.
func TestNobodyReadsLists(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		b := start(t, s, &script{})
		_, err := b.Batches.Create(t.Context(), playlistBatch(30, 0))
		require.ErrorIs(t, err, transcript.NotImplemented)
	})
}

// shortener is a site of short links: what each leads to, by its path. A number is a
// status.
func shortener(t *testing.T, leads func(path string) string) (follow func(*service.Config), address string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch to := leads(r.URL.Path); to {
		case "", "404":
			http.NotFound(w, r)
		case "200":
			_, _ = w.Write([]byte("a page")) // a client that is gone needs no answer
		case "500":
			http.Error(w, "away", http.StatusInternalServerError)
		default:
			http.Redirect(w, r, to, http.StatusFound)
		}
	}))
	t.Cleanup(server.Close)
	address = server.Listener.Addr().String()
	table, err := site.New(map[transcript.Platform]site.Site{transcript.ShortVideoSite: {ShortHosts: []string{address}}})
	require.NoError(t, err)
	return func(c *service.Config) {
		c.Sites, c.ShortLinks = table, &shortlink.Follower{Sites: table, Client: func() *http.Client { return new(http.Client) }}
	}, address
}

// Short links are followed before their items are taken up. Those that lead to the same
// content are one item, and those that lead nowhere fail by themselves.
func TestShortLinksOfBatches(t *testing.T) {
	t.Parallel()
	const to = "https://www.youtube.com/watch?v="
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		leads := map[string]string{
			"/a": to + "entry-00000", "/b": "/a2", "/a2": to + "entry-00001", "/same": to + "entry-00000", "/full": to + "entry-00009",
			"/loop": "/loop", "/none": "404", "/away": "500", "/other": "200", "/bad": "https://www.youtube.com/feed/x",
		}
		for i := range 70 { // more than are followed before it is written down
			leads[fmt.Sprintf("/n%d", i)] = fmt.Sprintf("%sentry-001%02d", to, i)
		}
		follow, address := shortener(t, func(path string) string { return leads[path] })
		b := start(t, s, &script{}, listing(nil), func(c *service.Config) { c.Engine.Lists = nil }, follow)
		var all []batcher.Entry
		for _, link := range []string{to + "entry-00009", "/a", "/b", "/same", "/full", "/loop", "/none", "/away", "/other", "/bad", "/a"} {
			if strings.HasPrefix(link, "/") {
				link = "http://" + address + link
			}
			all = append(all, b.Batches.EntryOf(link))
		}
		for i := range 70 {
			all = append(all, b.Batches.EntryOf(fmt.Sprintf("http://%s/n%d", address, i)))
		}
		r := batchOf(all...)
		made, err := b.Batches.Create(t.Context(), r)
		require.NoError(t, err)
		job := b.ended(t, acme, made.ID)
		assert.Equal(t, batch.Completed, job.Status)
		var got []string
		for _, item := range b.items(t, acme, made.ID, 500)[:11] {
			code := transcript.Code("")
			if item.Error != nil {
				code = *item.Error
			}
			got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s", item.ExternalID, item.Status, code)))
		}
		assert.Equal(t, []string{
			"entry-00009 success", "entry-00000 success", "entry-00001 success", "entry-00000 skipped", "entry-00009 skipped",
			"loop failed UNSUPPORTED_PLATFORM", "none failed UNAVAILABLE", "away failed UPSTREAM_FAILED",
			"other failed UNSUPPORTED_PLATFORM", "bad failed INVALID_VIDEO", "a skipped",
		}, got)
		assert.Equal(t, batch.Counts{Total: 81, Success: 73, Failed: 5}, job.Counts)

		leads["/away"] = to + "entry-00050"
		retried, err := b.Batches.Retry(t.Context(), batcher.RetryRequest{Account: acme, Plan: plan(), Batch: made.ID})
		require.NoError(t, err)
		assert.Equal(t, 1, retried.Retried)
		job = b.ended(t, acme, made.ID)
		assert.Equal(t, batch.Counts{Total: 81, Success: 74, Failed: 4}, job.Counts)
	})
}
