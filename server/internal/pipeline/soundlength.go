package pipeline

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// extent is how long the sound of an extraction is, as far as that is known.
type extent struct {
	// least is what claims are judged by, and pay for. It is rounded up: a sound of
	// which nothing is known takes a minute of an allowance all the same.
	least time.Duration
	// said is what it is said to be, where it has been measured only so far as somebody
	// may have it.
	said time.Duration
}

func lasting(d time.Duration) extent { return extent{least: d} }

// minutes are what the sound takes of an allowance: each begun one.
func (x extent) minutes() int64 { return int64((x.least + time.Minute - 1) / time.Minute) }

// seconds are its length for people.
func (x extent) seconds() int { return int((max(x.least, x.said) + time.Second - 1) / time.Second) }

// unmeasured is the extent of a sound whose length is not known.
var unmeasured = lasting(time.Nanosecond)

// claimed is the extent of a sound of which a platform says that it has so many
// seconds; 0: it does not.
func claimed(seconds float64) extent {
	if !(seconds > 0) { // NaN neither
		return unmeasured
	}
	return lasting(time.Duration(min(seconds, math.MaxInt32) * float64(time.Second)))
}

// extentOf is what is known of the sound of an extraction: its length, or what the
// platform says that it is.
func extentOf(ctx context.Context, r db.Reader, e *db.Extraction) (extent, error) {
	if e.Duration > 0 {
		return claimed(e.Duration), nil
	}
	if e.Metadata.Duration > 0 {
		return claimed(e.Metadata.Duration), nil
	}
	return extentOfContent(ctx, r, subjectOfExtraction(e))
}

// extentOfContent is what the platform has said of a content when it was last asked.
func extentOfContent(ctx context.Context, r db.Reader, sub subject) (extent, error) {
	if sub.Platform == transcript.Upload {
		return unmeasured, nil
	}
	c, err := r.Contents.Get(ctx, sub.Platform, sub.ExternalID)
	if errors.Is(err, db.ErrNotFound) {
		return unmeasured, nil
	}
	if err != nil {
		return extent{}, err
	}
	return claimed(c.Metadata.Duration), nil
}
