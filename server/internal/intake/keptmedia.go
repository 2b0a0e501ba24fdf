package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/recordings"
)

// The blob of an upload becomes a recording when the work on it succeeds, or when the cache has
// its text. Until then the extraction promises the recording. The blob stays in its place.

// promise has running work keep its upload at its end for as long as a request wants. The bytes of
// the request's own upload are the same, so that upload is not needed.
func (i *Intake) promise(ctx context.Context, tx *db.Tx, e *db.Extraction, s Submission) error {
	wanted := int64(s.KeepMedia / time.Second)
	if wanted <= e.KeepMedia {
		return nil
	}
	e.MediaType, e.MediaBytes, e.KeepMedia = s.Upload.MediaType, s.Upload.Size, wanted
	return tx.Extractions.SetKeepMedia(ctx, e)
}

// keepReceived keeps the upload of a request that the cache answers.
func (i *Intake) keepReceived(ctx context.Context, tx *db.Tx, s Submission) (used bool, err error) {
	if s.KeepMedia == 0 {
		return false, nil
	}
	return recordings.Keep(ctx, tx, &db.Recording{
		Account: s.Account, ExternalID: s.Upload.ExternalID(), MediaKey: s.Upload.Key,
		Title: uploadTitle(s.Upload.Name), ContentType: s.Upload.MediaType, Bytes: s.Upload.Size, Until: time.Now().Add(s.KeepMedia),
	})
}

// checkRoom refuses a request after which the account would keep more bytes than its plan permits.
// e is the running work on the same upload; nil: there is none.
func (s Submission) checkRoom(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
	most := s.Plan.MaxKeptMediaBytes
	if s.KeepMedia == 0 || most == account.Unlimited || e != nil && e.KeepMedia > 0 {
		return nil
	}
	if err := tx.Recordings.LockAccount(ctx, s.Account); err != nil {
		return err
	}
	now := time.Now()
	if _, err := tx.Recordings.Of(ctx, s.Account, s.Upload.ExternalID(), now); !errors.Is(err, db.ErrNotFound) {
		return err // the file is kept already
	}
	kept, err := tx.Recordings.Kept(ctx, s.Account, now)
	if err != nil {
		return err
	}
	promised, err := tx.Recordings.Promised(ctx, s.Account)
	if err != nil || kept.Bytes+promised+s.Upload.Size <= most {
		return err
	}
	refusal := s.Plan.UpgradeRequired(fmt.Sprintf("The plan keeps %s of recordings, and this one has no room any more: delete another recording, or send this file without keeping it.",
		humanize.IBytes(uint64(most))))
	return refusal.With("usedBytes", kept.Bytes+promised).With("limitBytes", most)
}
