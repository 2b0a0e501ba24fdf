package retention

import (
	"context"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// litterAge is the age from which a blob without a row is considered left over.
const litterAge = 24 * time.Hour

// sweepBlobs removes the blobs under "uploads/", "audio/" and "playing/" that are older than
// litterAge if no running work and no unfinished upload needs them, no account keeps them, and no
// backup holds them. It measures the blobs that it keeps.
func sweepBlobs(ctx context.Context, s *db.Store) error {
	before := time.Now().Add(-litterAge)
	for _, prefix := range []string{db.UploadPrefix, db.AudioPrefix, db.PlayingPrefix} {
		var left int64 // bytes
		err := s.Blobs.Each(ctx, prefix, func(b blobs.Listed) error {
			swept, err := sweepBlob(ctx, s, b, before)
			if err == nil && !swept {
				left += b.Size
			}
			return err
		})
		if err == nil {
			err = s.Measure(ctx, strings.TrimSuffix(prefix, "/"), left)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sweepBlob removes a blob that is left over.
func sweepBlob(ctx context.Context, s *db.Store, b blobs.Listed, before time.Time) (swept bool, err error) {
	if !b.ChangedAt.Before(before) {
		return false, nil
	}
	if used, err := s.Works.NeedMedia(ctx, b.Key); err != nil || used {
		return false, err
	}
	if held, err := s.BlobsHeld(ctx); err != nil || held {
		return false, err
	}
	return true, s.Blobs.Delete(ctx, b.Key)
}
