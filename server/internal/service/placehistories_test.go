package service_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Whatever happens to them, recordings come to their ends, in no more slots than there
// are, and leave nothing behind: submitted, shared, canceled, failed, lost with their
// process, in any order.
func TestHistoriesOfPlaces(t *testing.T) {
	t.Parallel()
	seeds := uint64(4)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
				h := &placeHistory{random: rand.New(rand.NewPCG(seed, 2)), heard: map[int]bool{}}
				s := dbtest.Open(t, o)
				h.hall = startHall(t, s, h.fails)
				for range 60 {
					h.goOn(t)
					used, err := s.Places.InUse(t.Context(), "alone")
					require.NoError(t, err)
					require.LessOrEqual(t, used.Running, 2)
					require.LessOrEqual(t, used.Running+used.Waiting, 4)
				}
				for n := range gates {
					h.hears(n)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				for _, job := range h.jobs {
					shown, err := h.Jobs.Wait(ctx, job.Account, job.ID, nil)
					require.NoError(t, err)
					require.True(t, shown.Status.Terminal(), "%s was forgotten in %s", job.ID, shown.Stage)
				}
				broken, err := dbtest.Broken(t.Context(), storetest.SQL(t, store.Options(o)), false)
				require.NoError(t, err)
				assert.Empty(t, broken)
				assert.Zero(t, storetest.Count(t, store.Options(o), "asr_places"))
				h.nothingLeft(t)
			})
		})
	}
}

const gates = 100

type placeHistory struct {
	*hall
	random  *rand.Rand
	heard   map[int]bool
	jobs    []*db.Job
	last    int // the last recording
	crashes int
}

// fails lets some recordings fail, and some attempts.
func (h *placeHistory) fails(c *service.Config) {
	whole := c.Engine.Recognizer.(*script).recognize
	c.Engine.Recognizer = &script{recognize: func(ctx context.Context, call int, a engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error) {
		r, err := whole(ctx, call, a, o)
		switch {
		case err != nil || call%3 > 0:
			return r, err
		case call%2 > 0:
			return r, transcript.Errorf(transcript.ConfigError, "No.")
		}
		return r, transcript.Errorf(transcript.Internal, "Not yet.")
	}}
}

// goOn lets one thing happen.
func (h *placeHistory) goOn(t *testing.T) {
	t.Helper()
	p := roomy(1+h.random.IntN(2), h.random.IntN(3))
	var out *intake.Outcome
	var err error
	by := []string{"one", "two", "three"}[h.random.IntN(3)]
	switch dice := h.random.IntN(100); {
	case dice < 30:
		h.last++
		by = "alone"
		out, err = h.upload(t, by, p, h.last)
	case dice < 70:
		s := link(fmt.Sprint("v", h.random.IntN(8)), []string{"en", "asr"}[h.random.IntN(2)])
		s.Account, s.Plan = by, p
		if h.random.IntN(4) == 0 && s.Languages.String() == "en" {
			s.Plan.ASR = false
		}
		out, err = h.Submit(t.Context(), s)
	case dice < 85 && len(h.jobs) > 0:
		job := h.jobs[h.random.IntN(len(h.jobs))]
		if _, err := h.Cancel(t.Context(), job.Account, job.ID, nil); err != nil {
			require.ErrorIs(t, err, transcript.StateConflict)
		}
		return
	case dice < 90 && h.crashes < 2:
		h.crashes++
		buryAll(t, h.store)
		heir := &hall{platforms: h.platforms}
		heir.bench = startLinks(t, h.store, &script{recognize: h.recognize}, h.platforms, h.fails)
		return
	default:
		h.hears(h.random.IntN(h.last + 2))
		return
	}
	if err != nil {
		require.ErrorIs(t, err, transcript.ASRConcurrencyLimit)
		return
	}
	if out.Job != nil {
		h.jobs = append(h.jobs, h.row(t, by, out))
	}
}

func (h *placeHistory) hears(n int) {
	if !h.heard[n] {
		h.heard[n] = true
		h.hear(n)
	}
}
