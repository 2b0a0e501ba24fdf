package savedtexts

import (
	"context"
	"fmt"

	"github.com/transcriptkit/transcriptkit/internal/legible"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Put stores a text of the embedding program for an account, which then has it in its
// library, or for all accounts (""). It replaces an earlier text for the same content and
// language. It returns the id of the text, which stays the same.
func (l *Library) Put(ctx context.Context, account string, t transcript.Transcript) (id string, err error) {
	segments := make([]transcript.Segment, len(t.Segments))
	for i, s := range t.Segments {
		segments[i] = legible.Segment(s)
	}
	text := &db.Transcript{Transcript: t, Owner: account}
	view.SetSegments(text, segments)
	if t.DurationSec != nil {
		text.Duration = float64(*t.DurationSec)
	} else if n := len(t.Segments); n > 0 {
		text.Duration = t.Segments[n-1].End()
		text.DurationSec = new(view.RoundSeconds(text.Duration))
	}
	if err := text.Prepare(); err != nil {
		return "", fmt.Errorf("savedtexts: putting in a transcript: %w", err)
	}
	err = l.Store.InTx(db.Sized(ctx, text.Size()), func(ctx context.Context, tx *db.Tx) error {
		if id, err = tx.Transcripts.Put(ctx, text); err != nil || account == "" {
			return err
		}
		return tx.Library.Save(ctx, id, account, "")
	})
	if err != nil {
		return "", fmt.Errorf("savedtexts: putting in a transcript: %w", err)
	}
	return id, nil
}
