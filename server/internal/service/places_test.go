package service_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// hall is a pipeline whose recognizer hears a recording when the test lets it.
type hall struct {
	*bench
	*platforms

	mu    sync.Mutex
	gates map[int]chan struct{}
	begun []int // the recordings whose chunks are being heard or were, in order
	now   int   // chunks that are being heard
	most  int
}

func startHall(t *testing.T, s *db.Store, change ...func(*service.Config)) *hall {
	t.Helper()
	h := &hall{platforms: newPlatforms(t), gates: map[int]chan struct{}{}}
	many := func(c *service.Config) { c.ASRWorkers = 8 }
	h.bench = startLinks(t, s, &script{recognize: h.recognize}, h.platforms, append([]func(*service.Config){many}, change...)...)
	return h
}

func (h *hall) recognize(ctx context.Context, _ int, a engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
	n, err := variantOf(a)
	if err != nil {
		return engine.Recognition{}, err
	}
	h.mu.Lock()
	h.begun = append(h.begun, n)
	h.now++
	h.most = max(h.most, h.now)
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		h.now--
		h.mu.Unlock()
	}()
	select {
	case <-h.gate(n):
		return heard("hello"), nil
	case <-ctx.Done():
		return engine.Recognition{}, context.Cause(ctx)
	}
}

// gate is what a recording waits at until it is closed.
func (h *hall) gate(n int) chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gates[n] == nil {
		h.gates[n] = make(chan struct{})
	}
	return h.gates[n]
}

// hear lets recordings be heard.
func (h *hall) hear(recordings ...int) {
	for _, n := range recordings {
		close(h.gate(n))
	}
}

// variantOf is the number of a recording, of whose first chunk the audio is.
func variantOf(a engine.Audio) (int, error) {
	wav, err := os.ReadFile(a.Path)
	if err != nil {
		return 0, err
	}
	return int(binary.LittleEndian.Uint16(wav[44:])), nil
}

// begins waits until the chunks of these recordings, and no others, have begun to be
// heard.
func (h *hall) begins(t *testing.T, recordings ...int) {
	t.Helper()
	require.Eventually(t, func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return len(h.begun) >= len(recordings)
	}, time.Minute, time.Millisecond)
	h.mu.Lock()
	defer h.mu.Unlock()
	require.ElementsMatch(t, recordings, h.begun)
}

// roomy is a plan with so many slots, and places to wait.
func roomy(concurrency, waiting int) account.Plan {
	p := plan()
	p.ASRConcurrency, p.ASRWaiting = concurrency, waiting
	return p
}

// upload hands in a recording of its own. The database has long to answer, as the machine may be busy.
func (h *hall) upload(t *testing.T, by string, p account.Plan, n int) (*intake.Outcome, error) {
	t.Helper()
	ctx := db.Unhurried(t.Context())
	u, err := h.Receive(ctx, bytes.NewReader(recording(t, 1, n)), 1<<30)
	require.NoError(t, err)
	return u.Commit(ctx, intake.Submission{Account: by, Plan: p})
}

// takes is upload that is accepted.
func (h *hall) takes(t *testing.T, by string, p account.Plan, n int) *db.Job {
	t.Helper()
	out, err := h.upload(t, by, p, n)
	require.NoError(t, err)
	return h.row(t, by, out)
}

// asks submits a link.
func (h *hall) asks(t *testing.T, by string, p account.Plan, id, languages string) *db.Job {
	t.Helper()
	s := link(id, languages)
	s.Account, s.Plan = by, p
	out, err := h.Submit(db.Unhurried(t.Context()), s)
	require.NoError(t, err)
	return h.row(t, by, out)
}

func (h *hall) row(t *testing.T, by string, out *intake.Outcome) *db.Job {
	t.Helper()
	job, err := h.store.Jobs.Owned(db.Unhurried(t.Context()), by, out.Job.JobID)
	require.NoError(t, err)
	return job
}

func (h *hall) uses(t *testing.T, by string, running, waiting int) {
	t.Helper()
	require.Eventually(t, func() bool {
		n, err := h.store.Places.InUse(t.Context(), by)
		require.NoError(t, err)
		return n == db.PlacesInUse{Running: running, Waiting: waiting}
	}, time.Minute, 10*time.Millisecond, "%s should have %d running and %d waiting", by, running, waiting)
}

