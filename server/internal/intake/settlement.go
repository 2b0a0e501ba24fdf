package intake

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// An account has transcripts and minutes for a period. A job reserves its highest
// possible cost: a transcript when the job is made, and the minutes of the sound as soon
// as the length is known. When the job ends, it pays all, a part or nothing of this: see
// settle.

// PayUp is the Listener that makes ended jobs pay for their results, and returns the rest. The
// jobs in ForNobody pay nothing.
func PayUp(ctx context.Context, tx *db.Tx, told *Ended) error {
	slices.SortFunc(told.Jobs, byAccount)
	for i := range told.Jobs {
		job := &told.Jobs[i]
		pays := price(job.Reserved, told.End, told.heard)
		if slices.Contains(told.ForNobody, job.ID) {
			pays = db.Allowance{}
		}
		if err := tx.Allowances.Settle(ctx, job, pays); err != nil {
			return err
		}
	}
	return nil
}

// byAccount is the order in which a transaction changes the usage of several accounts.
func byAccount(a, b db.Job) int { return strings.Compare(a.Account, b.Account) }

// price returns what an ended job pays: the whole reservation for a new text, and for
// a canceled job the minutes that were recognized by then.
func price(reserved db.Allowance, end db.End, heard time.Duration) db.Allowance {
	switch {
	case end.Status == transcript.JobSuccess && !end.Cached:
		return reserved
	case end.Status == transcript.JobCancelled:
		return db.Allowance{Minutes: min(limits.Lasting(heard).Minutes(), reserved.Minutes)}
	}
	return db.Allowance{}
}

// heard returns how much of the work's sound has been recognized, if an end needs this.
func heard(ctx context.Context, tx *db.Tx, work string, end db.End) (time.Duration, error) {
	if end.Status != transcript.JobCancelled {
		return 0, nil
	}
	chunks, err := tx.Chunks.CutList(ctx, work)
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
