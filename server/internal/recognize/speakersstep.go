package recognize

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TellSpeakers is the step that finds out who speaks when. It hears the whole recording, once, while
// its chunks are recognized. What it finds out is stored, so that a crash changes none of it. The
// text waits for the step.
func (p *Steps) TellSpeakers(ctx context.Context, t step.Held, _ step.TellSpeakers) error {
	e, chunks, heard, err := p.beginTelling(ctx, t)
	if err != nil {
		return err
	}
	if err := p.tell(ctx, t, e, chunks, heard); err != nil {
		return err
	}
	heard.Untold = false
	return p.Moves.Own(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Work) error {
		if err := putSound(ctx, tx, e.ID, heard); err != nil {
			return err
		}
		rows, err := tx.Chunks.CutList(ctx, e.ID)
		if err != nil || slices.ContainsFunc(rows, func(c db.Chunk) bool { return !c.Done }) {
			return err // the last chunk goes on
		}
		return tx.Queue.Enqueue(ctx, step.Publish{Work: e.ID})
	})
}

// beginTelling reads what the step needs. The step has nothing to do if somebody has told the
// speakers apart.
func (p *Steps) beginTelling(ctx context.Context, t step.Held) (e *db.Work, chunks []db.Chunk, heard *recognition.Sound, err error) {
	err = p.Moves.Own(ctx, t, func(ctx context.Context, tx *db.Tx, locked *db.Work) (err error) {
		e = locked
		sound, err := view.SoundOfWork(ctx, tx.Reader, e.ID)
		if err != nil {
			return err
		}
		if heard = &sound; !heard.Untold {
			return attempt.ErrUnwanted
		}
		chunks, err = tx.Chunks.CutList(ctx, e.ID)
		return err
	})
	return e, chunks, heard, err
}

// tell has the diarizer tell the speakers apart. If nobody has asked for them, a text does not fail
// because that fails.
func (p *Steps) tell(ctx context.Context, t step.Held, e *db.Work, chunks []db.Chunk, heard *recognition.Sound) error {
	asked := e.Listening.Speakers > 0
	if p.Engine.Diarizer == nil {
		if asked { // the process that could when it was accepted is gone
			return transcript.Errorf(transcript.NotImplemented, "This service cannot tell speakers apart. %s", engine.CureDiarizer)
		}
		return nil
	}
	var turns []engine.Turn
	audio, err := p.wholeSound(ctx, t, e, chunks)
	if err == nil {
		turns, err = p.Engine.Diarizer.Diarize(ctx, audio, engine.DiarizeOptions{Speakers: int(max(e.Listening.Speakers, 0))})
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && !asked:
		p.Log.WarnContext(ctx, "the speakers of a recording were not told apart", "extraction", e.ID, "err", err)
		return nil
	case err != nil:
		return fmt.Errorf("recognize: telling speakers apart: %w", err)
	}
	info := p.Engine.Diarizer.Info()
	heard.Turns, heard.Diarizer = turns, &transcript.Diarizer{Name: info.Name}
	if info.Model != "" {
		heard.Diarizer.Model = &info.Model
	}
	return nil
}

// wholeSound is the sound of work: that of the upload, or of the chunks of what was downloaded.
func (p *Steps) wholeSound(ctx context.Context, t step.Held, e *db.Work, chunks []db.Chunk) (engine.Audio, error) {
	if e.MediaKey != "" {
		sound, err := p.readSound(ctx, t, e)
		return sound.Audio, err
	}
	plan := planOf(chunks)
	if err := p.Disks.Room(decodedSize(plan.Duration())); err != nil {
		return engine.Audio{}, err
	}
	audio := engine.Audio{Path: filepath.Join(t.Dir, "whole.wav"), Duration: plan.Duration()}
	f, err := os.Create(audio.Path)
	if err != nil {
		return engine.Audio{}, fmt.Errorf("recognize: joining chunks: %w", err)
	}
	joined := &joinedChunks{steps: p, ctx: ctx, dir: t.Dir, plan: plan, rows: chunks}
	err = speech.WriteWAV(f, joined, plan.Samples)
	return audio, errors.Join(err, joined.close(), f.Close())
}

// joinedChunks reads the samples of chunks in a row. A silent chunk has no audio: its samples are 0.
type joinedChunks struct {
	steps *Steps
	ctx   context.Context //nolint:containedctx // of the one read of all chunks
	dir   string
	plan  recognition.Plan
	rows  []db.Chunk
	next  int // the chunk after that of now
	now   io.Reader
	open  *speech.Recording // that now reads; nil: none
}

func (j *joinedChunks) Read(b []byte) (int, error) {
	for {
		if j.now != nil {
			if n, err := j.now.Read(b); n > 0 || err != nil && !errors.Is(err, io.EOF) {
				return n, err
			}
		}
		if j.next == len(j.plan.Chunks) {
			return 0, io.EOF
		}
		if err := j.advance(); err != nil {
			return 0, err
		}
	}
}

// advance goes to the next chunk.
func (j *joinedChunks) advance() error {
	if err := j.close(); err != nil {
		return err
	}
	c, row := j.plan.Chunks[j.next], j.rows[j.next]
	j.next++
	if c.Silent {
		j.now = io.LimitReader(zeros{}, 2*(c.Last-c.First))
		return nil
	}
	audio, err := j.steps.loadChunk(j.ctx, row, c, j.dir)
	if err != nil {
		return err
	}
	if j.open, err = speech.Open(audio.Path); err != nil {
		return err
	}
	j.now = j.open.PCM(0, j.open.Samples())
	return os.Remove(audio.Path) // it stays readable while it is open
}

func (j *joinedChunks) close() error {
	if j.open == nil {
		return nil
	}
	err := j.open.Close()
	j.open = nil
	return err
}

// zeros are samples of silence.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// goOn queues the step after the last chunk of work is done: the text is made when the speakers are
// told apart, and the step that tells them goes on with it.
func goOn(ctx context.Context, tx *db.Tx, workID string) error {
	heard, err := view.SoundOfWork(ctx, tx.Reader, workID)
	if err != nil || heard.Untold {
		return err
	}
	return tx.Queue.Enqueue(ctx, step.Publish{Work: workID})
}

// untold is the step that tells the speakers of work apart, if that is still to be done.
func untold(ctx context.Context, tx *db.Tx, workID string) ([]queue.Step, error) {
	heard, err := view.SoundOfWork(ctx, tx.Reader, workID)
	if err != nil || !heard.Untold {
		return nil, err
	}
	return []queue.Step{step.TellSpeakers{Work: workID}}, nil
}

// enqueueUntold queues that step.
func enqueueUntold(ctx context.Context, tx *db.Tx, workID string) error {
	steps, err := untold(ctx, tx, workID)
	for _, s := range steps {
		err = errors.Join(err, tx.Queue.Enqueue(ctx, s))
	}
	return err
}
