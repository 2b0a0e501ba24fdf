package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/riverqueue/river"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The queues. Steps that decode media are few at a time, and so are downloads,
// which take long; chunks are as many as the process has recognition workers.
// What is nearest its end goes first: publishing has a queue of its own, so that
// it waits neither for media nor for recognition. In each of them accounts take
// turns (db.Tx.Enqueue).
const (
	queueCaptions   = "captions"
	queueDownload   = "download"
	queueMedia      = "media"
	queueASR        = "asr"
	queuePublish    = "publish"
	queueHouse      = "house"
	captionWorkers  = 4
	downloadWorkers = 2
	mediaWorkers    = 2
	publishWorkers  = 2
	houseWorkers    = 1
)

// Bounds of one step. They stand far above what a step takes: a step that dies
// with its process is taken up by heartbeat, not by these.
const (
	captionsTimeout  = 5 * time.Minute
	prepareTimeout   = 2 * time.Hour
	recognizeTimeout = 30 * time.Minute // and some for the length of a chunk
	publishTimeout   = 5 * time.Minute
)

type captionsArgs struct {
	Extraction string `json:"extraction"`
}

func (captionsArgs) Kind() string { return "captions" }

func (captionsArgs) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: queueCaptions} }

type prepareArgs struct {
	Extraction string `json:"extraction"`
	// Link tells that the media must be downloaded.
	Link bool `json:"link,omitempty"`
}

func (prepareArgs) Kind() string { return "prepare" }

func (a prepareArgs) InsertOpts() river.InsertOpts {
	if a.Link {
		return river.InsertOpts{Queue: queueDownload}
	}
	return river.InsertOpts{Queue: queueMedia}
}

type recognizeArgs struct {
	Extraction string `json:"extraction"`
	Chunk      int    `json:"chunk"`
	// Failed is how often this chunk was tried in vain. Each counts for itself: all
	// that are in the queue fail when a recognizer is away for a moment.
	Failed int `json:"failed,omitempty"`
}

func (recognizeArgs) Kind() string { return "recognize" }

func (recognizeArgs) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: queueASR} }

type publishArgs struct {
	Extraction string `json:"extraction"`
}

func (publishArgs) Kind() string { return "publish" }

func (publishArgs) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: queuePublish} }

// step is the worker of one kind of step.
type step[T river.JobArgs] struct {
	river.WorkerDefaults[T]
	p          *Pipeline
	timeout    time.Duration
	extraction func(T) string
	run        func(ctx context.Context, t task, args T) error
}

func (s *step[T]) Timeout(*river.Job[T]) time.Duration { return s.timeout }

func (s *step[T]) Work(ctx context.Context, job *river.Job[T]) error {
	t := task{extraction: s.extraction(job.Args), work: db.WorkOf(job.JobRow)}
	return s.p.work(ctx, t, job.Args, func(ctx context.Context, t task) error {
		return s.run(ctx, t, job.Args)
	})
}

func (p *Pipeline) workers(process string) db.Workers {
	w := river.NewWorkers()
	river.AddWorker(w, &step[captionsArgs]{p: p, timeout: captionsTimeout, run: p.fetchCaptions,
		extraction: func(a captionsArgs) string { return a.Extraction }})
	river.AddWorker(w, &step[prepareArgs]{p: p, timeout: prepareTimeout, run: p.prepare,
		extraction: func(a prepareArgs) string { return a.Extraction }})
	river.AddWorker(w, &step[recognizeArgs]{p: p, timeout: p.recognizeTimeout(), run: p.recognize,
		extraction: func(a recognizeArgs) string { return a.Extraction }})
	river.AddWorker(w, &step[publishArgs]{p: p, timeout: publishTimeout, run: p.publish,
		extraction: func(a publishArgs) string { return a.Extraction }})
	river.AddWorker(w, &sweeper{p: p})
	return db.Workers{
		Process: process,
		Workers: w,
		Queues: map[string]int{
			queueCaptions: captionWorkers,
			queueDownload: downloadWorkers,
			queueMedia:    mediaWorkers,
			queueASR:      p.cfg.ASRWorkers,
			queuePublish:  publishWorkers,
			queueHouse:    houseWorkers,
		},
		Periodic:    []*river.PeriodicJob{sweepJob()},
		StopTimeout: p.cfg.StopTimeout,
	}
}

