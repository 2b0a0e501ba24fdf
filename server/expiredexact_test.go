package server_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TestDryRunIsExact fills the libraries of accounts on all kinds of plans, gives everything a random
// age, and compares the dry run with what the sweep takes from the tables.
func TestDryRunIsExact(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		const week = 7 * 24 * time.Hour
		plans := brief()
		for name, keep := range map[string][2]time.Duration{"library": {week, 0}, "jobs": {0, 24 * time.Hour}} {
			plan := plans.ByName[plans.Default]
			plan.Name, plan.KeepLibrary, plan.KeepJobs = name, keep[0], keep[1]
			plans.ByName[name] = plan
		}
		s := startIn(t, o, t.TempDir(), func(c *server.Config) { offer(c, plans) })
		names := map[string]string{servertest.Account: plans.Default}
		for _, plan := range []string{"brief", "library", "jobs"} {
			names["on-"+plan] = plan
		}
		var all []change
		for name, plan := range names {
			by := as(s.NewKey(t, name))
			_, err := s.Accounts.Set(t.Context(), name, account.Settings{Plan: plan})
			require.NoError(t, err)
			s.mixed(t, name, by)
			all = append(all, by)
		}
		defer s.Engine.HoldCaptions()()
		defer s.Engine.Hold()()
		items := 50
		if testing.Short() {
			items = 5
		}
		for _, by := range all { // work that runs stays, and so does a batch that runs
			s.newBatch(t, videos(items, 1), by)
			s.job(t, "work that stands still", by)
		}
		require.Eventually(t, func() bool { return storetest.Count(t, o, "batch_items WHERE status = 'pending' AND job_id = ''") == 0 }, time.Minute, 10*time.Millisecond)
		seed := uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
		s.scatter(t, rand.New(rand.NewPCG(seed, 0)))

		told, err := s.Expired(t.Context())
		require.NoError(t, err)
		before := map[string]server.Expired{}
		for name, plan := range names {
			before[name] = s.possessions(t, name, plan)
		}
		require.NoError(t, server.SweepExpired(t.Context(), s.Server.Server, time.Now()))
		require.NoError(t, dbtest.Sweep(t.Context(), db.Of(s.Store), week, 24*time.Hour))

		var gone []server.Expired
		for name, plan := range names {
			had, has := before[name], s.possessions(t, name, plan)
			lost := server.Expired{
				Account: name, Plan: plan, Entries: had.Entries - has.Entries, Texts: had.Texts - has.Texts, TextBytes: had.TextBytes - has.TextBytes,
				Recordings: had.Recordings - has.Recordings, RecordingBytes: had.RecordingBytes - has.RecordingBytes, Jobs: had.Jobs - has.Jobs,
			}
			if lost != (server.Expired{Account: name, Plan: plan}) {
				gone = append(gone, lost)
			}
		}
		assert.ElementsMatch(t, told, gone)
		again, err := s.Expired(t.Context())
		require.NoError(t, err)
		assert.Empty(t, again)
	})
}

// mixed gives an account every kind of entry.
func (s *service) mixed(t *testing.T, name string, by change) {
	t.Helper()
	s.Engine.SetTracks(servertest.Track{Lang: "en", Name: "English", Text: "Everybody says this."}, servertest.Track{Lang: "de", Name: "German", Text: "Alle sagen das."})
	const shared = "https://video.example/watch?v="
	for _, language := range []string{"en", "de"} {
		require.Equal(t, http.StatusOK, s.postJSON(t, body(t, shared+video, lang(language), patient), by).StatusCode)
	}
	require.Equal(t, http.StatusOK, s.edit(t, "*", `{"segments":[{"index":0,"text":"Only I say this."}]}`, by).StatusCode)
	for n := range 3 {
		require.Equal(t, http.StatusOK, s.postJSON(t, body(t, shared+videoOf(n), patient), by).StatusCode)
		require.Equal(t, http.StatusOK, s.upload(t, fmt.Sprint("recording ", n, " of ", name), by).StatusCode)
		s.keep(t, wav(fmt.Sprint("kept recording ", n, " of ", name)), 3600, by)
	}
	require.Equal(t, http.StatusOK, s.upload(t, "a recording of all", by).StatusCode)
	corrected := "/v1/library/transcripts/upload/" + uploadOf("a recording of all")
	a := s.do(t, http.MethodPatch, corrected, strings.NewReader(`{"segments":[{"index":0,"text":"Only I say this."}]}`), by, header("If-Match", "*"), header("Content-Type", "application/json"))
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)

	s.Engine.FailCaptions(transcript.Errorf(transcript.Unavailable, "It is gone."))
	failed := s.postJSON(t, body(t, shared+videoOf(9), patient), by)
	require.GreaterOrEqual(t, failed.StatusCode, http.StatusBadRequest, failed.body)
	s.Engine.FailCaptions(nil)
	s.endedBatch(t, s.newBatch(t, videos(1, 2), by), by)

	hear := s.Engine.Hold()
	removed := s.job(t, "a recording whose entry is removed", by)
	entry := "/v1/library/transcripts/upload/" + uploadOf("a recording whose entry is removed")
	require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, entry, nil, by).StatusCode)
	hear()
	require.Eventually(t, func() bool { return s.get(t, "/v1/transcript/job/"+removed, by).object(t)["status"] == "success" }, time.Minute, 10*time.Millisecond)
}

// scatter gives everything a random age.
func (s *service) scatter(t *testing.T, random *rand.Rand) {
	t.Helper()
	tables := storetest.SQL(t, s.options)
	for _, of := range []struct {
		table, column, where string
		most                 time.Duration
	}{
		{"library_rows", "created_at", "1 = 1", 60 * 24 * time.Hour},
		{"jobs", "ended_at", "ended_at IS NOT NULL", 14 * 24 * time.Hour},
	} {
		for _, row := range storetest.Query(t, s.options, "SELECT id FROM "+of.table+" WHERE "+of.where).Rows {
			ago := time.Duration(random.Int64N(int64(of.most)))
			at := time.Now().UTC().Add(-ago).Format("2006-01-02 15:04:05.999999+00:00")
			_, err := tables.ExecContext(t.Context(), fmt.Sprintf("UPDATE %s SET %s = '%s' WHERE id = '%s'", of.table, of.column, at, row))
			require.NoError(t, err)
		}
	}
}

// possessions counts what an account has of what may expire.
func (s *service) possessions(t *testing.T, name, plan string) server.Expired {
	t.Helper()
	count := func(query string) int64 {
		return int64(number(t, s.options, fmt.Sprintf("SELECT coalesce(%s = '%s'", query, name)))
	}
	return server.Expired{
		Account: name, Plan: plan,
		Entries:        count("count(*), 0) FROM library_rows WHERE account"),
		Texts:          count("count(*), 0) FROM transcripts WHERE owner"),
		TextBytes:      count("sum(length(x.segments) + coalesce(length(x.words), 0)), 0) FROM texts AS x JOIN transcripts AS t ON t.id = x.transcript_id WHERE t.owner"),
		Recordings:     count("count(*), 0) FROM recordings WHERE account"),
		RecordingBytes: count("sum(bytes + copy_bytes), 0) FROM recordings WHERE account"),
		Jobs:           count("count(*), 0) FROM jobs WHERE account"),
	}
}
