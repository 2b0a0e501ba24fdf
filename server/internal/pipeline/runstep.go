package pipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/audio"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/disks"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
)

// processor runs the steps on extractions.
type processor struct {
	cfg      Config
	store    *db.Store
	engine   engine.Engine // its sources keep the pace
	cluster  *cluster.Cluster
	reach    *cluster.Reach
	sources  *ask.Sources
	claims   *claims
	features Features
	audio    *audio.Files
	disks    *disks.Disks
	metrics  *metrics.Metrics
	log      *slog.Logger
	running  progressBoard
	// recognizers are shared by the queue's steps and by uploads that arrive.
	recognizers recognizerSlots
	arrivals    arrivals
}

// worker does the steps of one kind.
func worker[S step](p *processor, timeout time.Duration, run func(ctx context.Context, t task, step S) error) queue.Worker {
	return queue.NewWorker(timeout, func(ctx context.Context, w queue.Row, step S) error {
		t := task{extraction: step.extraction(), work: w}
		if p.forOthers(ctx, step) {
			return p.leave(db.Unhurried(ctx), t, step)
		}
		return p.work(ctx, t, step, func(ctx context.Context, t task) error {
			return run(ctx, t, step)
		})
	})
}

// work runs one step in a scratch directory of its own and settles how it
// ended. again is what is queued when the step is to be repeated.
func (p *processor) work(ctx context.Context, t task, again queue.Step, run func(ctx context.Context, t task) error) error {
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

// inLine sets the place of a step in the line before a platform, where accounts take
// turns. A step that only batches wait for goes behind all others.
func (p *processor) inLine(ctx context.Context, t task) context.Context {
	if t.work.Queue != queueCaptions && t.work.Queue != queueDownload {
		return ctx // it visits none
	}
	who, err := p.store.Queue.Waiting(ctx, t.extraction)
	if err == nil && !who.Asked { // a database that is away ends the step anyway
		return throttle.BehindInLine(ctx, t.extraction, who.Turns...)
	}
	return throttle.InLine(ctx, t.extraction, who.Turns...)
}

// conclude does what follows from how a step ended.
func (p *processor) conclude(ctx context.Context, t task, again queue.Step, err error) error {
	after := context.WithoutCancel(ctx)
	switch {
	case err == nil, errors.Is(err, errTakenOver):
		return err
	case errors.Is(err, attempt.ErrUnwanted):
		return p.cleanUp(after, t.extraction)
	case errors.Is(ctx.Err(), context.Canceled): // the runner stops; a step's own time limit is no such end
		return p.release(after, t)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		// The part that reports the end of the step's time, such as the database, is not
		// at fault.
		err = fmt.Errorf("pipeline: the step took too long: %v", err) //nolint:errorlint // it is not to be found
	}
	return p.fault(after, t, again, err)
}

// cleanUp has the audio removed that a step may have written after its extraction ended.
// If the extraction has only gone on to another step, its audio is in use and stays.
func (p *processor) cleanUp(ctx context.Context, extractionID string) error {
	e, err := p.store.Extractions.ByID(ctx, extractionID)
	switch {
	case errors.Is(err, db.ErrNotFound):
		p.audio.DeleteChunks(ctx, extractionID)
	case err != nil:
		return fmt.Errorf("pipeline: cleaning up: %w", err)
	case e.State.Status.Terminal():
		if !audio.MayHave(e) {
			return nil
		}
		return p.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.Extractions.LeaveAudio(ctx, e.ID) })
	}
	return nil
}

// whileWanted runs fn with a context that ends with cause attempt.ErrUnwanted when the
// extraction ends under it.
func (p *processor) whileWanted(ctx context.Context, extractionID string, fn func(context.Context) error) error {
	return attempt.WhileWanted(ctx, p.store, extractionID, func(ctx context.Context) bool {
		e, err := p.store.Extractions.ByID(ctx, extractionID)
		return err == nil && e.State.Status.Terminal() || errors.Is(err, db.ErrNotFound)
	}, fn)
}

// forOthers tells that a step is one that only others can do.
func (p *processor) forOthers(ctx context.Context, s step) bool {
	if !p.cluster.Shared() {
		return false
	}
	e, err := p.store.Extractions.ByID(ctx, s.extraction())
	if err != nil {
		return false // the step finds the same
	}
	return p.cluster.OnlyOthers(ctx, func(t cluster.Team) bool {
		switch s := s.(type) {
		case captionsArgs:
			return t.ReadsCaptions(e.Platform)
		case prepareArgs:
			if subject.Direct(subject.OfExtraction(e).Content) {
				return t.DecodesDirect()
			}
			return t.Decodes(s.Link)
		case recognizeArgs:
			return t.CanRecognize(subject.OnlyASR(subject.OfExtraction(e).ASRLanguage())) == nil
		}
		return true
	})
}

// leave puts a step back into the queue for a process that can do it. The attempt does
// not count, and the extraction stays where it is.
func (p *processor) leave(ctx context.Context, t task, again queue.Step) error {
	err := p.own(ctx, t, func(ctx context.Context, tx *db.Tx, _ *db.Extraction) error {
		_, err := tx.Queue.RunAgain(ctx, t.work, again, cluster.ElsewherePause)
		return err
	})
	switch {
	case errors.Is(err, attempt.ErrUnwanted):
		return p.cleanUp(ctx, t.extraction)
	case errors.Is(err, errTakenOver):
		return nil // then somebody does it
	}
	return err
}
