package recognize

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/disks"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/language"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// downloads bring the sound of links.
type downloads struct{ *Steps }

// download brings the sound of a link into the task's folder.
func (d downloads) download(ctx context.Context, t step.Held, e *db.Work) (path string, err error) {
	sub := subject.OfWork(e)
	if d.Engine.Audio == nil {
		return "", transcript.Errorf(transcript.NotImplemented, "This service cannot download media.")
	}
	into := filepath.Join(t.Dir, "download")
	if err := os.Mkdir(into, 0o700); err != nil {
		return "", fmt.Errorf("recognize: making room for a download: %w", err)
	}
	sub.Login = true
	o := engine.AudioOptions{
		Known:   func(m transcript.Metadata) error { return d.keepMetadata(ctx, t, sub, m) },
		Private: func() error { return d.Moves.OwnWanted(ctx, t, d.Moves.KeepPrivate) },
	}
	if subject.Direct(sub.Content) {
		if o.MaxBytes, err = d.mostBytes(ctx, t); err != nil {
			return "", err
		}
	}
	path, err = d.downloadWithin(ctx, sub.Content, into, o)
	if !errors.Is(err, attempt.ErrUnwanted) && !errors.Is(err, intake.ErrTakenOver) {
		ask.CountVisit(ctx, d.Metrics, sub.Platform, metrics.Audio, false, err)
	}
	return path, err
}

// downloadWithin downloads while the disks have room for more.
func (d downloads) downloadWithin(ctx context.Context, c engine.Content, into string, o engine.AudioOptions) (string, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := int64(0) // when to look at the disks again
	o.Progress = func(done, total int64) {
		if done < next {
			return
		}
		next = done + disks.MeasureEvery
		if err := d.Disks.Room(total - done); err != nil {
			stop(err)
		}
	}
	path, err := d.Engine.Audio.Audio(ctx, c, into, o)
	if full := context.Cause(ctx); err != nil && errors.Is(full, db.ErrUnavailable) {
		return "", full
	}
	return path, err
}

// mostBytes is the largest file that any job of a direct link permits; 0: the source's own bound.
func (d downloads) mostBytes(ctx context.Context, t step.Held) (most int64, err error) {
	err = d.Moves.Own(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Work) error {
		jobs, err := tx.Jobs.LockRunning(ctx, e.ID)
		most = 0
		for _, c := range jobs {
			if c.Limits.MaxBytes < 0 {
				most = 0
				break
			}
			most = max(most, c.Limits.MaxBytes)
		}
		return err
	})
	return most, err
}

// keepMetadata stores the platform's description before a download, and refuses a
// content that is too long by it. Content that no job may have is not downloaded.
func (d downloads) keepMetadata(ctx context.Context, t step.Held, sub subject.Subject, m transcript.Metadata) error {
	m = ask.TidyMetadata(m)
	if m.Duration > d.MaxMediaDuration.Seconds() {
		return d.tooLong()
	}
	return d.Moves.OwnWanted(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Work) error {
		if err := tx.Works.SetMetadata(ctx, e.ID, m); err != nil {
			return err
		}
		if err := tx.Library.DescribeJobs(ctx, e, m); err != nil {
			return err
		}
		if !language.HasCaptions(sub.Platform) && e.Owner == "" {
			c := &db.Content{Platform: sub.Platform, ExternalID: sub.ExternalID, Metadata: m, AskedAt: time.Now()}
			if err := tx.Contents.Put(ctx, c); err != nil {
				return err
			}
		}
		return d.Moves.AdmitSound(ctx, tx, e, limits.Claimed(m.Duration))
	})
}
