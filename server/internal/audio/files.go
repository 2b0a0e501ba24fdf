// Package audio stores the audio of work among the blobs: the uploaded or downloaded files,
// and the chunks that were cut from them.
package audio

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

	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Files are the audio of work. A Files is safe for concurrent use.
type Files struct {
	Store *db.Store
	Log   *slog.Logger
}

// prefix is the beginning of the keys of a work's chunks. There is no folder for each
// piece of work, because an empty folder would remain.
func prefix(workID string) string { return db.AudioPrefix + workID }

// ChunkKeys returns a function that names the chunks of one cut of a work's media. Every cut
// has its own names: a process that was considered dead and still cuts must not overwrite
// the chunks of another process.
func ChunkKeys(workID string) func(n int) string {
	cut := uuid.NewString()[:8]
	return func(n int) string { return fmt.Sprintf("%s-%s-%05d.wav", prefix(workID), cut, n) }
}

// Load copies a blob into dir and returns the path. sum is the beginning of the SHA-256
// of what was stored; nil means that it is not known. A blob that is missing or differs
// is an error.
func (f *Files) Load(ctx context.Context, key string, sum []byte, dir string) (path string, err error) {
	path = filepath.Join(dir, filepath.Base(key))
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", fmt.Errorf("audio: spooling blob %s: %w", key, err)
	}
	b, err := f.Store.Blobs.Read(ctx, key, file)
	switch err := errors.Join(err, file.Close()); {
	case errors.Is(err, blobs.ErrNotFound):
		return "", Damaged(err)
	case err != nil:
		return "", fmt.Errorf("audio: spooling: %w", err)
	case !bytes.HasPrefix(b.SHA256[:], sum):
		return "", Damaged(fmt.Errorf("audio: blob %s, %d bytes, is not what was stored", key, b.Size))
	}
	return path, nil
}

// Damaged is the error of a job whose stored audio has changed. Its cause is for the log.
func Damaged(cause error) error {
	return transcript.Errorf(transcript.Internal, "The audio was lost or damaged in the service's storage. Please send the request again.").Because(cause)
}

// MayHave reports whether work that has ended may have audio. Work that has succeeded
// with captions has none.
func MayHave(e *db.Work) bool {
	return e.MediaKey != "" || e.State.Status != transcript.JobSuccess || e.Duration > 0
}

const (
	// Stays is how long the audio of work stays after its end: see db.WorksTx.LeaveAudio.
	// While the disks are nearly full, it stays for staysAtLeast.
	Stays        = time.Hour
	staysAtLeast = time.Minute
	// Look is the longest time between two searches for audio to remove.
	Look = time.Minute
)

// RemoveEnded removes the audio of work that ended at least stays ago, until ctx ends.
// look is the time between two searches. short reports whether the disks are nearly full.
func (f *Files) RemoveEnded(ctx context.Context, stays, look time.Duration, short func() bool) {
	for attempt.Sleep(ctx, look) {
		age := stays
		if short() {
			age = min(age, staysAtLeast)
		}
		if err := f.deleteEnded(db.Unhurried(ctx), age); err != nil && ctx.Err() == nil {
			f.Log.WarnContext(ctx, "the audio of work that has ended was left behind", "err", err)
		}
	}
}

// deleteEnded removes the audio of work that ended at least age ago. While a backup holds
// the blobs, all audio stays.
func (f *Files) deleteEnded(ctx context.Context, age time.Duration) error {
	for {
		ended, err := f.Store.WithAudio(ctx, age)
		if err != nil || len(ended) == 0 {
			return err
		}
		held, err := f.Store.BlobsHeld(ctx) // after the read: a backup that begins now holds what ended before
		if err != nil || held {
			return err
		}
		for i := range ended {
			if err := f.Store.AudioGoes(ctx, ended[i].ID); err != nil {
				return err
			}
			f.DeleteMedia(ctx, &ended[i])
		}
	}
}

// DeleteBlobs removes blobs that no row needs any more. If a blob cannot be removed now,
// the sweep removes it, so a failure is only logged.
func (f *Files) DeleteBlobs(ctx context.Context, keys ...string) {
	keys = slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return key == "" })
	if err := f.Store.DeleteBlobs(ctx, keys...); err != nil {
		f.Log.WarnContext(ctx, "blobs were left behind", "keys", keys, "err", err)
	}
}

// DeleteMedia removes all audio of work that has ended.
func (f *Files) DeleteMedia(ctx context.Context, e *db.Work) {
	if e.KeepMedia > 0 {
		f.deleteUnkept(ctx, e.MediaKey)
	} else {
		f.DeleteBlobs(ctx, e.MediaKey)
	}
	if e.State.Status != transcript.JobSuccess || e.Duration > 0 {
		f.DeleteChunks(ctx, e.ID)
	}
}

// deleteUnkept removes the blob of an upload, unless an account keeps the recording. If the
// database does not answer, the blob stays for the sweep.
func (f *Files) deleteUnkept(ctx context.Context, key string) {
	if key == "" {
		return
	}
	kept, err := f.Store.Recordings.MediaKept(ctx, key)
	switch {
	case err != nil:
		f.Log.WarnContext(ctx, "a blob was left behind", "key", key, "err", err)
	case !kept:
		f.DeleteBlobs(ctx, key)
	}
}

// DeleteChunks removes the audio of work's chunks.
func (f *Files) DeleteChunks(ctx context.Context, workID string) {
	f.DeletePrefix(ctx, prefix(workID))
}

// DeletePrefix removes the blobs whose keys begin with prefix.
func (f *Files) DeletePrefix(ctx context.Context, prefix string) {
	keys, err := f.Store.Blobs.Keys(ctx, prefix)
	if err != nil {
		f.Log.WarnContext(ctx, "blobs were left behind", "prefix", prefix, "err", err)
	}
	f.DeleteBlobs(ctx, keys...)
}
