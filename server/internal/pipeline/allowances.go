package pipeline

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// An account has transcripts and minutes for a period. A claim holds what it may come
// to cost: a transcript from its making on, the minutes of its sound as soon as its
// length is known. At its end it pays that, or some of it, or nothing: see settle.

// reserve sets aside the transcript of a new claim. In every transaction the usage of
// accounts is changed last, so that none waits for another crosswise.
func reserve(ctx context.Context, tx *db.Tx, job *db.Job) error {
	ok, err := tx.Allowances.Reserve(ctx, job, db.Allowance{Transcripts: 1, Minutes: job.Held.Minutes})
	if err != nil || ok {
		return err
	}
	u, err := tx.Allowances.Usage(ctx, job.Account, job.Limits.Period)
	if err != nil {
		return err
	}
	return limits.TranscriptsUsedUp(job.Limits, u)
}

// payUp has ended claims pay for what they got, and gives back the rest. Those that
// end for nobody pay nothing.
func payUp(ctx context.Context, tx *db.Tx, ended []db.Job, end db.End, heard time.Duration, forNobody []string) error {
	slices.SortFunc(ended, byAccount)
	for i := range ended {
		claim := &ended[i]
		pays := price(claim.Held, end, heard)
		if slices.Contains(forNobody, claim.ID) {
			pays = db.Allowance{}
		}
		if err := tx.Allowances.Settle(ctx, claim, pays); err != nil {
			return err
		}
	}
	return nil
}

// byAccount is the order in which a transaction changes the usage of several accounts.
func byAccount(a, b db.Job) int { return strings.Compare(a.Account, b.Account) }

// price is what a claim pays that ends: all that it holds for a text that was made for
// it, and when it is canceled the minutes that were recognized by then.
func price(held db.Allowance, end db.End, heard time.Duration) db.Allowance {
	switch {
	case end.Status == transcript.JobSuccess && !end.Cached:
		return held
	case end.Status == transcript.JobCancelled:
		return db.Allowance{Minutes: min(limits.Lasting(heard).Minutes(), held.Minutes)}
	}
	return db.Allowance{}
}

// heard is how much of an extraction's sound has been recognized, where an end asks
// for that.
func heard(ctx context.Context, tx *db.Tx, extraction string, end db.End) (time.Duration, error) {
	if end.Status != transcript.JobCancelled {
		return 0, nil
	}
	chunks, err := tx.Chunks.CutList(ctx, extraction)
	if err != nil {
		return 0, err
	}
	var sum float64
	for _, c := range chunks {
		if c.Done && !c.Silent {
			sum += c.Duration
		}
	}
	return time.Duration(sum * float64(time.Second)), nil
}
