package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// PlayingType is the media type of the copies of recordings for playing.
const PlayingType = "audio/webm"

// A recording of at most smallRecording bytes needs no copy if its type is one that browsers play.
const smallRecording = 1 << 20

// playable reports whether browsers play the files of a type.
func playable(media string) bool {
	return slices.Contains([]string{"audio/mpeg", "audio/mp4", "audio/ogg", "audio/webm", "audio/wav", "audio/flac", "audio/aac"}, media)
}

// playingAttempts is how often a copy for playing is tried. Without a copy, browsers play the
// recording as it was sent.
const playingAttempts = 8

// playingArgs is the step that makes the copy of a recording for playing.
type playingArgs struct {
	Account    string `json:"account"`
	ExternalID string `json:"externalId"`
}

func (playingArgs) Kind() string  { return "playing_copy" }
func (playingArgs) Queue() string { return queuePlaying }

// copyForPlaying makes the copy of a recording for playing, unless the recording has gone, has a
// copy, or needs none. A step that was interrupted leaves at most a blob for the sweep.
func (p *processor) copyForPlaying(ctx context.Context, w db.Work, step playingArgs) error {
	media, ok := p.engine.Media.(engine.PlayingMedia)
	if !ok {
		return nil
	}
	ctx = db.Unhurried(ctx)
	r, err := p.store.Recordings.Of(ctx, step.Account, step.ExternalID, time.Now())
	if errors.Is(err, db.ErrNotFound) || err == nil && (r.CopyKey != "" || r.Bytes <= smallRecording && playable(r.ContentType)) {
		return nil
	}
	if err == nil {
		err = p.makePlayingCopy(ctx, media, r)
	}
	var refused *transcript.Error
	if err != nil && ctx.Err() == nil && (errors.As(err, &refused) || w.Attempt >= playingAttempts) {
		p.log.WarnContext(ctx, "a recording has no copy for playing: browsers play the file as it was sent", "recording", step.ExternalID, "err", err)
		return nil
	}
	return err
}

func (p *processor) makePlayingCopy(ctx context.Context, media engine.PlayingMedia, r *db.Recording) (err error) {
	if err := p.disks.Room(2 * r.Bytes); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(p.cfg.Dir, "playing-")
	if err != nil {
		return fmt.Errorf("pipeline: making a scratch directory: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	in, err := p.audio.Load(ctx, r.MediaKey, db.UploadSum(r.ExternalID), dir)
	if err != nil {
		return err
	}
	out := filepath.Join(dir, "copy.webm")
	if err := media.PlayingCopy(ctx, in, out, p.cfg.MaxMediaDuration+overshoot); err != nil {
		return err
	}
	return p.keepPlayingCopy(ctx, r, out)
}

// keepPlayingCopy stores a copy, unless the recording itself is smaller and can be played.
func (p *processor) keepPlayingCopy(ctx context.Context, r *db.Recording, path string) (err error) {
	made, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("pipeline: opening a copy for playing: %w", err)
	}
	defer func() { err = errors.Join(err, made.Close()) }()
	info, err := made.Stat()
	if err != nil || info.Size() >= r.Bytes && playable(r.ContentType) {
		return err
	}
	stored, err := p.store.Blobs.Put(ctx, db.PlayingPrefix+uuid.NewString(), func(w io.Writer) error {
		_, err := io.Copy(w, made)
		return err
	})
	if err != nil {
		return err
	}
	r.CopyKey, r.CopyBytes = stored.Key, stored.Size
	var used bool
	err = p.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		used, err = tx.Recordings.SetCopy(ctx, r)
		return err
	})
	if !used && !errors.Is(err, db.ErrUncertain) {
		p.audio.DeleteBlobs(context.WithoutCancel(ctx), stored.Key)
	}
	return err
}
