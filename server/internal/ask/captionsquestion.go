package ask

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// captionsLate is how much longer a question for captions may take than its readers wait.
// The cache stores a late answer.
const captionsLate = 20 * time.Second

// captions is the answer to a question for captions.
type captions struct {
	Finding
	text *db.Transcript // of the track that was read, as it is stored; nil if no track was read
}

// captionsQuestion asks for the captions of a content, or for its tracks alone.
type captionsQuestion struct {
	*Service
	subject.Subject
}

// lookup asks the platform and stores the answer. looked has the same meaning as for
// desk.answer.
func (s *Service) lookup(ctx context.Context, sub subject.Subject, looked time.Time) (captions, error) {
	return s.captions.answer(ctx, captionsQuestion{s, sub}, looked)
}

func (q captionsQuestion) key() string {
	return string(q.Platform) + "/" + q.ExternalID + "/" + q.Languages.String()
}

func (q captionsQuestion) askable(t cluster.Team) bool { return t.ReadsCaptions(q.Platform) }

// ask has two contexts, so that a late answer leaves the database as much time as an
// early one.
func (q captionsQuestion) ask(ctx, within context.Context, soFar func(captions, error)) (a captions, err error) {
	err = guard(func() (err error) {
		a.Finding, err = q.sources.Ask(within, q.Subject, func(f Finding, err error) { soFar(captions{Finding: f}, attempt.Coded(err)) })
		return err
	})
	if err != nil {
		return a, err
	}
	return a, q.keep(ctx, &a)
}

// keep stores the answer of the platform, and the text of the track that was read.
func (q captionsQuestion) keep(ctx context.Context, a *captions) (err error) {
	var text *db.Transcript
	if a.Track != nil {
		text = a.Transcript(q.Subject)
		ctx = db.Sized(ctx, text.Size())
	}
	return q.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		if err := a.Put(ctx, tx, q.Subject); err != nil || text == nil {
			return err
		}
		id, err := tx.Transcripts.Put(ctx, text)
		if err == nil {
			a.text, err = tx.Transcripts.ByID(ctx, id) // if the text is equal, the older id and time may have stayed
		}
		return err
	})
}

func (q captionsQuestion) row() *Lookup {
	return &Lookup{Platform: q.Platform, ExternalID: q.ExternalID, Languages: q.Languages.String(), SourceURL: q.URL}
}

// captionsIn reads the question from a row.
func (s *Service) captionsIn(l *Lookup) captionsQuestion {
	sub := subject.Subject{Content: engine.Content{Platform: l.Platform, ExternalID: l.ExternalID, URL: l.SourceURL}}
	if l.Languages != "" {
		sub.Languages, _ = transcript.ParseLanguageList(l.Languages) // the database stores only canonical lists
	}
	return captionsQuestion{s, sub}
}

func (captionsQuestion) pack(a captions) Answered {
	row := Answered{Metadata: a.Metadata, Tracks: a.Tracks}
	if a.text != nil {
		row.TranscriptID = a.text.ID
	}
	return row
}

func (q captionsQuestion) unpack(ctx context.Context, row *Answered) (a captions, err error) {
	a.Captions = engine.Captions{Metadata: row.Metadata, Tracks: row.Tracks}
	if row.Error != nil {
		return a, row.Error
	}
	if row.TranscriptID != "" {
		a.text, err = q.store.Transcripts.ByID(ctx, row.TranscriptID)
	}
	return a, err
}
