// Package work runs the steps of the queue in this process, and takes up the work of processes that
// have died.
//
//	w, err := work.New(config)
//	err = w.Start(ctx)
//	unfit := w.Check(ctx)  // by the part of the service
//	err = w.Stop(ctx)
//
// Work moves in short steps, and each step is a job of the queue. A processor runs the steps, and
// decides what an error causes: another attempt after a pause, a wait for a temporary fault, or the
// end of the work. Package recognize and the features contain the code of each step. A rescue takes
// up lost work: the transaction that ends a step fails if another process has taken the step over.
package work

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/audio"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/disks"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/recognize"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
)

// Config has what the work needs. All members are required unless their comment says
// otherwise.
type Config struct {
	Store  *db.Store
	Moves  *intake.Moves
	Steps  *recognize.Steps
	Engine engine.Engine // its sources respect the pace
	// Throttle controls the pace of Engine, Sources are the caption sources of Engine, Reach
	// checks its recognizer, and Cluster knows the processes that share the work.
	Throttle *throttle.Throttle
	Sources  *ask.Sources
	Reach    *cluster.Reach
	Cluster  *cluster.Cluster
	Audio    *audio.Files
	Disks    *disks.Disks
	Metrics  *metrics.Metrics
	Log      *slog.Logger
	// Idle is a process that does no work: other processes that share the database do it. Dir is
	// not used.
	Idle bool
	// Dir is for scratch files; the caller removes it after Stop.
	Dir string
	// Tracer is told about each step; nil means that no trace is made.
	Tracer engine.Tracer
	// ASRWorkers is how many chunks this process recognizes at once.
	ASRWorkers int
	// RecognizeBlockedAfter is how long captions may be blocked before the sound is
	// recognized, for plans that set no time; 0 means that jobs wait for their captions.
	RecognizeBlockedAfter func() time.Duration
	// Retention is how long ended work is kept.
	Retention Retention
	// Pauses are the pauses between attempts.
	Pauses attempt.Pauses
	// AudioLook is the time between two searches for the audio of work that has ended; 0 means
	// as usual.
	AudioLook time.Duration
	Features  Features
}

// Work does the work of this process. It is safe for concurrent use.
type Work struct {
	cfg       Config
	processor *processor
	rescue    *rescue
	life      *cluster.Life // nil means that the process is idle
	stopLife  context.CancelFunc
	living    sync.WaitGroup
}

// New prepares the work, which begins with Start.
func New(c Config) (w *Work, err error) {
	w = &Work{cfg: c, processor: &processor{c}, rescue: &rescue{Config: c}}
	if c.Idle {
		return w, nil
	}
	if w.life, err = cluster.NewLife(w.newRunner, c.Log); err != nil {
		return nil, fmt.Errorf("work: %w", err)
	}
	w.rescue.life = w.life
	return w, nil
}

// Start takes up the work, including what a dead process has left behind. Before it, on
// SQLite, the caller must hold db.Serve. The work is started once. An idle process has
// nothing to take up.
func (w *Work) Start(ctx context.Context) error {
	if w.cfg.Idle {
		return nil
	}
	if !w.cfg.Store.Shared() {
		if err := w.rescue.buryAll(ctx); err != nil {
			return fmt.Errorf("work: joining the workers: %w", err)
		}
	}
	if err := w.rescue.takeUpLost(ctx); err != nil { // this is not a reason to leave the rest undone, and it is tried again
		w.cfg.Log.ErrorContext(ctx, "looking for lost work failed", "err", err)
	}
	stranded, err := w.rescue.firstLook(ctx)
	if err != nil { // as above
		w.cfg.Log.ErrorContext(ctx, "looking for stranded work failed", "err", err)
	}
	if w.cfg.Features.Start != nil {
		if err := w.cfg.Features.Start(ctx); err != nil {
			return fmt.Errorf("work: starting the features: %w", err)
		}
	}
	if err := w.life.Runner().Start(ctx); err != nil {
		return fmt.Errorf("work: starting the workers: %w", err)
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w.stopLife = cancel
	w.living.Go(func() { w.life.Beat(life) })
	w.living.Go(func() { w.rescue.watchOver(life) })
	w.living.Go(func() { w.rescue.watchSessions(life) })
	w.living.Go(func() { w.rescue.watchStranded(life, stranded) })
	if w.cfg.Features.Live != nil {
		w.living.Go(func() { w.cfg.Features.Live(life) })
	}
	w.living.Go(func() {
		w.cfg.Audio.RemoveEnded(life, w.cfg.Retention.Audio, cmp.Or(w.cfg.AudioLook, min(audio.Look, w.cfg.Retention.Audio)), w.cfg.Disks.Short)
	})
	return nil
}

// Stop ends the work: running steps go back into the queue, to be run again, without
// counting an attempt. It returns nil when all of them have ended. If ctx ends first, it
// returns ctx's error. The steps have then been told to end but still use their
// resources, and Stop may be called again to wait for them. One call at a time.
func (w *Work) Stop(ctx context.Context) error {
	if w.stopLife == nil {
		return nil // it was not started
	}
	if err := w.stopWork(ctx); err != nil {
		return fmt.Errorf("work: stopping: %w", err)
	}
	return nil
}

func (w *Work) stopWork(ctx context.Context) error {
	if err := w.life.Stop(ctx); err != nil {
		return err // steps still run, and no other process may consider this one dead
	}
	w.stopLife()
	w.living.Wait()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	if err := w.life.Runner().Leave(ctx); err != nil {
		w.cfg.Log.WarnContext(ctx, "the other processes were not told that this one has stopped; they find out", "err", err)
	}
	return nil
}

// newRunner prepares work on the queue under the name of a process.
func (w *Work) newRunner(process string) (queue.Runner, error) {
	workers := w.processor.workers(process)
	said, err := json.Marshal(w.cfg.Cluster.Self())
	if err != nil {
		return nil, fmt.Errorf("writing the abilities of the process: %w", err)
	}
	workers.Abilities = said
	return w.cfg.Store.Queue.NewRunner(workers)
}
