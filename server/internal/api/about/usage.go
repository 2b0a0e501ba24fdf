package about

import (
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Usage shows an account its limits, and how much of them is used.
type Usage struct{ *resource.Shared }

// Routes are the routes about the limits of an account.
func (u *Usage) Routes() []edge.Route {
	return []edge.Route{
		{
			Method: http.MethodGet, Pattern: "/v1/usage",
			Operation: "getUsage", Tag: "usage",
			Summary: "Read the account's allowances and their use.",
			Handle:  u.getUsage,
			Answers: []edge.Answer{{Status: http.StatusOK, Body: transcript.Usage{}}},
		},
	}
}

// getUsage is GET /v1/usage.
func (u *Usage) getUsage(w http.ResponseWriter, r *http.Request) error {
	p := edge.Principal(r)
	period := limits.PeriodOf(p.Plan, time.Now())
	stands, err := u.Pipeline.Standing(r.Context(), p.Account, p.KeyID, period.Start)
	if err != nil {
		return err
	}
	kept, err := u.Pipeline.Library.Kept(r.Context(), p.Account)
	if err != nil {
		return err
	}
	bytes, err := u.Pipeline.Library.Bytes(r.Context(), p.Account)
	if err != nil {
		return err
	}
	used, reserved, plan := stands.Usage.Used, stands.Usage.Reserved, p.Plan
	return edge.RespondJSON(w, http.StatusOK, transcript.Usage{
		Account:     transcript.UsageAccount{ID: p.Account, Plan: plan.Name, Paid: plan.Paid},
		Period:      transcript.UsagePeriod{Start: transcript.At(period.Start), End: transcript.At(period.End)},
		Transcripts: allowance(used.Transcripts, reserved.Transcripts, plan.TranscriptsPerPeriod),
		ASRMinutes:  allowance(used.Minutes, reserved.Minutes, plan.ASRMinutesPerPeriod),
		ASRConcurrency: transcript.ASRConcurrency{
			InUse: int64(stands.Places.Running), Limit: limit(plan.ASRConcurrency),
			Waiting: int64(stands.Places.Waiting), WaitingLimit: limit(plan.ASRWaiting),
		},
		KeptMedia: transcript.KeptRecordings{Recordings: kept.Recordings, Bytes: kept.Bytes, Limit: limit(plan.MaxKeptMediaBytes)},
		Library:   transcript.LibraryUsage{Bytes: bytes, MaxBytes: limit(limits.LibraryBytes(plan))},
		Limits: transcript.UsageLimits{
			MaxDurationSec:  inSeconds(plan.MaxDuration),
			MaxUploadBytes:  limit(plan.MaxUploadBytes),
			MaxKeepMediaSec: inSeconds(plan.MaxKeepMedia),
			BatchItems:      limit(plan.BatchItems),
			BatchExport:     plan.BatchExport,
			Upload:          plan.Upload,
			ASR:             limits.Recognizes(plan),
			Speakers:        plan.Speakers,
			EventStreams:    limit(plan.EventStreams),
		},
		RateLimit: edge.RateWindowOf(r.Context()),
		Key:       usageKey(stands.Key),
	})
}

func allowance(used, reserved, most int64) transcript.Allowance {
	a := transcript.Allowance{Used: used, Reserved: reserved, Limit: limit(most)}
	if a.Limit != nil {
		a.Remaining = new(max(most-used-reserved, 0)) // an operator may have lowered the limit
	}
	return a
}

// limit is a limit of a plan in the form of the API; nil means no limit.
func limit[N int | int64](n N) *int64 {
	if n == account.Unlimited {
		return nil
	}
	return new(int64(n))
}

func inSeconds(d time.Duration) *int64 {
	if d == account.Unlimited {
		return nil
	}
	return new(int64(d / time.Second))
}

// usageKey is a key in the form of the API; nil means that the request had none.
func usageKey(k *db.Key) *transcript.UsageKey {
	if k == nil {
		return nil
	}
	return &transcript.UsageKey{
		ID: k.ID, Prefix: k.Prefix, Name: k.Name, Scopes: k.Scopes,
		ExpiresAt: moment(k.ExpiresAt), LastUsedAt: moment(k.LastUsedAt),
	}
}

func moment(t *time.Time) *transcript.Time {
	if t == nil {
		return nil
	}
	return new(transcript.At(*t))
}
