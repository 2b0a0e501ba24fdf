package db

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// LibraryRow is what an account has in its library: a text that it has saved, work on
// its way, work that has failed, or a batch. That of a text points to the text, which
// others may have saved too.
type LibraryRow struct {
	ID            string `bun:",pk"` // UUIDv7, kept when work becomes a text, and when the text is made anew
	Account       string
	Kind          library.Kind
	Platform      transcript.Platform
	ExternalID    string
	Lang          string          // of the text; while there is none, the first that was asked for
	Languages     string          // the list that was sent, of work; "" of a text
	JobID         string          `bun:",nullzero"` // of work, the claim
	TranscriptID  string          `bun:",nullzero"` // of a text
	ErrorCode     transcript.Code `bun:",nullzero"` // of work that has failed
	FoldedTitle   string          // for search and order; "": there is none
	FoldedChannel string
	Starred       bool
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// Library returns what an account has saved, newest first.
func (r Reader) Library(ctx context.Context, account string) ([]LibraryRow, error) {
	var rows []LibraryRow
	err := r.db.NewSelect().Model(&rows).Where("account = ?", account).Order("created_at DESC", "id DESC").Scan(ctx)
	return rows, wrap("library of "+account, err)
}

// Saved is the newest text that an account has saved of a content, in a language if
// the key names one.
type Saved struct {
	Row LibraryRow
	// Transcript is without its text, which Transcript of its id returns; nil while the
	// text is on its way.
	Transcript *Transcript
}

// Saved returns what an account has saved of a content, or, where it has nothing but
// work on its way, that. ErrNotFound where it has neither.
func (r Reader) Saved(ctx context.Context, account string, key library.Key) (*Saved, error) {
	what := "saved transcript of " + key.ExternalID
	s := new(Saved)
	q := r.db.NewSelect().Model(&s.Row).
		Where("account = ? AND platform = ? AND external_id = ?", account, key.Platform, key.ExternalID).
		Where("kind IN (?, ?)", library.KindTranscript, library.KindPending).
		OrderExpr("kind = ? DESC, updated_at DESC, id DESC", library.KindTranscript).
		Limit(1)
	if key.Language != "" {
		q.Where("lang = ?", key.Language)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, one(what, err)
	}
	if s.Row.Kind == library.KindPending {
		return s, nil
	}
	head, err := r.head(ctx, s.Row.TranscriptID)
	if err != nil {
		return nil, err
	}
	s.Transcript = head.transcript()
	return s, nil
}

// Save puts a text into the libraries of the accounts. A row for the same
// content and language that is there already then points to this text.
func (tx *Tx) Save(ctx context.Context, transcriptID string, accounts ...string) error {
	if len(accounts) == 0 {
		return nil
	}
	t, err := tx.head(ctx, transcriptID)
	if err != nil {
		return err
	}
	if err := tx.lockTexts(ctx, t); err != nil {
		return err
	}
	if t, err = tx.head(ctx, transcriptID); err != nil { // it may have got another title before the lock was free
		return err
	}
	now := moment(time.Now())
	rows := make([]LibraryRow, len(accounts))
	for i, account := range accounts {
		rows[i] = LibraryRow{
			Account: account, Kind: library.KindTranscript,
			Platform: t.Platform, ExternalID: t.ExternalID, Lang: t.Lang, TranscriptID: transcriptID,
			FoldedTitle: folded(t.Title), FoldedChannel: folded(t.Channel), CreatedAt: now, UpdatedAt: now,
		}
		if err := newID(&rows[i].ID); err != nil {
			return err
		}
	}
	_, err = tx.db.NewInsert().Model(&rows).
		On("CONFLICT (account, platform, external_id, lang) WHERE kind = 'transcript' DO UPDATE").
		Set(`transcript_id = excluded.transcript_id, folded_title = excluded.folded_title,
			folded_channel = excluded.folded_channel, updated_at = excluded.updated_at`).
		Exec(ctx)
	return wrap("save transcript "+transcriptID, err)
}

// lockTexts makes transactions that write or save texts of one content run one
// after the other. Else one could save a text by the title that another has just
// changed, and two could wait for each other's library rows.
func (tx *Tx) lockTexts(ctx context.Context, t *transcriptRow) error {
	return tx.Lock(ctx, "texts/"+string(t.Platform)+"/"+t.ExternalID)
}

// rename lets the libraries find a text by the title that it has now.
func (tx *Tx) rename(ctx context.Context, t *transcriptRow) error {
	title, channel := folded(t.Title), folded(t.Channel)
	_, err := tx.db.NewUpdate().Model((*LibraryRow)(nil)).
		Set("folded_title = ?, folded_channel = ?", title, channel).
		Where("transcript_id = ? AND (folded_title <> ? OR folded_channel <> ?)", t.ID, title, channel).
		Exec(ctx)
	return wrap("rename transcript "+t.ID, err)
}

func folded(s *string) string {
	if s == nil {
		return ""
	}
	return fold(*s)
}
