package recognize

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
	"github.com/transcriptkit/transcriptkit/server/speech"
)

// company is who has spoken before a chunk, and whose voices its recognizer is told.
type company struct {
	cast, offered recognition.Cast
	voices        []engine.Voice // of offered
}

// companyOf reads who has spoken before a chunk that is recognized in its turn. The
// clips are put into dir.
func (p *Steps) companyOf(ctx context.Context, a step.Recognize, dir string) (c company, err error) {
	if !a.InTurn {
		return c, nil
	}
	rows, err := p.Store.Speakers.All(ctx, a.Work)
	if err != nil {
		return c, err
	}
	for _, row := range rows {
		c.cast = append(c.cast, recognition.Speaker{Name: row.Name, Spoken: row.Spoken, Clip: row.Clip})
	}
	c.offered = c.cast.WithClip(p.Engine.Recognizer.Info().Voices)
	for i, s := range c.offered {
		v, err := voiceOf(s, speech.VoiceName(i), dir)
		if err != nil {
			return c, err
		}
		c.voices = append(c.voices, v)
	}
	return c, nil
}

func voiceOf(s recognition.Speaker, name, dir string) (v engine.Voice, err error) {
	v = engine.Voice{Name: name, Audio: engine.Audio{Path: filepath.Join(dir, name+".wav")}}
	if err := os.WriteFile(v.Audio.Path, s.Clip, 0o600); err != nil {
		return v, fmt.Errorf("recognize: spooling the clip of a voice: %w", err)
	}
	v.Audio.Duration, err = lengthOf(v.Audio.Path)
	return v, err
}

func lengthOf(path string) (time.Duration, error) {
	rec, err := speech.Open(path)
	if err != nil {
		return 0, err
	}
	return rec.Duration(), rec.Close()
}

// admit names the speakers of a chunk, and adds them to the company.
func (c *company) admit(chunk recognition.Chunk, r *recognition.Result, audio engine.Audio) error {
	rec, err := speech.Open(audio.Path)
	if err != nil {
		return err
	}
	cast, err := c.cast.Admit(chunk, r, c.offered, rec)
	if err := errors.Join(err, rec.Close()); err != nil {
		return err
	}
	c.cast = cast
	return nil
}

// rows are the company as it is stored.
func (c *company) rows(workID string) []db.Speaker {
	rows := make([]db.Speaker, len(c.cast))
	for i, s := range c.cast {
		rows[i] = db.Speaker{WorkID: workID, Name: s.Name, Spoken: s.Spoken, Clip: s.Clip}
	}
	return rows
}
