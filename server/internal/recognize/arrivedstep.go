package recognize

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// takeArrived ends the step of duration_check for an upload that was cut while it arrived. It
// reports false if there are no such chunks, or if the whole file does not prove them: then the
// step decodes the file.
func (p *Steps) takeArrived(ctx context.Context, t step.Held, e *db.Work) (bool, error) {
	if e.MediaKey == "" {
		return false, nil
	}
	chunks, err := p.Store.Chunks.CutList(ctx, e.ID)
	if err != nil || len(chunks) == 0 {
		return false, err
	}
	plan, left := planOf(chunks), 0
	for _, c := range chunks {
		if !c.Done {
			left++
		}
	}
	proven, err := p.proveArrived(ctx, t, e, plan.Duration())
	if err != nil {
		return false, err
	}
	if !proven {
		return false, p.forgetArrived(ctx, t)
	}
	heard, err := p.listenArrived(ctx, t, e)
	if err != nil {
		return false, err
	}
	return true, p.leaveChunks(ctx, t, plan, heard, nil, left)
}

// listenArrived listens to an upload that was cut while it arrived: whether somebody speaks and who
// is heard in the whole recording only.
func (p *Steps) listenArrived(ctx context.Context, t step.Held, e *db.Work) (*recognition.Sound, error) {
	if p.Engine.Voices == nil && p.Engine.Diarizer == nil {
		return new(recognition.Sound), nil
	}
	sound, err := p.readSound(ctx, t, e)
	if err != nil {
		return nil, err
	}
	recs, err := recordingsOf(sound)
	if err != nil {
		return nil, err
	}
	heard, err := p.listen(ctx, t, e, sound, recs, recognition.Plan{})
	return heard, errors.Join(err, closeAll(recs))
}

// proveArrived reports whether the whole file announces no more sound than was found while it
// arrived.
func (p *Steps) proveArrived(ctx context.Context, t step.Held, e *db.Work, found time.Duration) (bool, error) {
	media, ok := p.Engine.Media.(engine.ArrivingMedia)
	if !ok {
		return false, nil
	}
	in, err := p.spool(ctx, t, e)
	if err != nil {
		return false, err
	}
	err = media.Verify(ctx, in, found, p.MaxMediaDuration)
	if refused := (*transcript.Error)(nil); err != nil && !errors.As(err, &refused) {
		return false, err
	}
	return err == nil, os.Remove(in) // the file may be decoded from the same place
}

// forgetArrived removes the chunks of an upload that are not the whole file. Their audio goes with
// the other audio of the work.
func (p *Steps) forgetArrived(ctx context.Context, t step.Held) error {
	return p.Moves.Own(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Work) error {
		return tx.Chunks.Delete(ctx, e.ID)
	})
}
