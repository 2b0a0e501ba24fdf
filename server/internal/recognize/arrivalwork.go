package recognize

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/speech"
)

// decoded is the sound of an upload that has arrived.
type decoded struct {
	audio engine.Audio
	err   error
}

// decode decodes the upload, and cuts and recognizes the sound that is there. It ends with the
// upload, or with ctx.
func (a *Arrival) decode(ctx context.Context) {
	defer close(a.done)
	sound := filepath.Join(a.dir, "arriving.wav")
	whole := make(chan decoded, 1)
	go func() {
		audio, err := a.media.NormalizeArriving(ctx, a.file, sound, a.Longest+overshoot)
		whole <- decoded{audio, err}
	}()
	hearing := a.newHearing(ctx, sound)
	began := time.Now()
	look := time.NewTicker(arrivalLook)
	defer look.Stop()
	for a.err == nil {
		select {
		case end := <-whole:
			hearing.end(ctx)
			a.err = a.cutRest(ctx, end)
			return
		case <-look.C:
			a.err = a.cut(ctx, sound)
			if a.watched != nil || time.Since(began) >= a.HearAfter {
				hearing.next()
			}
		case heard := <-hearing.ended:
			hearing.take(ctx, heard)
			hearing.next()
		}
	}
	hearing.end(ctx)
	a.stop()
	a.file.Finish(errDiscarded)
	<-whole
}

// cut stores the chunks that are certain by now.
func (a *Arrival) cut(ctx context.Context, sound string) error {
	rec, err := speech.Open(sound)
	if err != nil {
		return nil //nolint:nilerr // the decoder has written no header yet
	}
	chunks, err := a.growing.Cut(ctx, rec)
	if err == nil && len(chunks) > 0 {
		err = a.Disks.Room(0)
	}
	if err == nil {
		err = a.keepAll(ctx, chunks, rec)
	}
	return errors.Join(err, rec.Close())
}

// cutRest stores the other chunks of the whole recording.
func (a *Arrival) cutRest(ctx context.Context, end decoded) error {
	switch {
	case end.err != nil:
		return end.err
	case end.audio.Duration > a.Longest:
		return fmt.Errorf("recognize: the recording is longer than the %v that the account may have", a.Longest)
	}
	rec, err := openWhole(end.audio)
	if err != nil {
		return err
	}
	plan, err := a.growing.End(ctx, rec)
	if err == nil {
		err = a.keepAll(ctx, plan.Chunks[len(a.chunks):], rec)
	}
	return errors.Join(err, rec.Close())
}

func (a *Arrival) keepAll(ctx context.Context, chunks []recognition.Chunk, rec *speech.Recording) error {
	for _, c := range chunks {
		kept, err := a.keepChunk(ctx, a.work, a.key, c, rec)
		if err != nil {
			return err
		}
		a.chunks = append(a.chunks, kept)
	}
	return nil
}
