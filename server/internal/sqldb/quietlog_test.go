package sqldb_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// Six loops that complain every second for five minutes are no 1,800 lines.
func TestQueueRepeatsItselfSeldom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := sqldb.Quiet(slog.New(slog.NewTextHandler(&out, nil)))
		for range 300 {
			for _, queue := range []string{"house", "media"} {
				log.With("queue", queue).Error("no work was fetched", "err", errors.New("away"))
			}
			log.Error("no work was fetched", "err", errors.New("out of memory"))
			time.Sleep(time.Second) //nolint:forbidigo // of the bubble's clock
		}
		assert.Equal(t, 10, strings.Count(out.String(), "err=away"))
		assert.Equal(t, 10, strings.Count(out.String(), "out of memory"))
	})
}

func TestQueueTellsWarningsOnly(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := sqldb.Quiet(slog.New(slog.NewTextHandler(&out, nil)))
	log.Info("daily life")
	log.Warn("a job could not be scheduled", "error", errors.New("away"))
	stopped, stop := context.WithCancel(t.Context())
	stop()
	log.ErrorContext(stopped, "a job was not ended")
	assert.Equal(t, 1, strings.Count(out.String(), "\n"))
	assert.Contains(t, out.String(), " err=away")
}
