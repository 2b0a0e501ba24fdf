package service_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// with is a submission of an account, with so many transcripts and minutes for the
// period.
func with(s intake.Submission, account string, transcripts, minutes int64) intake.Submission {
	s.Account = account
	s.Plan.TranscriptsPerPeriod, s.Plan.ASRMinutesPerPeriod = transcripts, minutes
	s.Plan.ActionLabel, s.Plan.ActionURL = "Upgrade", "https://example.com/plans"
	return s
}

// usage is what an account has used, and what is reserved, in the present period.
func usage(t *testing.T, s *db.Store, account string) db.Usage {
	t.Helper()
	u, err := s.Allowances.Usage(t.Context(), account, limits.PeriodOf(plan(), time.Now()).Start)
	require.NoError(t, err)
	return u
}

// requireUsedUp asserts that err is the refusal of a code, with where to go from here.
func requireUsedUp(t *testing.T, err error, code transcript.Code, details map[string]any) {
	t.Helper()
	var coded *transcript.Error
	require.ErrorAs(t, err, &coded)
	require.Equal(t, code, coded.Code)
	for _, member := range []string{coded.ActionURL, coded.UpgradeURL} {
		assert.Equal(t, "https://example.com/plans", member)
	}
	assert.Equal(t, "Upgrade", coded.ActionLabel)
	if _, ok := coded.Details["periodEnd"]; ok {
		details["periodEnd"] = transcript.At(limits.PeriodOf(plan(), time.Now()).End)
	}
	assert.Equal(t, details, coded.Details)
}

// fromJSON is the error of a stored job with the details that it was made with.
func fromJSON(t *testing.T, e *transcript.Error) *transcript.Error {
	t.Helper()
	shown := *e
	shown.Details = map[string]any{}
	for name, value := range e.Details {
		switch v := value.(type) {
		case float64:
			shown.Details[name] = int64(v)
			if name == "durationSec" {
				shown.Details[name] = int(v)
			}
		case string:
			var at transcript.Time
			require.NoError(t, at.UnmarshalText([]byte(v)))
			shown.Details[name] = at
		}
	}
	return &shown
}

func TestTranscriptsOfAPeriod(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		sites := newPlatforms(t, manual("en"))
		b := prepareLinks(t, s, sites)
		submit := func(id string) (*intake.Outcome, error) {
			return b.Submit(t.Context(), with(link(id, "en"), acme, 2, 0))
		}
		first, err := submit("v1")
		require.NoError(t, err)
		again, err := submit("v1")
		require.NoError(t, err)
		assert.Equal(t, first.Job.JobID, again.Job.JobID)
		assert.Equal(t, db.Usage{Reserved: db.Allowance{Transcripts: 1}}, usage(t, s, acme), "the job is the same")
		second, err := submit("v2")
		require.NoError(t, err)
		_, err = submit("v3")
		requireUsedUp(t, err, transcript.TranscriptQuotaExceeded, map[string]any{"used": int64(2), "limit": int64(2)})
		_, err = b.Submit(t.Context(), with(link("v1", "en"), "other", 0, 0))
		requireUsedUp(t, err, transcript.TranscriptQuotaExceeded, map[string]any{"used": int64(0), "limit": int64(0)})
		joined, err := b.Submit(t.Context(), with(link("v1", "en"), "joins", 1, 0))
		require.NoError(t, err)
		assert.Equal(t, db.Usage{Reserved: db.Allowance{Transcripts: 1}}, usage(t, s, "joins"), "as if alone")

		_, err = b.Cancel(t.Context(), acme, second.Job.JobID, nil)
		require.NoError(t, err)
		assert.Equal(t, db.Usage{Reserved: db.Allowance{Transcripts: 1}}, usage(t, s, acme), "nothing was made")
		b.startOne(t)
		b.end(t, first.Job.JobID)
		_, err = b.Jobs.Wait(t.Context(), "joins", joined.Job.JobID, nil)
		require.NoError(t, err)
		for _, account := range []string{acme, "joins"} {
			assert.Equal(t, db.Usage{Used: db.Allowance{Transcripts: 1}}, usage(t, s, account))
		}
		for _, account := range []string{acme, "other"} {
			hit, err := b.Submit(t.Context(), with(link("v1", "en"), account, 0, 0))
			require.NoError(t, err)
			require.NotNil(t, hit.Result, "what is there costs nothing")
		}
		assert.Equal(t, db.Usage{}, usage(t, s, "other"))
	})
}
