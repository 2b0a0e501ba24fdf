package recognize

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// normalizeOptions are how the media of work is decoded. A download that is cut off is fetched
// again, so it must be whole.
func normalizeOptions(e *db.Work) engine.NormalizeOptions {
	l := e.Listening
	o := engine.NormalizeOptions{
		Language: subject.OfWork(e).ASRLanguage(), Channels: l.Channels, Whole: l.RequireWhole || e.MediaKey == "",
	}
	if n, err := strconv.Atoi(l.AudioTrack); err == nil {
		o.Track = n
	} else if l.AudioTrack != "" {
		o.Language = l.AudioTrack
	}
	return o
}

// listen finds the speech in a recording, marks the chunks of the plan without speech as silent before
// anything is recognized, and reports whether the speakers must be told apart. recs are the
// recordings of the sound: see recordingsOf.
func (p *Steps) listen(ctx context.Context, t step.Held, e *db.Work, sound engine.Sound, recs []*speech.Recording, plan recognition.Plan) (*recognition.Sound, error) {
	heard := &recognition.Sound{Sound: transcript.Sound{AudioTracks: sound.Tracks, CutOff: sound.CutOff, UnreadBytes: sound.Unread}}
	for i, rec := range recs {
		silent, err := recognition.SilentSeconds(ctx, rec)
		if err != nil {
			return nil, err
		}
		if i == 0 || silent < heard.SilentSec {
			heard.SilentSec = silent
		}
	}
	if len(sound.Channels) == 0 {
		heard.Hear(plan, 0, p.detectSpeech(ctx, sound.Audio))
		must, err := p.mustTellSpeakers(ctx, t, e)
		heard.Untold = must && (len(plan.Speech()) > 0 || len(plan.Chunks) == 0)
		return heard, err
	}
	for i, channel := range sound.Channels { // the channels are the speakers
		heard.Hear(plan, i+1, p.detectSpeech(ctx, channel))
	}
	return heard, nil
}

// detectSpeech returns the stretches of a recording with speech. It returns nil if there is no voice
// detector, or if the detector fails: the text is then made without it.
func (p *Steps) detectSpeech(ctx context.Context, audio engine.Audio) []engine.Span {
	if p.Engine.Voices == nil {
		return nil
	}
	spans, err := p.Engine.Voices.Speech(ctx, audio)
	if err != nil {
		p.Log.WarnContext(ctx, "the speech in a recording was not detected", "err", err)
		return nil
	}
	if spans == nil {
		spans = []engine.Span{}
	}
	return spans
}

// mustTellSpeakers reports whether a diarizer must hear a recording: the request wants speakers, the
// plan permits them, a process has a diarizer, and the recognizer does not tell speakers itself.
func (p *Steps) mustTellSpeakers(ctx context.Context, t step.Held, e *db.Work) (bool, error) {
	wish := e.Listening.Speakers
	if wish == transcript.NoSpeakers || p.Engine.Recognizer != nil && p.Engine.Recognizer.Info().Speakers {
		return false, nil
	}
	if wish == transcript.AutoSpeakers && !p.Cluster.TeamNow(ctx).Diarizes() {
		return false, nil
	}
	permitted := false
	err := p.Moves.Own(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Work) error {
		jobs, err := tx.Jobs.LockRunning(ctx, e.ID)
		permitted = slices.ContainsFunc(jobs, func(j db.Job) bool { return j.Limits.Speakers })
		return err
	})
	return permitted, err
}

// putSound stores what is known of the sound of work.
func putSound(ctx context.Context, tx *db.Tx, workID string, heard *recognition.Sound) error {
	facts, err := json.Marshal(heard)
	if err != nil {
		return fmt.Errorf("recognize: sound: %w", err)
	}
	return tx.Works.SetSound(ctx, workID, facts)
}

// recordingsOf opens the recordings of a sound: its channels if they are separated, else its mix.
func recordingsOf(sound engine.Sound) (recs []*speech.Recording, err error) {
	files := sound.Channels
	if len(files) == 0 {
		files = []engine.Audio{sound.Audio}
	}
	for _, file := range files {
		rec, err := openWhole(file)
		if err != nil {
			return nil, errors.Join(err, closeAll(recs))
		}
		recs = append(recs, rec)
	}
	return recs, nil
}

func closeAll(recs []*speech.Recording) (err error) {
	for _, rec := range recs {
		err = errors.Join(err, rec.Close())
	}
	return err
}
