// Package recordings keeps the files of uploads for accounts that want this, and makes small
// copies of them for playing.
package recordings

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Keep keeps a recording, and starts the copy for playing of the audio track (0 means the usual
// one). It reports whether the account keeps the blob of r: see db.RecordingsTx.Keep.
func Keep(ctx context.Context, tx *db.Tx, r *db.Recording, track int) (bool, error) {
	kept, err := tx.Recordings.Keep(ctx, r)
	if err != nil || !kept {
		return false, err
	}
	return true, tx.Queue.Enqueue(ctx, playingArgs{Account: r.Account, ExternalID: r.ExternalID, Track: track})
}

// KeepPromised keeps the upload of work that succeeds, if its account wants this. text is the id of
// the transcript.
func KeepPromised(ctx context.Context, tx *db.Tx, e *db.Work, text string) error {
	if e.KeepMedia == 0 {
		return nil
	}
	sound, err := tx.Transcripts.Sound(ctx, text)
	if err != nil {
		return err
	}
	_, err = Keep(ctx, tx, &db.Recording{
		Account: e.Owner, ExternalID: e.ExternalID, MediaKey: e.MediaKey,
		Title: e.Metadata.Title, ContentType: e.MediaType, Bytes: e.MediaBytes, Until: time.Now().Add(time.Duration(e.KeepMedia) * time.Second),
	}, sound.Track())
	return err
}

// Of describes the recording that an account keeps of a content; nil if the account keeps
// none.
func Of(ctx context.Context, r db.Reader, account string, p transcript.Platform, externalID string) (*transcript.Recording, error) {
	if p != transcript.Upload {
		return nil, nil //nolint:nilnil // only uploads have recordings
	}
	kept, err := r.Recordings.Of(ctx, account, externalID, time.Now())
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil //nolint:nilnil // the account keeps none
	}
	if err != nil {
		return nil, fmt.Errorf("recordings: reading a recording: %w", err)
	}
	return &transcript.Recording{ContentType: kept.ContentType, Bytes: kept.Bytes, Until: transcript.At(kept.Until)}, nil
}

// RemoveWithText removes the recording of an upload whose last text a transaction has removed, and
// returns the keys of its blobs.
func RemoveWithText(ctx context.Context, tx *db.Tx, account string, key library.Key) ([]string, error) {
	if key.Platform != transcript.Upload {
		return nil, nil
	}
	return tx.Recordings.DeleteWithText(ctx, account, key.ExternalID)
}
