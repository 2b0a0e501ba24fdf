package recordings

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/audio"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/disks"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// PlayingType is the media type of the copies of recordings for playing.
const PlayingType = "audio/webm"

// A recording of at most smallRecording bytes needs no copy if browsers can play its type.
const smallRecording = 1 << 20

// playable reports whether browsers play the files of a type.
func playable(media string) bool {
	return slices.Contains([]string{"audio/mpeg", "audio/mp4", "audio/ogg", "audio/webm", "audio/wav", "audio/flac", "audio/aac"}, media)
}

// playingAttempts is the largest number of attempts to make a copy for playing. Without a
// copy, browsers play the original recording.
const playingAttempts = 8

// Queue is the queue of the copies for playing.
const Queue = "playing"

// Timeout limits the making of a copy.
const Timeout = 2 * time.Hour

// overshoot is how much longer than the longest recording a copy may be, because a recording may
// be that much longer than its container says.
const overshoot = time.Second

// Copies makes the copies for playing.
type Copies struct {
	Media engine.PlayingMedia // nil if this process makes none
	Store *db.Store
	Audio *audio.Files
	Disks *disks.Disks
	Log   *slog.Logger
	Dir   string // for scratch files
	// MaxDuration is the longest recording.
	MaxDuration time.Duration
}

// playingArgs is the step that makes the copy of a recording for playing.
type playingArgs struct {
	Account    string `json:"account"`
	ExternalID string `json:"externalId"`
	Track      int    `json:"track,omitempty"` // the number of the audio track, from 1; 0 means the usual one
}

func (playingArgs) Kind() string  { return "playing_copy" }
func (playingArgs) Queue() string { return Queue }

// Run makes the copy of a recording for playing, unless the recording was deleted,
// already has a copy, or needs none. A step that was interrupted leaves at most a blob
// for the sweep.
func (c *Copies) Run(ctx context.Context, w queue.Row, step playingArgs) error {
	if c.Media == nil {
		return nil
	}
	ctx = db.Unhurried(ctx)
	r, err := c.Store.Recordings.Of(ctx, step.Account, step.ExternalID, time.Now())
	if errors.Is(err, db.ErrNotFound) || err == nil && (r.CopyKey != "" || r.Bytes <= smallRecording && playable(r.ContentType)) {
		return nil
	}
	if err == nil {
		err = c.make(ctx, r, step.Track)
	}
	var refused *transcript.Error
	if err != nil && ctx.Err() == nil && (errors.As(err, &refused) || w.Attempt >= playingAttempts) {
		c.Log.WarnContext(ctx, "a recording has no copy for playing: browsers play the file as it was sent", "recording", step.ExternalID, "err", err)
		return nil
	}
	return err
}

func (c *Copies) make(ctx context.Context, r *db.Recording, track int) (err error) {
	if err := c.Disks.Room(2 * r.Bytes); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(c.Dir, "playing-")
	if err != nil {
		return fmt.Errorf("recordings: making a scratch directory: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	in, err := c.Audio.Load(ctx, r.MediaKey, db.UploadSum(r.ExternalID), dir)
	if err != nil {
		return err
	}
	out := filepath.Join(dir, "copy.webm")
	if err := c.Media.PlayingCopy(ctx, in, out, track, c.MaxDuration+overshoot); err != nil {
		return err
	}
	return c.keep(ctx, r, out)
}

// keep stores a copy, unless the recording itself is smaller and can be played.
func (c *Copies) keep(ctx context.Context, r *db.Recording, path string) (err error) {
	made, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("recordings: opening a copy for playing: %w", err)
	}
	defer func() { err = errors.Join(err, made.Close()) }()
	info, err := made.Stat()
	if err != nil || info.Size() >= r.Bytes && playable(r.ContentType) {
		return err
	}
	stored, err := c.Store.Blobs.Put(ctx, db.PlayingPrefix+uuid.NewString(), func(w io.Writer) error {
		_, err := io.Copy(w, made)
		return err
	})
	if err != nil {
		return err
	}
	r.CopyKey, r.CopyBytes = stored.Key, stored.Size
	var used bool
	err = c.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		used, err = tx.Recordings.SetCopy(ctx, r)
		return err
	})
	if !used && !errors.Is(err, db.ErrUncertain) {
		c.Audio.DeleteBlobs(context.WithoutCancel(ctx), stored.Key)
	}
	return err
}
