package server_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// leaver is the account that the tests remove.
const leaver = "globex"

// sharedTables hold rows of no account, or keep the mark of a removal.
var sharedTables = []string{
	"removals", "transcripts", "texts", "contents", "search_blocks", "extractions", "processes", "measures", "hooks", "lookups",
	"river_job", "river_notification", "river_leader", "sqlite_sequence",
}

// furnished starts a service in which the leaver has rows in every table that names accounts. The
// work on one recording of the leaver stands still until release.
func furnished(t *testing.T, o store.Options) (s *service, key string, release func()) {
	t.Helper()
	p := newPublisher(t, "aaaaaaaaaa1")
	s = startIn(t, o, t.TempDir(), func(c *server.Config) { c.Egress.Allow = []string{p.address} })
	s.Engine.SetTracks(servertest.Track{Lang: "en", Name: "English", Text: "Everybody says this."})
	key = s.NewKey(t, leaver)
	by := as(key)

	s.newWebhook(t, fmt.Sprintf(`{"url":"http://%s/hook"}`, p.address), by)
	require.Equal(t, http.StatusOK, s.postJSON(t, `{"url":"https://video.example/watch?v=`+video+`","waitMs":10000}`, by, header("Idempotency-Key", "one")).StatusCode)
	require.Equal(t, http.StatusOK, s.edit(t, `"1"`, `{"title":"Mine","tags":["a"],"segments":[{"index":0,"text":"Only I say this."}]}`, by).StatusCode)
	s.share(t, "video_site/"+video, "", by)
	require.Equal(t, http.StatusCreated, s.do(t, http.MethodPut, "/v1/feed", nil, by).StatusCode)
	s.keep(t, wav("a kept recording"), 3600, by)
	s.newBatch(t, []string{"https://video.example/watch?v=bbbbbbbbbb1"}, by)
	s.followed(t, `{"feed":"`+p.feed()+`","maxItems":1,"language":"en"}`, by)
	s.begin(t, "the first bytes", by)
	require.Eventually(t, func() bool { // both come later than the answers
		return storetest.Count(t, o, "follow_items") > 0 && storetest.Count(t, o, "webhook_deliveries") > 0
	}, time.Minute, 20*time.Millisecond)
	require.NoError(t, db.Of(s.Store).BindTexts(t.Context(), leaver, 1))
	before := s.Engine.Recognitions()
	release = s.Engine.Hold()
	s.job(t, "work that stands still", by)
	require.NoError(t, s.Engine.Await(t.Context(), before+1))
	return s, key, release
}

// rowsOf counts the rows of each table that is not shared.
func rowsOf(t *testing.T, o store.Options) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for name, table := range storetest.Dump(t, o) {
		if !slices.Contains(sharedTables, name) {
			counts[name] = len(table.Rows)
		}
	}
	return counts
}

// TestRemovedAccountLeavesNothing removes an account that has something in every table, while its
// work runs. A new table with a column for accounts fails the test until furnished fills it.
func TestRemovedAccountLeavesNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s, key, release := furnished(t, o)
		defer release()
		all := storetest.Dump(t, o)
		have := all.With(leaver)
		for _, table := range all.Owned() {
			if table != "removals" {
				assert.Positive(t, have[table], "the test puts no row of the account into %s", table)
			}
		}

		removed, err := s.RemoveAccount(t.Context(), leaver)
		require.NoError(t, err)
		for what, n := range map[string]int64{
			"keys": removed.Keys, "batches": removed.Batches, "follows": removed.Follows, "webhooks": removed.Webhooks,
			"shares": removed.Shares, "files": removed.Files, "contents": removed.Contents, "jobs": removed.Jobs,
		} {
			assert.Positive(t, n, what)
		}
		release()
		require.Eventually(t, func() bool { // a worker that still works writes nothing back
			return storetest.Count(t, o, "river_job WHERE state = 'running'") == 0
		}, time.Minute, 20*time.Millisecond)
		require.NoError(t, server.GoOnWithRemovals(t.Context(), s.Server.Server, time.Now())) // the steps that ran have ended
		assert.Equal(t, map[string]int{"removals": 1}, storetest.Dump(t, o).With(leaver))
		assert.Empty(t, files(t, s.blobs))
		assert.Equal(t, 0, storetest.Count(t, o, "revisions"))
		require.Eventually(t, func() bool {
			return s.get(t, "/v1/usage", as(key)).StatusCode == http.StatusUnauthorized
		}, time.Minute, 50*time.Millisecond)
		assert.Equal(t, http.StatusOK, s.get(t, "/v1/usage").StatusCode, "another account goes on")

		_, err = s.RemoveAccount(t.Context(), "nobody")
		assert.ErrorIs(t, err, account.ErrNotFound)
		_, err = s.RemoveAccount(t.Context(), leaver)
		assert.NoError(t, err, "a removal may be repeated")
	})
}