// at waits until the work of a job has a place in a state.
func (h *hall) at(t *testing.T, job *db.Job, state db.PlaceState) {
	t.Helper()
	require.Eventually(t, func() bool {
		place, err := h.store.Places.ByWork(t.Context(), job.WorkID)
		require.NoError(t, err)
		return place.State == state
	}, time.Minute, 10*time.Millisecond, "it should be %s", state)
}

// ends waits for the end of a job.
func (h *hall) ends(t *testing.T, job *db.Job, status transcript.JobStatus) {
	t.Helper()
	shown, err := h.Jobs.Wait(t.Context(), job.Account, job.ID, nil)
	require.NoError(t, err)
	require.Equal(t, status, shown.Status, "%v", shown.Error)
}

func (h *hall) cancel(t *testing.T, job *db.Job) {
	t.Helper()
	_, err := h.Cancel(t.Context(), job.Account, job.ID, nil)
	require.NoError(t, err)
}

// Where recognition is certain and there is no place, there is no job, and nothing is
// left of the request.
func TestRequestWithoutAPlace(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(h *hall, t *testing.T, p account.Plan) error{
		"upload": func(h *hall, t *testing.T, p account.Plan) error {
			_, err := h.upload(t, acme, p, 9)
			return err
		},
		"asr": func(h *hall, t *testing.T, p account.Plan) error {
			return h.refused(t, p, transcript.VideoSite, "asr-en")
		},
		"photo_site": func(h *hall, t *testing.T, p account.Plan) error {
			return h.refused(t, p, transcript.PhotoSite, "en")
		},
		"microblog_site": func(h *hall, t *testing.T, p account.Plan) error {
			return h.refused(t, p, transcript.MicroblogSite, "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dbtest.Each(t, func(t *testing.T, s *db.Store) {
				h, p := startHall(t, s), roomy(2, 1)
				one, two := h.takes(t, acme, p, 1), h.takes(t, acme, p, 2)
				h.begins(t, 1, 2)
				three := h.takes(t, acme, p, 3)
				h.at(t, three, db.Ready)
				require.Eventually(t, func() bool { return len(h.blobs(t)) == 6 }, time.Minute, 10*time.Millisecond) // the uploads and their chunks
				before, err := s.Allowances.Usage(t.Context(), acme, limits.PeriodOf(p, time.Now()).Start)
				require.NoError(t, err)

				var e *transcript.Error
				require.ErrorAs(t, ask(h, t, p), &e)
				assert.Equal(t, transcript.ASRConcurrencyLimit, e.Code)
				assert.Positive(t, e.RetryAfter)
				assert.Equal(t, map[string]any{"inUse": 2, "limit": 2, "waiting": 1, "waitingLimit": 1}, e.Details)
				assert.Len(t, h.blobs(t), 6, "the refused upload was left behind")
				after, err := s.Allowances.Usage(t.Context(), acme, limits.PeriodOf(p, time.Now()).Start)
				require.NoError(t, err)
				assert.Equal(t, before, after)
				h.uses(t, acme, 2, 1)

				// Another account has places of its own, and all of them come to their turn.
				four := h.takes(t, "other", p, 4)
				h.begins(t, 1, 2, 4)
				h.hear(1, 2, 3, 4)
				for _, job := range []*db.Job{one, two, three, four} {
					h.ends(t, job, transcript.JobSuccess)
				}
				h.uses(t, acme, 0, 0)
				h.uses(t, "other", 0, 0)
				require.NoError(t, ask(h, t, p), "now there is a place")
			})
		})
	}
}

func (h *hall) refused(t *testing.T, p account.Plan, on transcript.Platform, languages string) error {
	t.Helper()
	s := link("v9", languages)
	s.Plan, s.Content.Platform = p, on
	_, err := h.Submit(t.Context(), s)
	return err
}

