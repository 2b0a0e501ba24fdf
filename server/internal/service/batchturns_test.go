package service_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// standstill is an engine at which the contents of batches stay for ever, in one of its
// parts. All others pass.
type standstill struct {
	script

	at       string // the queue
	of       []byte // the sound of a batch's contents
	by       []byte // of others, which is shorter
	arrivals chan string
}

const ofBatch = "content-"

func newStandstill(t *testing.T, at string) *standstill {
	t.Helper()
	s := &standstill{at: at, of: recording(t, 3, 1), by: recording(t, 1, 2), arrivals: make(chan string, 1000)}
	s.recognize = func(ctx context.Context, _ int, a engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
		return heard("hello"), s.pass(ctx, "asr", a.Duration > 2*time.Second)
	}
	return s
}

func (s *standstill) pass(ctx context.Context, part string, batched bool) error {
	if part != s.at || !batched {
		return nil
	}
	s.arrivals <- part
	<-ctx.Done()
	return context.Cause(ctx)
}

func (s *standstill) Origin(p transcript.Platform) (transcript.Origin, bool) {
	return transcript.OriginDownloader, p == transcript.VideoSite
}

func (s *standstill) Captions(ctx context.Context, c engine.Content, _ func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	return captioned(c.ExternalID), s.pass(ctx, "captions", strings.HasPrefix(c.ExternalID, ofBatch))
}

func (s *standstill) Audio(ctx context.Context, c engine.Content, dir string, _ engine.AudioOptions) (string, error) {
	sound := s.by
	if strings.HasPrefix(c.ExternalID, ofBatch) {
		sound = s.of
		if err := s.pass(ctx, "download", true); err != nil {
			return "", err
		}
	}
	path := filepath.Join(dir, "audio.wav")
	return path, os.WriteFile(path, sound, 0o600)
}

func (s *standstill) engine(c *service.Config) {
	c.Engine.Captions, c.Engine.Audio = []engine.CaptionSource{s}, s
}

// While the items of a batch of 500 stand still, whoever asks for a single link is
// answered all the same, also the account of the batch.
func TestBatchHoldsUpNobody(t *testing.T) {
	t.Parallel()
	items := 500
	if testing.Short() {
		items = 60 // more than are taken up at a time
	}
	for queue, test := range map[string]struct {
		on      transcript.Platform
		holds   int // how many workers the batch gets
		waiting int // at least so many of its steps wait for one
	}{
		"captions": {transcript.VideoSite, 3, 32},
		"download": {transcript.PhotoSite, 1, 32},
		"asr":      {transcript.PhotoSite, 1, 5},
	} {
		t.Run(queue, func(t *testing.T) {
			t.Parallel()
			dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
				tables := storetest.SQL(t, store.Options(o))
				e := newStandstill(t, queue)
				b := start(t, dbtest.Open(t, o), &e.script, e.engine)
				all := entries(items)
				for i := range all {
					all[i].Content.Platform = test.on
				}
				request := batchOf(all...)
				if queue == "asr" { // the other slots of its account are not what is asked for here
					request.Plan.ASRConcurrency = 10
				}
				made, err := b.Batches.Create(t.Context(), request)
				require.NoError(t, err)
				for range test.holds {
					<-e.arrivals
				}
				require.Eventually(t, func() bool {
					var waiting int
					row := tables.QueryRowContext(t.Context(), "SELECT count(*) FROM river_job WHERE state = 'available' AND queue = '"+queue+"'")
					require.NoError(t, row.Scan(&waiting))
					return waiting >= test.waiting
				}, time.Minute, 20*time.Millisecond)

				for i, account := range []string{"other", acme, "other", acme} {
					s := link(fmt.Sprint("single-", i), "en")
					s.Account, s.Content.Platform = account, test.on
					b.succeed(t, s)
				}
				assert.Empty(t, e.arrivals, "the batch has got more workers")
				job, err := b.Batches.Get(t.Context(), acme, made.ID)
				require.NoError(t, err)
				require.NoError(t, lifecycle.CheckBatch(job))
				assert.Equal(t, batch.Processing, job.Status)
				assert.Equal(t, batch.Counts{Total: items, Pending: items}, job.Counts)
			})
		})
	}
}

// A link of a batch goes with the single requests from the moment when somebody asks for
// it by itself, whoever that is.
func TestAskingBringsItemsForward(t *testing.T) {
	t.Parallel()
	for _, account := range []string{acme, "other"} {
		t.Run(account, func(t *testing.T) {
			t.Parallel()
			dbtest.Each(t, func(t *testing.T, s *db.Store) {
				e := newStandstill(t, "captions")
				b := start(t, s, &e.script, e.engine)
				made, err := b.Batches.Create(t.Context(), batchOf(entries(60)...))
				require.NoError(t, err)
				for range 3 {
					<-e.arrivals
				}
				require.Eventually(t, func() bool {
					open, err := s.Items.Open(t.Context(), made.ID, 100)
					require.NoError(t, err)
					return !open.WithoutJob
				}, time.Minute, 20*time.Millisecond)
				assert.Empty(t, e.arrivals, "the batch has got the last worker")
				single := link("content-059", "en")
				single.Account = account
				_, err = b.Submit(t.Context(), single)
				require.NoError(t, err)
				<-e.arrivals
				require.Eventually(t, func() bool { // it was that one
					return b.items(t, acme, made.ID, 100)[59].Status == batch.ItemProcessing
				}, time.Minute, 20*time.Millisecond)
			})
		})
	}
}
