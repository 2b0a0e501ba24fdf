package e2e_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/ratio"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// BenchmarkNewLink measures how long after a link is handed in the client has the text, if the
// page has captions that take no time to read: as a share of 100 ms.
func BenchmarkNewLink(b *testing.B) {
	for _, database := range []struct {
		name    string
		options func(testing.TB) store.Options
	}{{"SQLite", storetest.SQLite}, {"PostgreSQL", storetest.Postgres}} {
		row := ratio.Row{Name: "captions of a page, from the link to the text, of 100 ms, " + database.name, AtMost: 1}
		if !ratio.Wanted(row.Name) {
			continue
		}
		b.Run(database.name, func(b *testing.B) {
			o := database.options(b)
			s := servertest.New(b, servertest.OnPlan(account.WithoutLimits("bench")),
				servertest.ConfigureStore(func(at *store.Options) { at.Database = o.Database }),
				servertest.Configure(func(c *server.Config) {
					c.Log = slog.New(slog.DiscardHandler)
					c.Engine = func(engine.Host) (engine.Engine, error) {
						return engine.Engine{Captions: []engine.CaptionSource{reader{}}}, nil
					}
				}))
			c, err := client.New(s.URL, client.WithAPIKey(s.Key))
			require.NoError(b, err)
			for b.Loop() {
				for _, link := range batchLinks(0, 200) {
					began := time.Now()
					got, err := c.Transcripts.Get(b.Context(), transcript.Request{Source: transcript.URL(link), Language: []string{"en"}})
					require.NoError(b, err)
					require.Len(b, got.Transcript.Segments, 50)
					row.Ratios = append(row.Ratios, float64(time.Since(began))/float64(100*time.Millisecond))
				}
				row.Note = fmt.Sprintf("the slowest of 200: %.0f ms", slices.Max(row.Ratios)*100)
				row.Report(b)
			}
		})
	}
}

// BenchmarkFirstWords measures how long after the beginning of its recognition a recording of 10
// minutes shows its first words to a client that follows the job, as a multiple of the time of
// the recognizer for a chunk.
func BenchmarkFirstWords(b *testing.B) {
	row := ratio.Row{Name: "first words of an upload of 10 minutes, of the time of a chunk", AtMost: 1.5}
	if !ratio.Wanted(row.Name) {
		return
	}
	recognizer := &timed{counted: counted{speed: 30}}
	s := startService(b, recognizedBy(recognizer))
	for b.Loop() {
		for round := range 2 { // recordings that are not alike
			path := record(b, fmt.Sprintf("talk%d.mp3", round), speaking+fmt.Sprint(600+round))
			recognizer.begin()
			sent := time.Now()
			var now time.Duration
			_, job, err := s.Transcripts.Submit(b.Context(), transcript.Request{Source: transcript.File(path), Wait: &now})
			require.NoError(b, err)
			var first, end time.Time
			for event, err := range s.Jobs.Events(b.Context(), job.JobID) {
				require.NoError(b, err)
				if first.IsZero() && event.Segments != nil && len(event.Segments.Segments) > 0 {
					first = time.Now()
				}
				end = time.Now()
			}
			require.False(b, first.IsZero(), "no words came before the end")
			began, chunk := recognizer.first()
			row.Ratios = append(row.Ratios, float64(first.Sub(began))/float64(chunk))
			row.Note = fmt.Sprintf("%v after the upload began; a chunk takes %v, the whole job %v",
				first.Sub(sent).Round(time.Millisecond), chunk.Round(time.Millisecond), end.Sub(sent).Round(time.Millisecond))
		}
		row.Report(b)
	}
}

// timed is a recognizer that knows when it began with a recording, and how long the first chunk
// took.
type timed struct {
	counted
	mu    sync.Mutex
	began time.Time
	took  time.Duration
}

func (r *timed) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.began, r.took = time.Time{}, 0
}

func (r *timed) first() (began time.Time, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.began, r.took
}

func (r *timed) Recognize(ctx context.Context, a engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error) {
	began := time.Now()
	r.mu.Lock()
	if r.began.IsZero() {
		r.began = began
	}
	r.mu.Unlock()
	heard, err := r.counted.Recognize(ctx, a, o)
	r.mu.Lock()
	if r.took == 0 {
		r.took = time.Since(began)
	}
	r.mu.Unlock()
	return heard, err
}