// The slots of an account go to its oldest jobs that are ready.
func TestSlotsInOrder(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		h, p := startHall(t, s), roomy(1, account.Unlimited)
		var jobs []*db.Job
		for n := range 5 {
			jobs = append(jobs, h.takes(t, acme, p, n))
			if n == 0 {
				h.begins(t, 0)
			} else {
				h.at(t, jobs[n], db.Ready)
				assert.Equal(t, []transcript.Stage{"queued", "duration_check", "asr_queued"}, h.stages(t, jobs[n].ID))
			}
		}
		h.cancel(t, jobs[2])
		for n, job := range jobs {
			if n == 2 {
				continue
			}
			h.hear(n)
			h.ends(t, job, transcript.JobSuccess)
		}
		h.begins(t, 0, 1, 3, 4)
		assert.Equal(t, []int{0, 1, 3, 4}, h.begun)
		assert.Equal(t, 1, h.most)
		h.uses(t, acme, 0, 0)
	})
}

// A plan that lets nobody wait lets run what finds a slot.
func TestNobodyMayWait(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		h, p := startHall(t, s), roomy(1, 0)
		one := h.takes(t, acme, p, 1)
		_, err := h.upload(t, acme, p, 2)
		require.ErrorIs(t, err, transcript.ASRConcurrencyLimit)
		h.hear(1)
		h.ends(t, one, transcript.JobSuccess)
		h.takes(t, acme, p, 2)
		h.begins(t, 1, 2)
	})
}

// Content whose captions do not answer stands outside while there is no place, and is
// taken up when there is one: the oldest first, without an attempt.
func TestLinksStandOutside(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		h, p := startHall(t, s), roomy(1, 0)
		first := h.takes(t, acme, p, 7)
		var jobs []*db.Job
		for n := range 3 {
			jobs = append(jobs, h.asks(t, acme, p, fmt.Sprint("v", n), "en"))
		}
		for _, job := range jobs {
			h.at(t, job, db.Outside)
			assert.Equal(t, []transcript.Stage{"queued", "caption_fetch", "duration_check", "queued"}, h.stages(t, job.ID))
			shown, err := h.Jobs.Job(t.Context(), acme, job.ID, nil)
			require.NoError(t, err)
			assert.Equal(t, transcript.JobPending, shown.Status)
			assert.Equal(t, 1, shown.Attempt)
		}
		assert.Zero(t, h.downloads, "nothing is downloaded that has no place")
		h.uses(t, acme, 1, 0)
		h.cancel(t, jobs[1])
		h.hear(7)
		h.ends(t, first, transcript.JobSuccess)
		h.at(t, jobs[0], db.Running)
		h.at(t, jobs[2], db.Outside)
		h.hear(1)
		h.ends(t, jobs[0], transcript.JobSuccess)
		h.ends(t, jobs[2], transcript.JobSuccess)
		h.uses(t, acme, 0, 0)
		assert.Equal(t, []transcript.Stage{
			"queued", "caption_fetch", "duration_check", "queued", "duration_check", "asr_queued", "asr_running", "publishing", "done",
		}, h.stages(t, jobs[2].ID))
		h.nothingLeft(t)
	})
}

// Whoever has a place lets the others in with it: those who have waited before, and
// those who come later.
func TestAPlaceOfAnyJob(t *testing.T) {
	t.Parallel()
	full, open := roomy(1, 0), roomy(1, 0)
	for name, test := range map[string]func(t *testing.T, h *hall, outside *db.Job){
		"one that joins": func(t *testing.T, h *hall, outside *db.Job) {
			late := h.asks(t, "late", open, "v1", "en")
			require.Equal(t, outside.WorkID, late.WorkID)
			h.uses(t, "late", 1, 0)
			h.hear(1)
			h.ends(t, late, transcript.JobSuccess)
		},
		"one that has waited too": func(t *testing.T, h *hall, outside *db.Job) {
			before := h.takes(t, "second", full, 2)
			second := h.asks(t, "second", full, "v1", "en")
			h.at(t, outside, db.Outside)
			h.cancel(t, before)
			h.uses(t, "second", 1, 0)
			h.hear(1)
			h.ends(t, second, transcript.JobSuccess)
		},
		"one that may not": func(t *testing.T, h *hall, outside *db.Job) {
			job := h.asks(t, "poor", roomy(0, 5), "v1", "en")
			require.Equal(t, outside.WorkID, job.WorkID)
			h.ends(t, job, transcript.JobFailed)
			h.at(t, outside, db.Outside)
			late := h.asks(t, "late", open, "v1", "en")
			h.cancel(t, outside)
			h.hear(1)
			h.ends(t, late, transcript.JobSuccess)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dbtest.Each(t, func(t *testing.T, s *db.Store) {
				h := startHall(t, s)
				busy := h.takes(t, acme, full, 7)
				outside := h.asks(t, acme, full, "v1", "en")
				h.at(t, outside, db.Outside)
				test(t, h, outside)
				shown, err := h.Jobs.Job(t.Context(), acme, outside.ID, nil)
				require.NoError(t, err)
				assert.True(t, shown.Status.Terminal())
				h.uses(t, acme, 1, 0)
				h.hear(7)
				h.ends(t, busy, transcript.JobSuccess)
			})
		})
	}
}

