package server_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// brief is a plan under which entries stay for a month and jobs for two days.
func brief() account.Plans {
	plans := account.DefaultPlans()
	plan := plans.ByName[plans.Default]
	plan.Name, plan.KeepLibrary, plan.KeepJobs = "brief", 30*24*time.Hour, 48*time.Hour
	plans.ByName["brief"] = plan
	return plans
}

// backdate moves what an account has into the past.
func (s *service) backdate(t *testing.T, name string, entries, jobs time.Duration) {
	t.Helper()
	db := storetest.SQL(t, s.options)
	at := func(ago time.Duration) string {
		return time.Now().UTC().Add(-ago).Format("2006-01-02 15:04:05.999999+00:00")
	}
	for _, statement := range []string{
		fmt.Sprintf("UPDATE library_rows SET created_at = '%s' WHERE account = '%s'", at(entries), name),
		fmt.Sprintf("UPDATE jobs SET ended_at = '%s' WHERE account = '%s' AND ended_at IS NOT NULL", at(jobs), name),
	} {
		_, err := db.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
}

// A plan bounds how long the entries of a library and the ended jobs stay. The report tells before the
// sweep what goes. Another account keeps the text that both have.
func TestPlansBoundHowLongThingsStay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := startIn(t, o, t.TempDir(), func(c *server.Config) { offer(c, brief()) })
		s.Engine.SetTracks(servertest.Track{Lang: "en", Name: "English", Text: "Everybody says this."})
		by := as(s.NewKey(t, leaver))
		set := func(settings account.Settings) {
			_, err := s.Accounts.Set(t.Context(), leaver, settings)
			require.NoError(t, err)
		}
		for _, who := range []change{as(s.Key), by} {
			require.Equal(t, http.StatusOK, s.postJSON(t, `{"url":"https://video.example/watch?v=`+video+`","waitMs":10000}`, who).StatusCode)
		}
		old := wav("an old recording")
		s.keep(t, old, 3600, by)
		batch := s.newBatch(t, []string{"https://video.example/watch?v=bbbbbbbbbb1"}, by)
		s.endedBatch(t, batch, by)
		held := s.Engine.Hold()
		defer held()
		s.job(t, "work that stands still", by)
		s.backdate(t, leaver, 40*24*time.Hour, 3*24*time.Hour)
		require.NotEmpty(t, files(t, s.blobs))

		expired := func() []server.Expired {
			t.Helper()
			all, err := s.Expired(t.Context())
			require.NoError(t, err)
			return all
		}
		sweep := func() { require.NoError(t, server.SweepExpired(t.Context(), s.Server.Server, time.Now())) }
		sweep()
		assert.Empty(t, expired(), "the default plan keeps everything")

		set(account.Settings{Plan: "brief", Suspended: new(true)})
		before := expired()
		require.Len(t, before, 1)
		assert.Positive(t, before[0].TextBytes)
		got := before[0]
		got.TextBytes = 0
		assert.Equal(t, server.Expired{
			Account: leaver, Plan: "brief", Entries: 4, Texts: 1, Recordings: 1, RecordingBytes: int64(len(old)),
			Jobs: int64(storetest.Count(t, o, "jobs WHERE ended_at IS NOT NULL AND account = '"+leaver+"'")),
		}, got)

		sweep()
		assert.Empty(t, expired())
		assert.Equal(t, map[string]int{"library_rows": 1, "jobs": 1, "recordings": 0, "batches": 0, "transcripts": 0}, map[string]int{
			"library_rows": storetest.Count(t, o, "library_rows WHERE account = '"+leaver+"'"), // the work that runs
			"jobs":         storetest.Count(t, o, "jobs WHERE account = '"+leaver+"'"),
			"recordings":   storetest.Count(t, o, "recordings"),
			"batches":      storetest.Count(t, o, "batches"),
			"transcripts":  storetest.Count(t, o, "transcripts WHERE owner = '"+leaver+"'"),
		})
		assert.Equal(t, http.StatusOK, s.get(t, savedVideo).StatusCode, "the other account has the text")
		held()
	})
}

// If the plan of an account is not offered any more, the service removes nothing of the account.
func TestUnknownPlansKeepEverything(t *testing.T) {
	t.Parallel()
	plans := brief()
	plans.Default = "brief"
	s := start(t, func(c *server.Config) { offer(c, plans) })
	require.Equal(t, http.StatusOK, s.upload(t, "a recording").StatusCode)
	s.backdate(t, servertest.Account, 40*24*time.Hour, 3*24*time.Hour)
	_, err := storetest.SQL(t, s.options).ExecContext(t.Context(), "UPDATE accounts SET plan = 'gone'")
	require.NoError(t, err)
	require.NoError(t, server.SweepExpired(t.Context(), s.Server.Server, time.Now()))
	all, err := s.Expired(t.Context())
	require.NoError(t, err)
	assert.Empty(t, all)
	assert.Equal(t, 1, storetest.Count(t, s.options, "library_rows"))
	assert.Equal(t, 1, storetest.Count(t, s.options, "jobs"))
}
