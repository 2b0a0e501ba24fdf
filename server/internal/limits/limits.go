// Package limits holds what a plan permits against what a request takes: the length of a
// sound, transcripts and minutes of recognition.
package limits

import (
	"math"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// A claim carries the limits of the plan under which it was accepted: a step reads
// them there and never asks who the caller was. Claims on one extraction may have
// different limits. Each is judged by its own and ends alone if they do not permit
// what is to be done; the work goes on as far as the widest of those left permit.

// sharedTurn begins the name of a turn that the accounts of a plan share. The name of an
// account that an operator makes has no colon.
const sharedTurn = "plan:"

// limitsOf are those of a plan, for what is accepted now.
func Of(plan account.Plan, now time.Time) db.Limits {
	limits := db.Limits{
		ASR:            plan.Recognizes(),
		MaxDuration:    int64(plan.MaxDuration / time.Second),
		Period:         plan.Period(now).Start,
		Transcripts:    plan.TranscriptsPerPeriod,
		ASRMinutes:     plan.ASRMinutesPerPeriod,
		ASRConcurrency: plan.ASRConcurrency,
		ASRWaiting:     plan.ASRWaiting,
		ActionLabel:    plan.ActionLabel,
		ActionURL:      plan.ActionURL,
	}
	if plan.SharedTurn {
		limits.Turn = sharedTurn + plan.Name
	}
	if plan.MaxDuration == account.Unlimited {
		limits.MaxDuration = account.Unlimited
	}
	return limits
}

// tooLongFor refuses a sound that is longer than limits permit; nil: it is not.
func TooLong(l db.Limits, sound Sound) *transcript.Error {
	if sound.Least <= Longest(l, math.MaxInt64) {
		return nil
	}
	e := Refusal(l, transcript.VideoTooLong, "The media is longer than the "+transcript.LengthText(int(l.MaxDuration))+" that the plan includes.")
	return e.With("durationSec", sound.Seconds()).With("limitSec", l.MaxDuration)
}

// longestFor is the longest media that limits permit, and the service.
func Longest(l db.Limits, service time.Duration) time.Duration {
	if l.MaxDuration < 0 {
		return service
	}
	return min(time.Duration(l.MaxDuration)*time.Second, service)
}

// overPlan is the refusal of what limits do not permit, with where there is more.
func Refusal(l db.Limits, code transcript.Code, message string) *transcript.Error {
	e := transcript.Errorf(code, "%s", message)
	e.ActionLabel, e.ActionURL, e.UpgradeURL = l.ActionLabel, l.ActionURL, l.ActionURL
	return e
}