// The slot of work that others still wait for passes to one of them, whose account
// then has one more than its plan permits, and gives back what it has.
func TestSlotPassesOn(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		h, p := startHall(t, s), roomy(1, 5)
		sponsor := h.asks(t, acme, p, "v1", "asr")
		h.begins(t, 1)
		next := h.takes(t, acme, p, 2)
		busy := h.takes(t, "other", p, 3)
		heir := h.asks(t, "other", p, "v1", "asr")
		h.begins(t, 1, 3)
		h.uses(t, "other", 1, 0)
		h.cancel(t, sponsor)
		h.uses(t, acme, 1, 0)
		h.begins(t, 1, 3, 2)
		h.uses(t, "other", 2, 0)
		behind := h.takes(t, "other", p, 4)
		h.at(t, behind, db.Ready)
		h.hear(1, 2, 3)
		for _, job := range []*db.Job{next, busy, heir} {
			h.ends(t, job, transcript.JobSuccess)
		}
		h.hear(4)
		h.ends(t, behind, transcript.JobSuccess)
		h.uses(t, acme, 0, 0)
		h.uses(t, "other", 0, 0)
	})
}

// A limit that is lowered below what is in use lets later ones wait, and refuses them.
func TestLoweredLimit(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		h, before, after := startHall(t, s), roomy(3, 0), roomy(1, 3)
		for n := range 3 {
			h.takes(t, acme, before, n)
		}
		h.begins(t, 0, 1, 2)
		later := h.takes(t, acme, after, 3)
		h.at(t, later, db.Ready)
		_, err := h.upload(t, acme, after, 4)
		require.ErrorIs(t, err, transcript.ASRConcurrencyLimit)
		for n := range 2 {
			h.hear(n)
			h.uses(t, acme, 2-n, 1)
		}
		h.hear(2)
		h.uses(t, acme, 1, 0)
		h.begins(t, 0, 1, 2, 3)
		h.hear(3)
		h.ends(t, later, transcript.JobSuccess)
	})
}

// What says nothing is not recognized, and wants no slot.
func TestSilenceWantsNoSlot(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		h, p := startHall(t, s), roomy(1, 1)
		h.takes(t, acme, p, 1)
		h.begins(t, 1)
		h.set(func(p *platforms) { p.sound = silentRecording(t, 5) })
		h.ends(t, h.asks(t, acme, p, "v1", "asr"), transcript.JobSuccess)
		h.uses(t, acme, 1, 0)
	})
}

// A hundred uploads at once (thirty with -short): as many are accepted as there are places, and no more are
// heard at once than there are slots.
func TestCrowd(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		many := 100
		if testing.Short() {
			many = 30
		}
		h, p := startHall(t, s), roomy(2, 5)
		var accepted []*db.Job
		var mu sync.Mutex
		var all sync.WaitGroup
		for n := range many {
			all.Go(func() {
				out, err := h.upload(t, acme, p, n)
				if err != nil {
					assert.ErrorIs(t, err, transcript.ASRConcurrencyLimit)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				accepted = append(accepted, h.row(t, acme, out))
			})
		}
		all.Wait()
		require.Len(t, accepted, 7)
		h.uses(t, acme, 2, 5)
		require.Eventually(t, func() bool {
			h.mu.Lock()
			defer h.mu.Unlock()
			return h.now == 2
		}, time.Minute, time.Millisecond)
		for n := range many {
			h.hear(n)
		}
		for _, job := range accepted {
			h.ends(t, job, transcript.JobSuccess)
		}
		assert.Equal(t, 2, h.most)
		h.uses(t, acme, 0, 0)
		h.nothingLeft(t)
	})
}
