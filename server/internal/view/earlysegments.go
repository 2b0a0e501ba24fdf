package view

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	chunksRead = 16 // chunks in one read: their results are in memory together
	// maxSegmentsBytes limits the segments of one event, which is then at most 256 KiB.
	maxSegmentsBytes = 255 << 10
)

// earlySegments reads the recognized text of a job's finished chunks, ahead of the transcript.
type earlySegments struct {
	jobs  *Jobs
	chunk int                // the first chunk that is not read yet
	part  int                // the chunks of speech before it
	from  int                // the segments before it
	sound *recognition.Sound // nil if not read yet

	waiting []transcript.Segment // read, and in no event yet
	size    int                  // their bytes as JSON
}

// next returns an event's data with the text that has come since the last one, at most
// maxSegmentsBytes of it; nil if there is none.
func (s *earlySegments) next(ctx context.Context, row *db.Job) (*transcript.EarlySegments, error) {
	for more := true; more && s.size < maxSegmentsBytes; {
		var err error
		if more, err = s.read(ctx, row.WorkID); err != nil {
			return nil, err
		}
	}
	n, size := 0, 0
	for ; n < len(s.waiting); n++ {
		if size += sizeOf(s.waiting[n]); size > maxSegmentsBytes && n > 0 {
			size -= sizeOf(s.waiting[n])
			break
		}
	}
	if n == 0 {
		return nil, nil //nolint:nilnil // there is no new text
	}
	data := &transcript.EarlySegments{JobID: row.ID, From: s.from, Segments: s.waiting[:n:n]}
	s.waiting, s.size, s.from = s.waiting[n:], s.size-size, s.from+n
	return data, nil
}

// read adds the text of the next finished chunks. It reports whether more of them may follow:
// it stops at the first chunk that is not done.
func (s *earlySegments) read(ctx context.Context, work string) (more bool, err error) {
	chunks, err := s.jobs.Store.Chunks.Next(ctx, work, s.chunk, chunksRead)
	if err != nil {
		return false, err
	}
	if (s.sound == nil || s.sound.Untold) && len(chunks) > 0 {
		sound, err := SoundOfWork(ctx, s.jobs.Store.Reader, work)
		if err != nil {
			return false, err
		}
		s.sound = &sound
	}
	for _, c := range chunks {
		if !c.Done {
			return false, nil
		}
		s.chunk++
		results, err := Results([]db.Chunk{c})
		if err != nil {
			return false, err
		}
		for _, r := range results {
			s.part++
			s.add(recognition.NameSpeakers(r.Early(s.part), s.sound.Turns))
		}
	}
	return len(chunks) == chunksRead, nil
}

func (s *earlySegments) add(segments []transcript.Segment) {
	for _, segment := range segments {
		segment.Words = nil // as in a transcript
		s.waiting = append(s.waiting, segment)
		s.size += sizeOf(segment)
	}
}

// sizeOf is the length of a segment as JSON, with its comma.
func sizeOf(s transcript.Segment) int {
	return len(wire.AppendSegments(nil, []transcript.Segment{s})) - 1
}

// recognizing says that a job in this state may have finished chunks.
func recognizing(s lifecycle.State) bool {
	return s.Stage == transcript.StageASRQueued || s.Stage == transcript.StageASRRunning || s.Stage == transcript.StagePublishing
}

// SoundOfWork returns what is known about the sound of work; the zero value means
// nothing.
func SoundOfWork(ctx context.Context, r db.Reader, work string) (sound recognition.Sound, err error) {
	facts, err := r.Works.Sound(ctx, work)
	if err != nil || facts == nil {
		return sound, err
	}
	if err := json.Unmarshal(facts, &sound); err != nil {
		return sound, fmt.Errorf("view: sound of work %s: %w", work, err)
	}
	return sound, nil
}

// Results returns the recognition results of finished chunks with speech.
func Results(chunks []db.Chunk) ([]recognition.Result, error) {
	var results []recognition.Result
	for _, c := range chunks {
		if c.Silent {
			continue
		}
		var r recognition.Result
		if err := json.Unmarshal(c.Result, &r); err != nil {
			return nil, fmt.Errorf("view: result of chunk %d: %w", c.N, err)
		}
		results = append(results, r)
	}
	return results, nil
}
