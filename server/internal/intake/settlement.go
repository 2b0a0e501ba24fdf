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

// An account has transcripts and minutes for a period. A claim reserves its highest
// possible cost: a transcript when the claim is made, and the minutes of the sound as
// soon as the length is known. At its end the claim pays all, some or nothing of this:
// see settle.

// PayUp is the Listener that has ended claims pay for their results, and gives back the rest. The
// claims in ForNobody pay nothing.
func PayUp(ctx context.Context, tx *db.Tx, told *Ended) error {
	slices.SortFunc(told.Jobs, byAccount)
	for i := range told.Jobs {
		claim := &told.Jobs[i]
		pays := price(claim.Reserved, told.End, told.heard)
		if slices.Contains(told.ForNobody, claim.ID) {
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

// price returns what an ended claim pays: the whole reservation for a new text, and for
// a canceled claim the minutes that were recognized by then.
func price(reserved db.Allowance, end db.End, heard time.Duration) db.Allowance {
	switch {
	case end.Status == transcript.JobSuccess && !end.Cached:
		return reserved
	case end.Status == transcript.JobCancelled:
		return db.Allowance{Minutes: min(limits.Lasting(heard).Minutes(), reserved.Minutes)}
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
