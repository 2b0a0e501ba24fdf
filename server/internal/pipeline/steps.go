package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The queues, and how many of their steps run at once. Chunks have as many workers as
// Config.ASRWorkers says. Publishing has a queue of its own, so that a job that is
// nearly done waits neither for downloads nor for recognition; so has the start of
// recognition, so that no slot is idle while others download. In each queue accounts
// take turns (db.Tx.Enqueue).
const (
	queueCaptions   = "captions"
	queueDownload   = "download"
	queueMedia      = "media"
	queueStart      = "start"
	queueASR        = "asr"
	queuePublish    = "publish"
	queueBatches    = "batches"
	queueLists      = "lists"
	queueLookups    = "lookups"
	queueDiscovery  = "discovery"
	queueJobHook    = string(db.JobHook)
	queueBatchHook  = string(db.BatchHook)
	queueHouse      = "house"
	captionWorkers  = 4
	downloadWorkers = 2
	mediaWorkers    = 2
	startWorkers    = 1
	publishWorkers  = 2
	listWorkers     = 2
	batchWorkers    = 1
	hookWorkers     = 4 // of each
	houseWorkers    = 1
)

// The time limits of one step, far above what one takes. They do not find steps whose
// process has died: a missing heartbeat does.
const (
	captionsTimeout  = 5 * time.Minute
	discoverTimeout  = 5 * time.Minute
	prepareTimeout   = 2 * time.Hour
	startTimeout     = time.Minute
	recognizeTimeout = 30 * time.Minute // and some for the length of a chunk
	publishTimeout   = 5 * time.Minute
	feedTimeout      = 5 * time.Minute
)

type captionsArgs struct {
	Extraction string `json:"extraction"`
}

func (a captionsArgs) extraction() string { return a.Extraction }
func (captionsArgs) Kind() string         { return "captions" }
func (captionsArgs) Queue() string        { return queueCaptions }

type prepareArgs struct {
	Extraction string `json:"extraction"`
	// Link tells that the media must be downloaded.
	Link bool `json:"link,omitempty"`
}

func prepareStep(e *db.Extraction) prepareArgs {
	return prepareArgs{Extraction: e.ID, Link: e.MediaKey == ""}
}

func (a prepareArgs) extraction() string { return a.Extraction }
func (prepareArgs) Kind() string         { return "prepare" }
func (a prepareArgs) Queue() string {
	if a.Link {
		return queueDownload
	}
	return queueMedia
}

type startArgs struct {
	Extraction string `json:"extraction"`
}

func (a startArgs) extraction() string { return a.Extraction }
func (startArgs) Kind() string         { return "start" }
func (startArgs) Queue() string        { return queueStart }

type recognizeArgs struct {
	Extraction string `json:"extraction"`
	Chunk      int    `json:"chunk"`
	// Failed is how many attempts at this chunk have failed. Chunks count each for
	// itself, as all in the queue fail when a recognizer is away for a moment.
	Failed int `json:"failed,omitempty"`
	// InTurn tells that the chunks of the extraction are recognized one after the other,
	// as each wants the voices of those before.
	InTurn bool `json:"inTurn,omitempty"`
}

func (a recognizeArgs) extraction() string { return a.Extraction }
func (recognizeArgs) Kind() string         { return "recognize" }
func (recognizeArgs) Queue() string        { return queueASR }

type publishArgs struct {
	Extraction string `json:"extraction"`
}

func (a publishArgs) extraction() string { return a.Extraction }
func (publishArgs) Kind() string         { return "publish" }
func (publishArgs) Queue() string        { return queuePublish }

// step is a part of the work on an extraction.
type step interface {
	db.Step
	extraction() string // its id
}

// worker does the steps of one kind.
func worker[S step](p *Pipeline, timeout time.Duration, run func(ctx context.Context, t task, step S) error) db.Worker {
	return db.NewWorker(timeout, func(ctx context.Context, w db.Work, step S) error {
		t := task{extraction: step.extraction(), work: w}
		if p.forOthers(ctx, step) {
			return p.leave(db.Unhurried(ctx), t, step)
		}
		return p.work(ctx, t, step, func(ctx context.Context, t task) error {
			return run(ctx, t, step)
		})
	})
}

