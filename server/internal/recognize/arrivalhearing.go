package recognize

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/speech"
)

// hearing recognizes the chunks of an upload that arrives, in order and one at a time, while a
// recognizer of this process is free. Only the goroutine that works on the upload calls its
// methods.
type hearing struct {
	*Arrival
	ctx   context.Context // ends with the hearing
	stop  context.CancelFunc
	sound string
	at    int  // the chunk that is recognized, or the next one
	busy  bool // a chunk is recognized, or the rest
	rest  rest
	over  bool // the recognizer has failed: the steps try again
	ended chan heardChunk
}

// rest is the recognition of the sound after the last chunk, which somebody watches.
type rest struct {
	until time.Duration // how much of the recording it has heard
	pause time.Time     // before which it does not begin again: a recognizer works for it half of the time at most
}

// moreRest is how much more sound the rest needs to be recognized again.
const moreRest = 2 * time.Second

// heardChunk is how the recognition of a chunk has ended.
type heardChunk struct {
	chunk  recognition.Chunk
	rest   bool // the chunk is the rest
	took   time.Duration
	result recognition.Result
	by     db.Recognizer
	err    error
}

func (a *Arrival) newHearing(ctx context.Context, sound string) *hearing {
	h := &hearing{Arrival: a, sound: sound, ended: make(chan heardChunk, 1)}
	h.ctx, h.stop = context.WithCancel(ctx)
	return h
}

// next begins to recognize the next chunk, if the chunk is there and may be recognized now.
func (h *hearing) next() {
	for h.at < len(h.chunks) && h.chunks[h.at].Silent {
		h.watched.settle(planOf(h.chunks).Chunks[h.at], nil)
		h.at++
	}
	if h.busy || h.over {
		return
	}
	chunk, isRest, ok := h.wanted()
	if !ok || !h.maySlot() {
		return
	}
	release, free := h.recognizers.try()
	if !free {
		return
	}
	h.busy = true
	go func() {
		began := time.Now()
		heard := h.hear(chunk)
		heard.chunk, heard.rest, heard.took = chunk, isRest, time.Since(began)
		release()
		h.ended <- heard
	}()
}

// wanted returns the next chunk. If there is none yet, and somebody watches, it is the rest.
func (h *hearing) wanted() (c recognition.Chunk, isRest, ok bool) {
	if h.at < len(h.chunks) {
		return planOf(h.chunks).Chunks[h.at], false, true
	}
	if h.watched == nil || time.Now().Before(h.rest.pause) {
		return c, false, false
	}
	c = h.growing.Rest()
	return c, true, !c.Silent && c.Start()+c.Duration()-max(h.rest.until, c.Start()) >= moreRest
}

// maySlot reports whether the plan of the account permits one recording more at once.
func (h *hearing) maySlot() bool {
	used, err := h.Store.Places.InUse(h.ctx, h.Account)
	return err == nil && intake.HasSlot(used, h.Limits) // without the database nothing is recognized ahead
}

// hear recognizes a chunk.
func (h *hearing) hear(chunk recognition.Chunk) heardChunk {
	path := filepath.Join(h.dir, "chunk.wav")
	if err := writeChunk(path, h.sound, chunk); err != nil {
		return heardChunk{err: err}
	}
	began := time.Now()
	defer h.Reach.Lend()()
	heard, err := h.Engine.Recognizer.Recognize(h.ctx, engine.Audio{Path: path, Duration: chunk.Duration()}, engine.RecognizeOptions{
		Language: h.recognizerTag(h.Language), Prompt: h.Prompt, Progress: func(time.Duration) {},
	})
	if err != nil {
		return heardChunk{err: err}
	}
	h.Reach.Answered()
	by := heardBy(h.Engine.Recognizer, heard)
	h.Metrics.Recognized(by.Name, chunk.Duration(), time.Since(began))
	return heardChunk{result: chunk.Place(heard), by: recognizerOf(by)}
}

// writeChunk writes a chunk of a recording as a recording of its own.
func writeChunk(path, sound string, chunk recognition.Chunk) error {
	rec, err := speech.Open(sound)
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return errors.Join(err, rec.Close())
	}
	return errors.Join(chunk.Write(f, rec), f.Close(), rec.Close())
}

// take notes what was recognized, and removes the chunk's audio, which is not needed any more.
func (h *hearing) take(ctx context.Context, heard heardChunk) {
	h.busy = false
	if heard.rest && heard.err == nil {
		h.rest = rest{until: heard.chunk.Start() + heard.chunk.Duration(), pause: time.Now().Add(heard.took)}
		h.watched.grow(heard.chunk, heard.result.Segments)
		return
	}
	result, err := json.Marshal(heard.result)
	if errors.Join(heard.err, err) != nil {
		h.over = true
		return
	}
	c := &h.chunks[h.at]
	c.Result, c.Recognizer, c.Done = result, &heard.by, true
	h.Audio.DeleteBlobs(context.WithoutCancel(ctx), c.MediaKey)
	h.watched.settle(heard.chunk, heard.result.Segments)
	h.at++
}

// end ends the hearing. A chunk that is recognized only in part is left to its step.
func (h *hearing) end(ctx context.Context) {
	h.stop()
	if h.busy {
		h.take(ctx, <-h.ended)
	}
}