// recognizeTimeout is longer for longer chunks: a large model on a small machine
// takes some ten times as long as the audio, and other chunks may go before.
func (p *Pipeline) recognizeTimeout() time.Duration {
	if p.engine.Recognizer == nil {
		return recognizeTimeout
	}
	return recognizeTimeout + 60*speech.ChunkLength(p.engine.Recognizer.Info())
}

// work runs one step in a scratch directory of its own and settles how it
// ended. again is what is queued when the step is to be repeated.
func (p *Pipeline) work(ctx context.Context, t task, again river.JobArgs, run func(ctx context.Context, t task) error) error {
	ctx = db.Unhurried(ctx)
	dir, err := os.MkdirTemp(p.cfg.Dir, "step-")
	if err != nil {
		return p.fault(context.WithoutCancel(ctx), t, again, fmt.Errorf("pipeline: making a scratch directory: %w", err))
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			p.log.WarnContext(ctx, "scratch files were left behind", "dir", dir, "err", err)
		}
	}()
	t.dir = dir
	err = p.whileWanted(pace.InLine(ctx, t.extraction), t.extraction, func(ctx context.Context) error {
		return guarded(func() error { return run(ctx, t) })
	})
	err = p.settle(ctx, t, again, err)
	if errors.Is(err, errTakenOver) {
		p.log.WarnContext(ctx, "a step was left to the process that has taken it over", "extraction", t.extraction, "step", t.work.Kind)
		return nil
	}
	return err
}

// settle does what follows from how a step ended.
func (p *Pipeline) settle(ctx context.Context, t task, again river.JobArgs, err error) error {
	after := context.WithoutCancel(ctx)
	switch {
	case err == nil, errors.Is(err, errTakenOver):
		return err
	case errors.Is(err, errUnwanted):
		return p.cleanUp(after, t.extraction)
	case errors.Is(ctx.Err(), context.Canceled): // the runner stops; a step's own time limit is no such end
		return p.release(after, t)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		// Whatever reports the end of the step's time, as a database may, is not to blame.
		err = fmt.Errorf("pipeline: the step took too long: %v", err) //nolint:errorlint // it is not to be found
	}
	return p.fault(after, t, again, err)
}

// cleanUp removes the audio of an extraction that has ended. One that has not
// was only taken out of this step's hands: its audio is in use.
func (p *Pipeline) cleanUp(ctx context.Context, extractionID string) error {
	e, err := p.store.Extraction(ctx, extractionID)
	if err == nil && !e.State.Status.Terminal() {
		return nil
	}
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return fmt.Errorf("pipeline: cleaning up: %w", err)
	}
	uploadKey := ""
	if e != nil {
		uploadKey = e.MediaKey
	}
	p.deleteMedia(ctx, extractionID, uploadKey)
	return nil
}

// guarded turns a panic of an engine into an error.
func guarded(run func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = transcript.Errorf(transcript.Internal, "The service failed unexpectedly.").
				Because(fmt.Errorf("panic: %v\n%s", r, debug.Stack()))
		}
	}()
	return run()
}

// whileWanted runs fn with a context that ends with cause errUnwanted when the
// extraction ends under it.
func (p *Pipeline) whileWanted(ctx context.Context, extractionID string, fn func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		if p.untilEnded(ctx, extractionID) {
			cancel(errUnwanted)
		}
	}()
	err := fn(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errUnwanted) {
		err = errUnwanted
	}
	cancel(nil)
	<-watched
	return err
}

// untilEnded returns true as soon as the extraction has ended, false when ctx
// has. The signal can be lost, hence the look every second.
func (p *Pipeline) untilEnded(ctx context.Context, extractionID string) bool {
	wake, stop := p.store.Watch(extractionID)
	defer stop()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		e, err := p.store.Extraction(ctx, extractionID)
		if err == nil && e.State.Status.Terminal() || errors.Is(err, db.ErrNotFound) {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-wake:
		case <-tick.C:
		}
	}
}
