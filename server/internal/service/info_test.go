package service_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// What cannot be recognized for an account is told with the reason that counts most.
func TestInfoSaysWhyNothingCanBeRecognized(t *testing.T) {
	t.Parallel()
	const hour = 3600.0
	for name, test := range map[string]struct {
		plan    func(*account.Plan)
		engine  func(*engine.Engine)
		length  float64 // seconds, as the platform says; 0: it does not
		used    db.Allowance
		reserve int64 // minutes that a running job holds
		why     transcript.Code
	}{
		"nothing against it":             {length: hour},
		"length not known":               {},
		"not in the plan":                {plan: func(p *account.Plan) { p.ASR = false }, length: 13 * hour, why: transcript.UpgradeRequired},
		"nothing at once":                {plan: func(p *account.Plan) { p.ASRConcurrency = 0 }, why: transcript.UpgradeRequired},
		"no recognizer":                  {engine: func(e *engine.Engine) { e.Recognizer = nil }, length: 13 * hour, why: transcript.NotImplemented},
		"no recognizer, nor a plan":      {engine: func(e *engine.Engine) { e.Recognizer = nil }, plan: func(p *account.Plan) { p.ASR = false }, why: transcript.UpgradeRequired},
		"nothing downloads":              {engine: func(e *engine.Engine) { e.Audio = nil }, why: transcript.NotImplemented},
		"nothing reads media":            {engine: func(e *engine.Engine) { e.Media = nil }, why: transcript.NotImplemented},
		"as long as the service takes":   {length: 12 * hour},
		"longer":                         {length: 12*hour + 0.001, why: transcript.MediaTooLarge},
		"longer than both":               {plan: upTo(time.Hour), length: 12*hour + 1, why: transcript.MediaTooLarge},
		"as long as the plan includes":   {plan: upTo(time.Hour), length: hour},
		"longer than the plan":           {plan: upTo(time.Hour), length: hour + 0.001, why: transcript.VideoTooLong},
		"longer, and no minutes":         {plan: both(upTo(time.Hour), minutes(0)), length: 2 * hour, why: transcript.VideoTooLong},
		"a plan for no length at all":    {plan: upTo(0), why: transcript.VideoTooLong},
		"just the minutes":               {plan: minutes(60), length: hour},
		"a second more":                  {plan: minutes(60), length: hour + 1, why: transcript.ASRQuotaExceeded},
		"just what is left":              {plan: minutes(60), length: 60, used: db.Allowance{Minutes: 40}, reserve: 19},
		"what runs leaves too little":    {plan: minutes(60), length: 61, used: db.Allowance{Minutes: 40}, reserve: 19, why: transcript.ASRQuotaExceeded},
		"a minute left, length unknown":  {plan: minutes(60), used: db.Allowance{Minutes: 59}},
		"no minutes, length unknown":     {plan: minutes(60), used: db.Allowance{Minutes: 60}, why: transcript.ASRQuotaExceeded},
		"a plan without minutes":         {plan: minutes(0), why: transcript.ASRQuotaExceeded},
		"minutes without a limit":        {plan: minutes(account.Unlimited), length: hour, used: db.Allowance{Minutes: 1e5}},
		"transcripts are another matter": {plan: minutes(1), used: db.Allowance{Transcripts: 100}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sites := newPlatforms(t, manual("en"))
			sites.metadata.Duration = test.length
			s := dbtest.Open(t, dbtest.SQLite(t))
			b := prepareLinks(t, s, sites, func(c *service.Config) {
				if test.engine != nil {
					test.engine(&c.Engine)
				}
			})
			q := question("")
			if test.plan != nil {
				test.plan(&q.Plan)
			}
			b.spend(t, q.Account, test.used, test.reserve)
			info, err := b.Ask.Info(t.Context(), q)
			require.NoError(t, err)
			if test.why == "" {
				assert.Equal(t, transcript.ASRInfo{Available: true}, info.ASR)
				return
			}
			assert.Equal(t, transcript.ASRInfo{Reason: &test.why}, info.ASR)
		})
	}
}

// spend has an account use some of its allowance, and hold more minutes for a job that
// runs.
func (b *bench) spend(t *testing.T, account string, used db.Allowance, held int64) {
	t.Helper()
	out, err := b.Submit(t.Context(), link("held", "en"))
	require.NoError(t, err)
	job, err := b.store.Jobs.Owned(t.Context(), account, out.Job.JobID)
	require.NoError(t, err)
	require.NoError(t, b.store.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		jobs, err := tx.Jobs.LockRunning(ctx, job.WorkID)
		require.NoError(t, err)
		_, err = tx.Allowances.Pay(ctx, account, job.Limits, used)
		require.NoError(t, err)
		_, err = tx.Allowances.Reserve(ctx, &jobs[0], db.Allowance{Transcripts: 1, Minutes: held})
		return err
	}))
}

func upTo(d time.Duration) func(*account.Plan) { return func(p *account.Plan) { p.MaxDuration = d } }

func minutes(n int64) func(*account.Plan) { return func(p *account.Plan) { p.ASRMinutesPerPeriod = n } }

func both(one, other func(*account.Plan)) func(*account.Plan) {
	return func(p *account.Plan) { one(p); other(p) }
}
