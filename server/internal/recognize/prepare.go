package recognize

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/audio"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// chunkWindow is how many chunks of one piece of work stand in the queue at once.
// A long recording thus lets shorter ones pass between its chunks.
const chunkWindow = 8

// overshoot is how much more than the longest permitted media is decoded, to tell
// "too long" from "just as long".
const overshoot = time.Second

// Prepare is the step of duration_check, the first of an upload: it downloads
// what is a link, measures, decodes and cuts the media, and leaves the chunks to
// be recognized.
func (p *Steps) Prepare(ctx context.Context, t step.Held, _ step.Prepare) error {
	if err := p.Disks.Room(0); err != nil { // before anything is downloaded, again and again
		return err
	}
	e, err := p.enterDurationCheck(ctx, t)
	if err != nil || e.State != step.DurationCheck {
		return err
	}
	if taken, err := p.takeArrived(ctx, t, e); taken || err != nil {
		return err
	}
	plan, heard, recs, err := p.decode(ctx, t, e)
	if err != nil {
		return p.orServeStale(ctx, t, err)
	}
	chunks, err := p.keepChunks(ctx, e.ID, plan, recs)
	if err := errors.Join(err, closeAll(recs)); err != nil {
		for _, c := range chunks { // the next attempt keeps its own, and needs the room
			p.Audio.DeleteBlobs(context.WithoutCancel(ctx), c.MediaKey)
		}
		return err
	}
	return p.leaveChunks(ctx, t, plan, heard, chunks, len(plan.Speech()))
}

// enterDurationCheck moves queued work to duration_check, and ends the jobs
// on it whose plans do not permit recognition. If no account of the other jobs has a
// place, the work goes back; the step is queued again when there is a place.
func (p *Steps) enterDurationCheck(ctx context.Context, t step.Held) (e *db.Work, err error) {
	err = p.Moves.Own(ctx, t, func(ctx context.Context, tx *db.Tx, locked *db.Work) error {
		e = locked
		if answered, err := p.answered(ctx, tx, e); err != nil || answered {
			return err
		}
		if e.State != step.DurationCheck {
			if err := p.Moves.Enter(ctx, tx, e, t); err != nil {
				return err
			}
			sound, err := intake.ExtentOf(ctx, tx.Reader, e)
			if err != nil {
				return err
			}
			if err := p.Moves.AdmitSound(ctx, tx, e, sound); err != nil || e.State.Status.Terminal() {
				return err
			}
		}
		if seated, err := intake.FindPlace(ctx, tx, e); err != nil || seated {
			return err
		}
		if err := p.Moves.GoBack(ctx, tx, e, intake.Interrupted, nil); err != nil {
			return err
		}
		return tx.Queue.Finish(ctx, t.Row) // a second run must not compete with the one to come
	})
	return e, err
}

// decode spools the media, refuses what cannot be transcribed, cuts it, and listens to it. The
// caller closes the recordings.
func (p *Steps) decode(ctx context.Context, t step.Held, e *db.Work) (plan recognition.Plan, heard *recognition.Sound, recs []*speech.Recording, err error) {
	team, list := p.Cluster.TeamNow(ctx), subject.OnlyASR(subject.OfWork(e).ASRLanguage())
	if err := team.CanTranscribe(list); err != nil {
		return plan, nil, nil, err // the process that could when it was accepted is gone
	}
	if p.Engine.Media == nil {
		return plan, nil, nil, p.Cluster.Alone().CanTranscribe(list) // this process alone
	}
	sound, err := p.readSound(ctx, t, e)
	if e.MediaKey == "" && errors.Is(err, transcript.UploadInvalid) { // nobody has uploaded it
		err = transcript.Errorf(transcript.Unavailable, "The media behind the link has no sound that can be read.").Because(err)
	}
	if err != nil {
		return plan, nil, nil, err
	}
	if recs, err = recordingsOf(sound); err != nil {
		return plan, nil, nil, err
	}
	if plan, err = planOfSound(ctx, recs, len(sound.Channels) > 0, team.Lengths(list)); err == nil {
		heard, err = p.listen(ctx, t, e, sound, recs, plan)
	}
	if err != nil {
		return plan, nil, nil, errors.Join(err, closeAll(recs))
	}
	return plan, heard, recs, nil
}

// readSound spools and decodes the media of work.
func (p *Steps) readSound(ctx context.Context, t step.Held, e *db.Work) (engine.Sound, error) {
	in, err := p.spool(ctx, t, e)
	if err != nil {
		return engine.Sound{}, err
	}
	return p.normalize(ctx, t, e, in)
}

// planOfSound cuts a recording, or each of its channels.
func planOfSound(ctx context.Context, recs []*speech.Recording, separate bool, l recognition.Lengths) (recognition.Plan, error) {
	plans := make([]recognition.Plan, len(recs))
	for i, rec := range recs {
		var err error
		if plans[i], err = recognition.NewPlan(ctx, rec, l); err != nil {
			return recognition.Plan{}, err
		}
	}
	if !separate {
		return plans[0], nil
	}
	return recognition.JoinChannels(plans), nil
}

// openWhole opens a recording and checks its length: a recording that was cut off on
// the way must not count as whole.
func openWhole(audio engine.Audio) (*speech.Recording, error) {
	rec, err := speech.Open(audio.Path)
	if err != nil {
		return nil, err
	}
	if (rec.Duration() - audio.Duration).Abs() > time.Millisecond {
		err = fmt.Errorf("recognize: a recording of %v holds %v", audio.Duration, rec.Duration())
		return nil, errors.Join(err, rec.Close())
	}
	return rec, nil
}

