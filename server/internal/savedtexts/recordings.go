package savedtexts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/librarysize"
	"github.com/transcriptkit/transcriptkit/server/internal/recordings"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Recording returns the recording of an upload that an account keeps. The error is NO_TRANSCRIPT
// if the account keeps none, even if another account keeps the same file.
func (l *Library) Recording(ctx context.Context, account, externalID string) (*db.Recording, error) {
	r, err := l.Store.Recordings.Of(ctx, account, externalID, time.Now())
	if err != nil {
		return nil, recordingError("reading a recording", err)
	}
	return r, nil
}

// Media describes the recording that an account keeps of a content; nil if it keeps none.
func (l *Library) Media(ctx context.Context, account string, p transcript.Platform, externalID string) (*transcript.Recording, error) {
	return recordings.Of(ctx, l.Store.Reader, account, p, externalID)
}

// Kept returns how many recordings an account keeps, and their bytes.
func (l *Library) Kept(ctx context.Context, account string) (db.KeptMedia, error) {
	kept, err := l.Store.Recordings.Kept(ctx, account, time.Now())
	if err != nil {
		return kept, fmt.Errorf("savedtexts: counting recordings: %w", err)
	}
	return kept, nil
}

// Bytes returns the size of an account's texts.
func (l *Library) Bytes(ctx context.Context, account string) (int64, error) {
	return librarysize.Of(ctx, l.Store.SQL().Reader(), account)
}

// OpenRecording opens length bytes of a file of a recording. The caller closes the reader.
func (l *Library) OpenRecording(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	r, err := l.Store.Blobs.Range(ctx, key, offset, length)
	if errors.Is(err, blobs.ErrNotFound) {
		return nil, errNoRecording().Because(err)
	}
	return r, err
}

// RemoveRecording deletes the recording of an upload that an account keeps. The text stays. The
// error is NO_TRANSCRIPT as in Recording.
func (l *Library) RemoveRecording(ctx context.Context, account, externalID string) error {
	var keys []string
	err := l.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		c := engine.Content{Platform: transcript.Upload, ExternalID: externalID}
		if err := tx.LockSubmissions(ctx, account, c); err != nil {
			return err
		}
		keys, err = tx.Recordings.Delete(ctx, account, externalID, time.Now())
		return err
	})
	if err != nil {
		return recordingError("deleting a recording", err)
	}
	l.Audio.DeleteBlobs(context.WithoutCancel(ctx), keys...)
	return nil
}

func recordingError(doing string, err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return errNoRecording()
	}
	return fmt.Errorf("savedtexts: %s: %w", doing, err)
}

func errNoRecording() *transcript.Error {
	return transcript.Errorf(transcript.NoTranscript, "Your library keeps no recording of this upload.")
}
