package recognize

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/audio"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/language"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
)

// Recognize is the step of one chunk.
func (p *Steps) Recognize(ctx context.Context, t step.Held, a step.Recognize) error {
	if err := p.Reach.Wait(ctx); err != nil {
		return err
	}
	e, plan, err := p.enterRecognition(ctx, t, a.Chunk)
	if err != nil {
		return err
	}
	if err := p.Cluster.Alone().CanRecognize(subject.OnlyASR(subject.OfWork(e).ASRLanguage())); err != nil {
		return err // the process that could when it was accepted is gone
	}
	chunk := plan.Chunks[a.Chunk]
	audio, err := p.loadChunk(ctx, plan.audio[a.Chunk], chunk, t.Dir)
	if err != nil {
		return err
	}
	before, err := p.companyOf(ctx, a, t.Dir)
	if err != nil {
		return err
	}
	release, err := p.recognizers.wait(ctx)
	if err != nil {
		return err
	}
	defer release()
	began := time.Now()
	progress := p.running.open(e.ID, plan)
	defer p.running.close(e.ID)
	defer p.Reach.Lend()()
	heard, err := p.Engine.Recognizer.Recognize(ctx, audio, engine.RecognizeOptions{
		Language: p.recognizerTag(subject.OfWork(e).ASRLanguage()),
		Prompt:   e.Prompt,
		Voices:   before.voices,
		Progress: func(d time.Duration) { p.report(ctx, t, progress, progress.Set(a.Chunk, d)) },
	})
	if err != nil {
		return err
	}
	p.Reach.Answered()
	by := heardBy(p.Engine.Recognizer, heard)
	p.Metrics.Recognized(by.Name, audio.Duration, time.Since(began))
	out := outcome{Result: chunk.Place(heard), by: recognizerOf(by), company: before, wasInTurn: a.InTurn, isInTurn: a.InTurn && heard.KnowsVoices}
	if out.isInTurn && chunk.Channel == 0 {
		if err := out.admit(chunk, &out.Result, audio); err != nil {
			return err
		}
	}
	return p.finishChunk(ctx, t, plan, out, progress)
}

// loadChunk brings the audio of a chunk into dir, and proves that it is whole.
func (p *Steps) loadChunk(ctx context.Context, stored db.Chunk, c recognition.Chunk, dir string) (engine.Audio, error) {
	path, err := p.Audio.Load(ctx, stored.MediaKey, stored.MediaSHA256, dir)
	if err != nil {
		return engine.Audio{}, err
	}
	sound := engine.Audio{Path: path, Duration: c.Duration()}
	rec, err := openWhole(sound)
	if err != nil {
		return engine.Audio{}, audio.Damaged(err)
	}
	return sound, rec.Close()
}

// enterRecognition moves the work to asr_running and returns its cut list.
func (p *Steps) enterRecognition(ctx context.Context, t step.Held, chunk int) (e *db.Work, plan cutList, err error) {
	err = p.Moves.Own(ctx, t, func(ctx context.Context, tx *db.Tx, locked *db.Work) error {
		e = locked
		if plan, err = readCutList(ctx, tx, e.ID); err != nil {
			return err
		}
		if plan.done[chunk] {
			return attempt.ErrUnwanted
		}
		return p.Moves.Enter(ctx, tx, e, t)
	})
	return e, plan, err
}

// outcome is what is to be stored of a chunk.
type outcome struct {
	recognition.Result
	by      db.Recognizer
	company // with those who speak in the chunk

	wasInTurn, isInTurn bool // the chunks wait for each other, until this one and from now on
}

// finishChunk stores the result of a chunk, queues what is next, and with the
// last one the publication, in one transaction.
func (p *Steps) finishChunk(ctx context.Context, t step.Held, plan cutList, r outcome, progress *reporter) error {
	stored, err := json.Marshal(r.Result)
	if err != nil {
		return fmt.Errorf("recognize: storing chunk %d: %w", r.Chunk, err)
	}
	now := progress.Finish(r.Chunk)
	return p.Moves.Own(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Work) error {
		first, left, err := tx.Chunks.Finish(ctx, e.ID, r.Chunk, stored, r.by)
		if err != nil || !first {
			return err
		}
		if err := tx.Works.SetWaiting(ctx, e, nil); err != nil {
			return err
		}
		if err := tx.Jobs.SetProgress(ctx, e.ID, &now); err != nil {
			return err
		}
		if err := tx.Speakers.Put(ctx, r.rows(e.ID)); err != nil {
			return err
		}
		next := plan.next(r.Chunk, r.wasInTurn, r.isInTurn)
		if err := enqueueChunks(ctx, tx, e, next, r.isInTurn); err != nil {
			return err
		}
		if left > 0 {
			return nil
		}
		return tx.Queue.Enqueue(ctx, step.Publish{Work: e.ID})
	})
}

// recognizerTag is a language as the recognizer calls it: its own tag where it has
// another code for the language, "ro" for "mo".
func (p *Steps) recognizerTag(tag string) string {
	primary, _, _ := strings.Cut(tag, "-")
	known := p.Engine.Recognizer.Info().Languages
	if tag == "" || slices.ContainsFunc(known, func(have string) bool {
		first, _, _ := strings.Cut(have, "-")
		return strings.EqualFold(first, primary)
	}) {
		return tag
	}
	if n := slices.IndexFunc(known, func(have string) bool { return language.Same(have, tag) }); n >= 0 {
		return known[n]
	}
	return tag
}

// Start is the step between the cut and the first chunk: it puts the first chunks of an
// work that has been given a slot into the queue.
func (p *Steps) Start(ctx context.Context, t step.Held, _ step.Start) error {
	team := p.Cluster.TeamNow(ctx)
	return p.Moves.Own(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Work) error {
		plan, err := readCutList(ctx, tx, e.ID)
		if err != nil {
			return err
		}
		inTurn := team.TakesTurns(subject.OnlyASR(subject.OfWork(e).ASRLanguage()))
		if err := enqueueChunks(ctx, tx, e, plan.first(inTurn), inTurn); err != nil {
			return err
		}
		return tx.Queue.Finish(ctx, t.Row) // else a second run would queue them twice
	})
}

func enqueueChunks(ctx context.Context, tx *db.Tx, e *db.Work, chunks []recognition.Chunk, inTurn bool) error {
	for _, c := range chunks {
		if err := tx.Queue.Enqueue(ctx, step.Recognize{Work: e.ID, Chunk: c.Index, InTurn: inTurn}); err != nil {
			return err
		}
	}
	return nil
}
