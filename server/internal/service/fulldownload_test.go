package service_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/nstest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
)

// large is an audio source whose recording is larger than the disk until it is told otherwise.
type large struct {
	*platforms
	fits  atomic.Bool
	ended chan error // why a download ended
}

func (l *large) Audio(ctx context.Context, c engine.Content, dir string, o engine.AudioOptions) (string, error) {
	if l.fits.Load() {
		return l.platforms.Audio(ctx, c, dir, o)
	}
	o.Progress(0, 1<<40)
	<-ctx.Done()
	select {
	case l.ended <- context.Cause(ctx):
	default: // another attempt has told
	}
	return "", context.Cause(ctx)
}

// A download for which there is no room ends before it fills the disk, and its job waits for room.
func TestDownloadStopsBeforeTheDiskIsFull(t *testing.T) {
	t.Parallel()
	nstest.Disk(t, 64<<20, func(t *testing.T, dir string) {
		l := &large{platforms: newPlatforms(t), ended: make(chan error, 1)}
		b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), &script{}, l.platforms, func(c *service.Config) {
			c.Engine.Audio, c.Dir, c.MinFreeDisk = l, dir, 32<<20
		})
		out, err := b.Submit(t.Context(), link("dQw4w9WgXcQ", "asr"))
		require.NoError(t, err)
		id := out.Job.JobID
		require.ErrorIs(t, <-l.ended, db.ErrUnavailable)
		b.waiting(t, id)
		l.fits.Store(true)
		assert.Equal(t, 1, b.end(t, id).Attempt)
	})
}