// spool brings the media into the task's folder: the upload, or what the link leads to.
func (p *Steps) spool(ctx context.Context, t step.Held, e *db.Work) (path string, err error) {
	if e.MediaKey != "" {
		return p.Audio.Load(ctx, e.MediaKey, db.UploadSum(e.ExternalID), t.Dir)
	}
	return downloads{p}.download(ctx, t, e)
}

// normalize decodes a media file. It refuses a file without sound or of undue length. The length that
// the file claims is only a hint: recorders that died leave any number.
func (p *Steps) normalize(ctx context.Context, t step.Held, e *db.Work, in string) (engine.Sound, error) {
	info, err := p.Engine.Media.Probe(ctx, in)
	if err != nil {
		return engine.Sound{}, err
	}
	if !info.HasAudio {
		return engine.Sound{}, transcript.Errorf(transcript.UploadInvalid, "The file has no audio.")
	}
	for {
		longest, err := p.longestWanted(ctx, t)
		if err != nil {
			return engine.Sound{}, err
		}
		size := decodedSize(min(info.Duration, longest))
		if e.Listening.Channels != "" { // each of two channels has a file too
			size *= 3
		}
		if err := p.Disks.Room(size); err != nil {
			return engine.Sound{}, err
		}
		options := normalizeOptions(e)
		options.Max = longest + overshoot
		sound, err := p.Engine.Media.Normalize(ctx, in, filepath.Join(t.Dir, "normalized.wav"), options)
		if err != nil || sound.Duration <= longest {
			return sound, err
		}
		if longest == p.MaxMediaDuration {
			return engine.Sound{}, p.tooLong()
		}
		err = p.Moves.OwnWanted(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Work) error {
			return p.Moves.AdmitSound(ctx, tx, e, limits.Sound{Least: sound.Duration, Said: info.Duration})
		})
		if err != nil {
			return engine.Sound{}, err
		}
		// Somebody has come meanwhile who may have more of it.
	}
}

// longestWanted is the longest media that any of those who wait may have recognized.
func (p *Steps) longestWanted(ctx context.Context, t step.Held) (longest time.Duration, err error) {
	err = p.Moves.Own(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Work) error {
		jobs, err := tx.Jobs.LockRunning(ctx, e.ID)
		longest = 0
		for _, c := range jobs {
			longest = max(longest, limits.Longest(c.Limits, p.MaxMediaDuration))
		}
		return err
	})
	return longest, err
}

// decodedSize is how many bytes a recording takes that is decoded, and cut.
func decodedSize(d time.Duration) int64 {
	const bytesPerSecond = 2 * speech.SampleRate
	return 2 * bytesPerSecond * int64(d/time.Second)
}

func (p *Steps) tooLong() error {
	limit := int(p.MaxMediaDuration.Seconds())
	return transcript.Errorf(transcript.MediaTooLarge, "The media is longer than the %s that this service takes.", transcript.LengthText(limit)).
		With("limitSec", limit)
}

// keepChunks stores the audio of every chunk of speech. After an error it returns
// those that were stored before it, for the caller to delete.
func (p *Steps) keepChunks(ctx context.Context, id string, plan recognition.Plan, recs []*speech.Recording) ([]db.Chunk, error) {
	key := audio.ChunkKeys(id)
	chunks := make([]db.Chunk, len(plan.Chunks))
	for i, c := range plan.Chunks {
		var err error
		if chunks[i], err = p.keepChunk(ctx, id, key, c, recs[max(c.Channel-1, 0)]); err != nil {
			return chunks, err
		}
	}
	return chunks, nil
}

// keepChunk stores the audio of a chunk, unless the chunk is silent.
func (p *Steps) keepChunk(ctx context.Context, id string, key func(int) string, c recognition.Chunk, rec *speech.Recording) (db.Chunk, error) {
	chunk := db.Chunk{
		WorkID:   id,
		N:        c.Index,
		Start:    c.Start().Seconds(),
		Duration: c.Duration().Seconds(),
		Silent:   c.Silent,
		Channel:  c.Channel,
	}
	if c.Silent {
		return chunk, nil
	}
	kept, err := p.Store.Blobs.Put(ctx, key(c.Index), func(w io.Writer) error { return c.Write(w, rec) })
	if err != nil {
		return db.Chunk{}, fmt.Errorf("recognize: keeping chunk %d: %w", c.Index, err)
	}
	chunk.MediaKey, chunk.MediaSHA256 = kept.Key, kept.SHA256[:]
	return chunk, nil
}

// leaveChunks ends the step: the cut list, the move and the wait for a slot in one
// transaction. left is how many chunks are to be recognized; chunks are nil if they are stored
// already. A recording of silence goes straight to be published.
func (p *Steps) leaveChunks(ctx context.Context, t step.Held, plan recognition.Plan, heard *recognition.Sound, chunks []db.Chunk, left int) error {
	return p.Moves.OwnWanted(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Work) error {
		if err := p.Moves.AdmitSound(ctx, tx, e, limits.Lasting(plan.Duration())); err != nil || e.State.Status.Terminal() {
			return err
		}
		if err := tx.Works.SetDuration(ctx, e.ID, plan.Duration().Seconds()); err != nil {
			return err
		}
		if err := tx.Chunks.Insert(ctx, chunks); err != nil {
			return err
		}
		if err := putSound(ctx, tx, e.ID, heard); err != nil {
			return err
		}
		if err := p.Moves.Advance(ctx, tx, e, step.ASRQueued); err != nil {
			return err
		}
		if left == 0 && heard.Untold {
			return tx.Queue.Enqueue(ctx, step.TellSpeakers{Work: e.ID})
		}
		if left == 0 {
			return tx.Queue.Enqueue(ctx, step.Publish{Work: e.ID})
		}
		return intake.GetReady(ctx, tx, e)
	})
}
