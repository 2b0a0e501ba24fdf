package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// audio keeps the audio of extractions among the blobs.
type audio struct {
	store *db.Store
	log   *slog.Logger
}

// audioPrefix begins the keys of an extraction's chunks. There is no folder for
// each extraction, as an empty one would stay.
func audioPrefix(extractionID string) string { return db.AudioPrefix + extractionID }

// chunkKeys names the chunks of one cut of an extraction's media. Every cut has
// names of its own: a process that was taken for dead and still cuts must not
// write over what another has cut since.
func chunkKeys(extractionID string) func(n int) string {
	cut := uuid.NewString()[:8]
	return func(n int) string { return fmt.Sprintf("%s-%s-%05d.wav", audioPrefix(extractionID), cut, n) }
}

// loadBlob copies a blob into dir and returns the path. sum is the beginning of the
// SHA-256 of what was stored; nil: it is not known. A blob that is gone or differs is
// an error.
func (a *audio) loadBlob(ctx context.Context, key string, sum []byte, dir string) (path string, err error) {
	path = filepath.Join(dir, filepath.Base(key))
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", fmt.Errorf("pipeline: spooling blob %s: %w", key, err)
	}
	b, err := a.store.Blobs.Read(ctx, key, f)
	switch err := errors.Join(err, f.Close()); {
	case errors.Is(err, blobs.ErrNotFound):
		return "", damaged(err)
	case err != nil:
		return "", fmt.Errorf("pipeline: spooling: %w", err)
	case !bytes.HasPrefix(b.SHA256[:], sum):
		return "", damaged(fmt.Errorf("pipeline: blob %s, %d bytes, is not what was stored", key, b.Size))
	}
	return path, nil
}

func damaged(cause error) error {
	return transcript.Errorf(transcript.Internal, "The audio was lost or damaged in the service's storage. Please send the request again.").Because(cause)
}

// mayHaveAudio reports whether there may be audio of an extraction that has ended. Of one that
// has succeeded with captions there is none.
func mayHaveAudio(e *db.Extraction) bool {
	return e.MediaKey != "" || e.State != done || e.Duration > 0
}

// The audio of an extraction stays for audioStays after its end, or for audioStaysAtLeast while the
// disks are short: see db.ExtractionsTx.LeaveAudio.
const (
	audioStays        = time.Hour
	audioStaysAtLeast = time.Minute
	audioLook         = time.Minute
)

// keepForLost removes the audio of extractions that have ended stays ago, until ctx ends.
func (a *audio) keepForLost(ctx context.Context, stays, look time.Duration, disks *Disks) {
	for sleep(ctx, look) {
		age := stays
		if disks.short() {
			age = min(age, audioStaysAtLeast)
		}
		if err := a.deleteEnded(db.Unhurried(ctx), age); err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "the audio of work that has ended was left behind", "err", err)
		}
	}
}

// deleteEnded removes the audio of extractions that have ended at least age ago. While a backup
// holds the blobs, all audio stays.
func (a *audio) deleteEnded(ctx context.Context, age time.Duration) error {
	for {
		held, err := a.store.BlobsHeld(ctx)
		if err != nil || held {
			return err
		}
		ended, err := a.store.WithAudio(ctx, age)
		if err != nil || len(ended) == 0 {
			return err
		}
		for i := range ended {
			if err := a.store.AudioGoes(ctx, ended[i].ID); err != nil {
				return err
			}
			a.deleteMedia(ctx, &ended[i])
		}
	}
}

// deleteBlobs removes blobs that no row needs any more. The sweep removes the blobs that
// cannot be removed now, so a failure is only logged.
func (a *audio) deleteBlobs(ctx context.Context, keys ...string) {
	keys = slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return key == "" })
	if err := a.store.DeleteBlobs(ctx, keys...); err != nil {
		a.log.WarnContext(ctx, "blobs were left behind", "keys", keys, "err", err)
	}
}

// deleteMedia removes all audio of an extraction that has ended.
func (a *audio) deleteMedia(ctx context.Context, e *db.Extraction) {
	if e.KeepMedia > 0 {
		a.deleteUnkept(ctx, e.MediaKey)
	} else {
		a.deleteBlobs(ctx, e.MediaKey)
	}
	if e.State != done || e.Duration > 0 {
		a.deleteChunks(ctx, e.ID)
	}
}

// deleteUnkept removes the blob of an upload, unless an account keeps the recording. If the
// database does not answer, the blob stays for the sweep.
func (a *audio) deleteUnkept(ctx context.Context, key string) {
	if key == "" {
		return
	}
	kept, err := a.store.Recordings.MediaKept(ctx, key)
	switch {
	case err != nil:
		a.log.WarnContext(ctx, "a blob was left behind", "key", key, "err", err)
	case !kept:
		a.deleteBlobs(ctx, key)
	}
}

// deleteChunks removes the audio of an extraction's chunks.
func (a *audio) deleteChunks(ctx context.Context, extractionID string) {
	a.deletePrefix(ctx, audioPrefix(extractionID))
}

// deletePrefix removes the blobs whose keys begin with prefix.
func (a *audio) deletePrefix(ctx context.Context, prefix string) {
	keys, err := a.store.Blobs.Keys(ctx, prefix)
	if err != nil {
		a.log.WarnContext(ctx, "blobs were left behind", "prefix", prefix, "err", err)
	}
	a.deleteBlobs(ctx, keys...)
}
