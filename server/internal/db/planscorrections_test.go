package db_test

import (
	"context"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/corrections"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// corrections corrects a text that other accounts have too.
func (w walk) corrections() {
	id := put(w.T, w.Store, said("corrected", "en", "one two"))
	key := library.Key{Platform: transcript.VideoSite, ExternalID: "corrected"}
	w.in(func(ctx context.Context, tx *db.Tx) {
		w.must(tx.Library.Save(ctx, id, "acme", ""))
		row, err := tx.Library.Row(ctx, "acme", key)
		w.must(err, tx.Library.LockTexts(ctx, key.Platform, key.ExternalID))
		own := said("corrected", "en", "three")
		own.ID, own.Owner, own.Edited = "0199ffff-0000-7000-8000-000000000000", "acme", true // see grown
		w.must(second(tx.Transcripts.Put(ctx, own)), tx.Library.Correct(ctx, row, own.ID))
	})
	keep(w.T, w.Store, "acme", said("edited", "en", "one two"))
	key.ExternalID = "edited"
	texts, any := corrections.New(w.Store), corrections.Expected{Is: func(*corrections.Text) bool { return true }}
	for _, text := range []string{"three", "four"} {
		w.must(second(texts.Edit(w.Context(), account.Principal{Account: "acme"}, key, any, library.Edit{Segments: []library.SegmentEdit{{Text: &text}}})))
	}
}
