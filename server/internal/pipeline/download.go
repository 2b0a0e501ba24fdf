package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/follow"
	"github.com/transcriptkit/transcriptkit/server/internal/language"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// download brings the sound of a link into the task's folder.
func (p *processor) download(ctx context.Context, t task, e *db.Extraction) (path string, err error) {
	sub := subject.OfExtraction(e)
	if p.engine.Audio == nil {
		return "", transcript.Errorf(transcript.NotImplemented, "This service cannot download media.")
	}
	into := filepath.Join(t.dir, "download")
	if err := os.Mkdir(into, 0o700); err != nil {
		return "", fmt.Errorf("pipeline: making room for a download: %w", err)
	}
	path, err = p.engine.Audio.Audio(ctx, sub.Content, into, engine.AudioOptions{
		Known: func(m transcript.Metadata) error { return p.keepMetadata(ctx, t, sub, m) },
	})
	if !errors.Is(err, follow.ErrUnwanted) && !errors.Is(err, errTakenOver) {
		ask.CountVisit(ctx, p.metrics, sub.Platform, metrics.Audio, false, err)
	}
	return path, err
}

// keepMetadata stores the platform's description before a download, and refuses a
// content that is too long by it. Content that no claim may have is not downloaded.
func (p *processor) keepMetadata(ctx context.Context, t task, sub subject.Subject, m transcript.Metadata) error {
	m = ask.TidyMetadata(m)
	if m.Duration > p.cfg.MaxMediaDuration.Seconds() {
		return p.tooLong()
	}
	return p.ownWanted(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
		if err := tx.Extractions.SetMetadata(ctx, e.ID, m); err != nil {
			return err
		}
		if err := tx.Library.DescribeJobs(ctx, e, m); err != nil {
			return err
		}
		if !language.HasCaptions(sub.Platform) {
			c := &db.Content{Platform: sub.Platform, ExternalID: sub.ExternalID, Metadata: m, AskedAt: time.Now()}
			if err := tx.Contents.Put(ctx, c); err != nil {
				return err
			}
		}
		return p.claims.admitSound(ctx, tx, e, limits.Claimed(m.Duration))
	})
}
