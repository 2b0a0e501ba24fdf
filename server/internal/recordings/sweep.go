package recordings

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// Sweep removes expired recordings: first their rows, then their blobs. A blob that remains is
// removed by the sweep of blobs. Sweep also measures the kept recordings.
func Sweep(ctx context.Context, s *db.Store, now time.Time) error {
	for more := true; more; {
		var keys []string
		err := s.InTx(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
			keys, more, err = tx.Recordings.DeleteEnded(ctx, now)
			return err
		})
		if err == nil {
			err = s.DeleteBlobs(ctx, keys...)
		}
		if err != nil {
			return err
		}
	}
	bytes, err := s.Recordings.Bytes(ctx)
	if err != nil {
		return err
	}
	return s.Measure(ctx, "recordings", bytes)
}