func (p *Pipeline) workers(process string) db.Workers {
	return db.Workers{
		Process: process,
		Workers: []db.Worker{
			worker(p, captionsTimeout, p.readCaptions),
			worker(p, prepareTimeout, p.prepare),
			worker(p, startTimeout, p.start),
			worker(p, p.recognizeTimeout(), p.recognize),
			worker(p, publishTimeout, p.publish),
			db.NewWorker(expandTimeout, p.expand),
			db.NewWorker(feedTimeout, p.feed),
			db.NewWorker(captionsTimeout, p.answerReaders),
			db.NewWorker(discoverTimeout, p.discoverForReaders),
			db.NewWorker(p.cfg.tellTime, p.tellOfJob),
			db.NewWorker(p.cfg.tellTime, p.tellOfEndedBatch),
			db.NewWorker(0, p.sweep),
		},
		Queues: map[string]int{
			queueCaptions:  captionWorkers,
			queueDownload:  downloadWorkers,
			queueMedia:     mediaWorkers,
			queueStart:     startWorkers,
			queueASR:       p.cfg.ASRWorkers,
			queuePublish:   publishWorkers,
			queueLists:     listWorkers,
			queueBatches:   batchWorkers,
			queueLookups:   lookupWorkers,
			queueDiscovery: discoverers,
			queueJobHook:   hookWorkers,
			queueBatchHook: hookWorkers,
			queueHouse:     houseWorkers,
		},
		Takes:    p.takes,
		Periodic: []db.Periodic{{Step: sweepArgs{}, Every: p.cfg.Retention.Every}},
		Finished: p.cfg.Retention.Finished,
	}
}

// recognizeTimeout is longer for longer chunks: a large model on a small machine
// takes some ten times as long as the audio, and other chunks may go before.
func (p *Pipeline) recognizeTimeout() time.Duration {
	if p.engine.Recognizer == nil {
		return recognizeTimeout
	}
	return recognizeTimeout + 60*speech.LengthsFor(p.engine.Recognizer.Info()).Longest
}

// work runs one step in a scratch directory of its own and settles how it
// ended. again is what is queued when the step is to be repeated.
func (p *Pipeline) work(ctx context.Context, t task, again db.Step, run func(ctx context.Context, t task) error) error {
	ctx = db.Unhurried(ctx)
	dir, err := os.MkdirTemp(p.cfg.Dir, "step-")
	if err != nil {
		return p.fault(context.WithoutCancel(ctx), t, again, fmt.Errorf("%w: making a scratch directory: %w", db.ErrUnavailable, err))
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			p.log.WarnContext(ctx, "scratch files were left behind", "dir", dir, "err", err)
		}
	}()
	t.dir = dir
	err = p.whileWanted(p.inLine(ctx, t), t.extraction, func(ctx context.Context) error {
		return p.traced(ctx, t, again, func(ctx context.Context) error { return run(ctx, t) })
	})
	err = p.conclude(ctx, t, again, err)
	if errors.Is(err, errTakenOver) {
		p.log.WarnContext(ctx, "a step was left to the process that has taken it over", "extraction", t.extraction, "step", t.work.Kind)
		return nil
	}
	return err
}

// inLine gives the visits of a step their place before a platform, where those who wait
// for it take turns: behind all others where only batches wait for it.
func (p *Pipeline) inLine(ctx context.Context, t task) context.Context {
	if t.work.Queue != queueCaptions && t.work.Queue != queueDownload {
		return ctx // it visits none
	}
	who, err := p.store.Claimants(ctx, t.extraction)
	if err == nil && !who.Asked { // a database that is away ends the step anyway
		return pace.BehindInLine(ctx, t.extraction, who.Turns...)
	}
	return pace.InLine(ctx, t.extraction, who.Turns...)
}

// conclude does what follows from how a step ended.
func (p *Pipeline) conclude(ctx context.Context, t task, again db.Step, err error) error {
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

// cleanUp removes the audio that a step may have written after its extraction ended.
// If the extraction has only gone on to another step, its audio is in use and stays.
func (p *Pipeline) cleanUp(ctx context.Context, extractionID string) error {
	e, err := p.store.Extraction(ctx, extractionID)
	switch {
	case errors.Is(err, db.ErrNotFound):
		p.deleteChunks(ctx, extractionID)
	case err != nil:
		return fmt.Errorf("pipeline: cleaning up: %w", err)
	case e.State.Status.Terminal():
		p.deleteMedia(ctx, e)
	}
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
	return p.until(ctx, extractionID, func(ctx context.Context) bool {
		e, err := p.store.Extraction(ctx, extractionID)
		return err == nil && e.State.Status.Terminal() || errors.Is(err, db.ErrNotFound)
	}, fn)
}

// until runs fn with a context that ends with cause errUnwanted when what it works on,
// which has an id, has ended.
func (p *Pipeline) until(ctx context.Context, id string, ended func(context.Context) bool, fn func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		if p.await(ctx, id, ended) {
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

// await returns true as soon as what has the id has ended, false when ctx has. The
// signal can be lost, hence the look every second.
func (p *Pipeline) await(ctx context.Context, id string, ended func(context.Context) bool) bool {
	wake, stop := p.store.Watch(id)
	defer stop()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		if ended(ctx) {
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
