package intake

import (
	"context"
	"errors"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// ExtentOf returns the known extent of the sound of some work: its measured length, or
// the platform's length.
func ExtentOf(ctx context.Context, r db.Reader, e *db.Work) (limits.Sound, error) {
	if e.Duration > 0 {
		return limits.Claimed(e.Duration), nil
	}
	if e.Metadata.Duration > 0 {
		return limits.Claimed(e.Metadata.Duration), nil
	}
	return extentOfContent(ctx, r, subject.OfWork(e))
}

// extentOfContent is the length in the last answer of the platform about a content.
func extentOfContent(ctx context.Context, r db.Reader, sub subject.Subject) (limits.Sound, error) {
	if sub.Platform == transcript.Upload {
		return limits.Unmeasured, nil
	}
	c, err := r.Contents.Get(ctx, sub.Platform, sub.ExternalID)
	if errors.Is(err, db.ErrNotFound) {
		return limits.Unmeasured, nil
	}
	if err != nil {
		return limits.Sound{}, err
	}
	return limits.Claimed(c.Metadata.Duration), nil
}
