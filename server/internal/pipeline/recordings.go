package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/librarysize"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The blob of an upload becomes a recording when the work on it succeeds, or when the cache has
// its text. Until then the extraction promises the recording. The blob stays in its place.

// promise has running work keep its upload at its end for as long as a request wants. The bytes of
// the request's own upload are the same, so that upload is not needed.
func (p *Pipeline) promise(ctx context.Context, tx *db.Tx, e *db.Extraction, s Submission) error {
	wanted := int64(s.KeepMedia / time.Second)
	if wanted <= e.KeepMedia {
		return nil
	}
	e.MediaType, e.MediaBytes, e.KeepMedia = s.Upload.mediaType, s.Upload.Size, wanted
	return tx.Extractions.SetKeepMedia(ctx, e)
}

// keepReceived keeps the upload of a request that the cache answers.
func (p *Pipeline) keepReceived(ctx context.Context, tx *db.Tx, s Submission) (used bool, err error) {
	if s.KeepMedia == 0 {
		return false, nil
	}
	return keepRecording(ctx, tx, &db.Recording{
		Account: s.Account, ExternalID: s.Upload.ExternalID(), MediaKey: s.Upload.Key,
		Title: uploadTitle(s.Upload.Name), ContentType: s.Upload.mediaType, Bytes: s.Upload.Size, Until: time.Now().Add(s.KeepMedia),
	})
}

// keepPromised keeps the upload of an extraction that succeeds, if its account wants that.
func keepPromised(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
	if e.KeepMedia == 0 {
		return nil
	}
	_, err := keepRecording(ctx, tx, &db.Recording{
		Account: e.Owner, ExternalID: e.ExternalID, MediaKey: e.MediaKey,
		Title: e.Metadata.Title, ContentType: e.MediaType, Bytes: e.MediaBytes, Until: time.Now().Add(time.Duration(e.KeepMedia) * time.Second),
	})
	return err
}

// keepRecording keeps a recording, and has a copy for playing made of it.
func keepRecording(ctx context.Context, tx *db.Tx, r *db.Recording) (bool, error) {
	kept, err := tx.Recordings.Keep(ctx, r)
	if err != nil || !kept {
		return false, err
	}
	return true, tx.Enqueue(ctx, playingArgs{Account: r.Account, ExternalID: r.ExternalID})
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

// sniffed is how many bytes of an upload tell its type.
const sniffed = 512

// sniff finds out what an upload is by its first bytes.
func (p *Pipeline) sniff(ctx context.Context, u *Upload) error {
	r, err := p.store.Blobs.Range(ctx, u.Key, 0, sniffed)
	if err != nil {
		return fmt.Errorf("pipeline: looking at an upload: %w", err)
	}
	head, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil {
		return fmt.Errorf("pipeline: looking at an upload: %w", err)
	}
	u.mediaType = SniffMedia(head)
	return nil
}

// Recording returns the recording of an upload that an account keeps. NO_TRANSCRIPT if the account
// keeps none, even if another account keeps the same file.
func (l *Library) Recording(ctx context.Context, account, externalID string) (*db.Recording, error) {
	r, err := l.store.Recordings.Of(ctx, account, externalID, time.Now())
	if err != nil {
		return nil, recordingError("reading a recording", err)
	}
	return r, nil
}

// Media describes the recording that an account keeps of a content; nil: it keeps none.
func (l *Library) Media(ctx context.Context, account string, p transcript.Platform, externalID string) (*transcript.Recording, error) {
	return mediaOf(ctx, l.store.Reader, account, p, externalID)
}

func mediaOf(ctx context.Context, r db.Reader, account string, p transcript.Platform, externalID string) (*transcript.Recording, error) {
	if p != transcript.Upload {
		return nil, nil //nolint:nilnil // only uploads have recordings
	}
	kept, err := r.Recordings.Of(ctx, account, externalID, time.Now())
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil //nolint:nilnil // the account keeps none
	}
	if err != nil {
		return nil, fmt.Errorf("pipeline: reading a recording: %w", err)
	}
	return &transcript.Recording{ContentType: kept.ContentType, Bytes: kept.Bytes, Until: transcript.At(kept.Until)}, nil
}

// Kept returns how many recordings an account keeps, and their bytes.
func (l *Library) Kept(ctx context.Context, account string) (db.KeptMedia, error) {
	kept, err := l.store.Recordings.Kept(ctx, account, time.Now())
	if err != nil {
		return kept, fmt.Errorf("pipeline: counting recordings: %w", err)
	}
	return kept, nil
}

// Bytes returns how many bytes the texts of an account take.
func (l *Library) Bytes(ctx context.Context, account string) (int64, error) {
	return librarysize.Of(ctx, l.store.SQL().Reader(), account)
}

// OpenRecording opens length bytes of a file of a recording. The caller closes the reader.
func (l *Library) OpenRecording(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	r, err := l.store.Blobs.Range(ctx, key, offset, length)
	if errors.Is(err, blobs.ErrNotFound) {
		return nil, errNoRecording().Because(err)
	}
	return r, err
}

// RemoveRecording deletes the recording of an upload that an account keeps. The text stays. The
// error is NO_TRANSCRIPT as in Recording.
func (l *Library) RemoveRecording(ctx context.Context, account, externalID string) error {
	var keys []string
	err := l.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		c := engine.Content{Platform: transcript.Upload, ExternalID: externalID}
		if err := lockSubmissions(ctx, tx, account, c); err != nil {
			return err
		}
		keys, err = tx.Recordings.Delete(ctx, account, externalID, time.Now())
		return err
	})
	if err != nil {
		return recordingError("deleting a recording", err)
	}
	l.audio.DeleteBlobs(context.WithoutCancel(ctx), keys...)
	return nil
}

// RemoveWithText removes the recording of an upload whose last text a transaction has removed, and
// returns the keys of its blobs.
func RemoveWithText(ctx context.Context, tx *db.Tx, account string, key library.Key) ([]string, error) {
	if key.Platform != transcript.Upload {
		return nil, nil
	}
	return tx.Recordings.DeleteWithText(ctx, account, key.ExternalID)
}

func recordingError(doing string, err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return errNoRecording()
	}
	return fmt.Errorf("pipeline: %s: %w", doing, err)
}

func errNoRecording() *transcript.Error {
	return transcript.Errorf(transcript.NoTranscript, "Your library keeps no recording of this upload.")
}