// What the account shares with others stays for them: texts of links, work, and followed addresses.
func TestRemovalSparesOtherAccounts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := startIn(t, o, t.TempDir())
		s.Engine.SetTracks(servertest.Track{Lang: "en", Name: "English", Text: "Everybody says this."})
		link := `{"url":"https://video.example/watch?v=` + video + `","waitMs":10000}`
		require.Equal(t, http.StatusOK, s.postJSON(t, link).StatusCode)
		before := rowsOf(t, o)

		by := as(s.NewKey(t, leaver))
		require.Equal(t, http.StatusOK, s.postJSON(t, link, by).StatusCode)
		free := s.Engine.HoldCaptions()
		defer free()
		joined := strings.Replace(strings.Replace(link, video, "bbbbbbbbbb1", 1), "10000", "0", 1)
		require.Equal(t, http.StatusAccepted, s.postJSON(t, joined, by).StatusCode)
		id := s.postJSON(t, joined).object(t)["jobId"].(string)
		_, err := s.RemoveAccount(t.Context(), leaver)
		require.NoError(t, err)
		free()
		assert.Equal(t, "success", s.ended(t, id)["status"])
		assert.Equal(t, http.StatusOK, s.get(t, savedVideo).StatusCode)
		after := rowsOf(t, o)
		for table, n := range before {
			if table != "jobs" && table != "job_events" && table != "library_rows" && table != "rate_windows" && table != "fair_shares" {
				assert.Equal(t, n, after[table], table)
			}
		}
		assert.Equal(t, before["library_rows"]+1, after["library_rows"], "the text of the work that both have asked for")
	})
}

// A removal that ends half-way leaves the account suspended, and goes on when it is repeated. The
// account can be made again afterwards, and the sweep leaves it alone.
func TestRemovalGoesOn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s, key, release := furnished(t, o)
		release()
		mend := storetest.RefuseDeletes(t, o, "usage") // also by the service's own sweep
		ctx, stop := context.WithCancel(t.Context())
		store := db.Of(s.Store)
		require.NoError(t, store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.Removals.Begin(ctx, leaver) }))
		stop()
		_, err := s.RemoveAccount(ctx, leaver)
		require.ErrorIs(t, err, context.Canceled)
		_, err = s.Accounts.Set(t.Context(), leaver, account.Settings{Suspended: new(false)})
		require.ErrorIs(t, err, account.ErrBeingRemoved)
		require.Eventually(t, func() bool { // 401: the service was faster with its sweep
			status := s.get(t, "/v1/usage", as(key)).StatusCode
			return status == http.StatusPaymentRequired || status == http.StatusUnauthorized
		}, time.Minute, 50*time.Millisecond)

		err = server.GoOnWithRemovals(t.Context(), s.Server.Server, time.Now())
		if assert.Error(t, err) {
			assert.NotContains(t, err.Error(), leaver, "the queue keeps the error of the sweep longer than the account")
		}
		mend()
		require.NoError(t, server.GoOnWithRemovals(t.Context(), s.Server.Server, time.Now()))
		assert.Equal(t, 1, storetest.Count(t, o, "removals WHERE ended_at IS NOT NULL"))
		assert.Equal(t, 0, storetest.Count(t, o, "accounts WHERE id = '"+leaver+"'"))

		again := s.NewKey(t, leaver)
		require.NoError(t, server.GoOnWithRemovals(t.Context(), s.Server.Server, time.Now().Add(48*time.Hour)))
		assert.Equal(t, http.StatusOK, s.get(t, "/v1/usage", as(again)).StatusCode)
		assert.Equal(t, 0, storetest.Count(t, o, "removals"))
	})
}

// A row that a request still writes after the end of a removal goes with the next sweep, and a day
// later nothing tells of the account any more.
func TestSweepRemovesLateRows(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := startIn(t, o, t.TempDir())
		s.NewKey(t, leaver)
		_, err := s.RemoveAccount(t.Context(), leaver)
		require.NoError(t, err)
		s.putRecording(t, leaver, wav("late"))

		require.NoError(t, server.GoOnWithRemovals(t.Context(), s.Server.Server, time.Now()))
		assert.Equal(t, map[string]int{"removals": 1}, storetest.Dump(t, o).With(leaver))
		assert.Empty(t, files(t, s.blobs))
		require.NoError(t, server.GoOnWithRemovals(t.Context(), s.Server.Server, time.Now().Add(48*time.Hour)))
		assert.Empty(t, storetest.Dump(t, o).With(leaver))
	})
}
