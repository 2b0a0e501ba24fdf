package limits

import (
	"context"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// HasTranscript refuses an account that has no transcript left in the period of l. The error
// may also be an error of the database.
func HasTranscript(ctx context.Context, r db.Reader, account string, l db.Limits) error {
	u, err := r.Allowances.Usage(ctx, account, l.Period)
	if err != nil || l.Transcripts < 0 || u.Taken().Transcripts < l.Transcripts {
		return err
	}
	return TranscriptsUsedUp(l, u)
}

// HasMinutes refuses an account that has too few minutes of recognition left for the recording.
// The error may also be an error of the database.
func HasMinutes(ctx context.Context, r db.Reader, account string, l db.Limits, sound Sound) error {
	u, err := r.Allowances.Usage(ctx, account, l.Period)
	if err != nil || l.ASRMinutes < 0 || u.Taken().Minutes+sound.Minutes() <= l.ASRMinutes {
		return err
	}
	return MinutesUsedUp(l, u, sound)
}

// TranscriptsUsedUp is the refusal for an account without a transcript left.
func TranscriptsUsedUp(l db.Limits, u db.Usage) *transcript.Error {
	e := Refusal(l, transcript.TranscriptQuotaExceeded, "The transcripts that the plan includes are used up for this period.")
	return usedUp(e, l, u.Taken().Transcripts, l.Transcripts)
}

// MinutesUsedUp is the refusal for an account with too few minutes left for a recording.
func MinutesUsedUp(l db.Limits, u db.Usage, sound Sound) *transcript.Error {
	e := Refusal(l, transcript.ASRQuotaExceeded, "Too few of the plan's minutes of speech recognition are left in this period for this recording.")
	return usedUp(e, l, u.Taken().Minutes, l.ASRMinutes).With("neededMinutes", sound.Minutes())
}

// usedUp adds the used part of an allowance, its limit and the start of the next period to e.
func usedUp(e *transcript.Error, l db.Limits, used, limit int64) *transcript.Error {
	return e.With("used", used).With("limit", limit).With("periodEnd", transcript.At(l.Period.AddDate(0, 1, 0)))
}
