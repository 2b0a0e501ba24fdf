// Package limits compares what a request needs with what its plan permits: the length of
// a recording, transcripts and minutes of recognition.
package limits

import (
	"math"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// A job carries the limits of the plan under which the service accepted it. A step reads the
// limits from the job and does not need the caller. Jobs on one piece of work may have
// different limits. If the limits of a job do not permit the next step, only this job ends.
// The work continues under the widest limits of the remaining jobs.

// sharedTurn is the beginning of the name of a turn that the accounts of a plan share.
// The name of an account has no colon, so the two never conflict.
const sharedTurn = "plan:"

// Of returns the limits that a plan sets at the time now.
func Of(plan account.Plan, now time.Time) db.Limits {
	limits := db.Limits{
		ASR:                   Recognizes(plan),
		Speakers:              plan.Speakers,
		MaxDuration:           int64(plan.MaxDuration / time.Second),
		Period:                PeriodOf(plan, now).Start,
		Transcripts:           plan.TranscriptsPerPeriod,
		ASRMinutes:            plan.ASRMinutesPerPeriod,
		ASRConcurrency:        plan.ASRConcurrency,
		ASRWaiting:            plan.ASRWaiting,
		RecognizeBlockedAfter: int64(plan.RecognizeBlockedAfter / time.Second),
		ActionLabel:           plan.ActionLabel,
		ActionURL:             plan.ActionURL,
	}
	if plan.Upload {
		limits.MaxBytes = plan.MaxUploadBytes
	}
	if plan.SharedTurn {
		limits.Turn = sharedTurn + plan.Name
	}
	if plan.RecognizeBlockedAfter == account.Unlimited {
		limits.RecognizeBlockedAfter = account.Unlimited
	}
	if plan.MaxDuration == account.Unlimited {
		limits.MaxDuration = account.Unlimited
	}
	return limits
}

// Recognizes reports whether a plan permits speech recognition: the plan includes ASR, and at
// least one recording at a time.
func Recognizes(p account.Plan) bool { return p.ASR && p.ASRConcurrency != 0 }

// RecognizesBlockedAfter returns how long a job's captions may be blocked before the sound is
// recognized, or 0 if the job waits for its captions. service is the time in the service's
// configuration, for plans that say none.
func RecognizesBlockedAfter(l db.Limits, service time.Duration) time.Duration {
	switch {
	case !l.ASR || l.RecognizeBlockedAfter < 0:
		return 0
	case l.RecognizeBlockedAfter > 0:
		return time.Duration(l.RecognizeBlockedAfter) * time.Second
	}
	return service
}

// TooLong returns a VIDEO_TOO_LONG error if the sound is longer than the limits permit,
// otherwise nil.
func TooLong(l db.Limits, sound Sound) *transcript.Error {
	if sound.Least <= Longest(l, math.MaxInt64) {
		return nil
	}
	e := Refusal(l, transcript.VideoTooLong, "The media is longer than the "+transcript.LengthText(int(l.MaxDuration))+" that the plan includes.")
	return e.With("durationSec", sound.Seconds()).With("limitSec", l.MaxDuration)
}

// Longest returns the longest media that both the limits and the service permit. service is the
// service's own bound.
func Longest(l db.Limits, service time.Duration) time.Duration {
	if l.MaxDuration < 0 {
		return service
	}
	return min(time.Duration(l.MaxDuration)*time.Second, service)
}

// Refusal returns an error with the code and the message. The error links to the plan's page
// with higher limits, if the plan has one.
func Refusal(l db.Limits, code transcript.Code, message string) *transcript.Error {
	e := transcript.Errorf(code, "%s", message)
	e.ActionLabel, e.ActionURL, e.UpgradeURL = l.ActionLabel, l.ActionURL, l.ActionURL
	return e
}

// OfItems returns the limits for the items of a batch or a follow. Such items take no
// place for waiting recordings. If the plan has several slots, batches leave one slot to
// single requests.
func OfItems(plan account.Plan, now time.Time) db.Limits {
	l := Of(plan, now)
	l.ASRWaiting = 0
	if l.ASRConcurrency > 1 {
		l.ASRConcurrency--
	}
	return l
}
