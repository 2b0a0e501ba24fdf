package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/labels"
	"github.com/transcriptkit/transcriptkit/server/internal/recordings"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The blob of an upload becomes a recording when the work on it succeeds, or when the cache has
// its text. Until then the work promises the recording. The blob is not moved.

// promise makes running work keep its upload at its end for as long as a request wants. The bytes
// of the request's own upload are the same, so that upload is not needed.
func (i *Intake) promise(ctx context.Context, tx *db.Tx, e *db.Work, o order) error {
	wanted := int64(o.KeepMedia / time.Second)
	if wanted <= e.KeepMedia {
		return nil
	}
	e.MediaType, e.MediaBytes, e.KeepMedia = o.file.MediaType, o.file.Size, wanted
	return tx.Works.SetKeepMedia(ctx, e)
}

// keepReceived keeps the upload of a request that the cache answers.
func (i *Intake) keepReceived(ctx context.Context, tx *db.Tx, o order, answer *hit) (used bool, err error) {
	if o.KeepMedia == 0 {
		return false, nil
	}
	return recordings.Keep(ctx, tx, &db.Recording{
		Account: o.Account, ExternalID: o.file.ExternalID(), MediaKey: o.file.Key,
		Title: labels.OfFile(o.file.Name), ContentType: o.file.MediaType, Bytes: o.file.Size, Until: time.Now().Add(o.KeepMedia),
	}, answer.Track())
}

// mayBeAdded refuses a file that is not the recording of the text that it is to be added to.
func (s Submission) mayBeAdded(file *File) error {
	if s.RecordingOf == "" || s.RecordingOf == file.ExternalID() {
		return nil
	}
	return transcript.Errorf(transcript.UploadInvalid, "This is another recording: the text was made of a file with another content. Nothing was added, and nothing was transcribed.").
		With("externalId", file.ExternalID())
}

// checkRoom refuses a request after which the account would keep more bytes than its plan permits.
// e is the running work on the same upload; nil if there is none.
func (o order) checkRoom(ctx context.Context, tx *db.Tx, e *db.Work) error {
	most := o.Plan.MaxKeptMediaBytes
	if o.KeepMedia == 0 || most == account.Unlimited || e != nil && e.KeepMedia > 0 {
		return nil
	}
	if err := tx.Recordings.LockAccount(ctx, o.Account); err != nil {
		return err
	}
	now := time.Now()
	if _, err := tx.Recordings.Of(ctx, o.Account, o.file.ExternalID(), now); !errors.Is(err, db.ErrNotFound) {
		return err // the file is already kept
	}
	kept, err := tx.Recordings.Kept(ctx, o.Account, now)
	if err != nil {
		return err
	}
	promised, err := tx.Recordings.Promised(ctx, o.Account)
	if err != nil || kept.Bytes+promised+o.file.Size <= most {
		return err
	}
	refusal := o.Plan.UpgradeRequired(fmt.Sprintf("The plan keeps %s of recordings, and this one has no room any more: delete another recording, or send this file without keeping it.",
		humanize.IBytes(uint64(most))))
	return refusal.With("usedBytes", kept.Bytes+promised).With("limitBytes", most)
}
