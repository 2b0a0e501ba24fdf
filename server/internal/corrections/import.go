package corrections

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/labels"
	"github.com/transcriptkit/transcriptkit/server/internal/librarysize"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Import makes the text of a file the text of a content in a language: a new text if the library
// has none, otherwise a new revision. expected is nil if the library must have no such text.
// created reports a new text. A file with the same text as the current one makes no revision. The
// error is INVALID_REQUEST if the file cannot be read, STATE_CONFLICT with the status 412 if the
// current text is not the expected one, NO_TRANSCRIPT if a text is expected but does not exist,
// and UPGRADE_REQUIRED if the library of the owner is full. sourceURL is the link to the content,
// or nil if there is none.
func (t *Texts) Import(ctx context.Context, owner account.Principal, key library.Key, expected *Expected, f File, sourceURL *string) (text *Text, created bool, err error) {
	for range attempts {
		_, present, err := t.read(ctx, owner.Account, key)
		switch {
		case errors.Is(err, transcript.NoTranscript) && expected == nil:
			if text, err = t.create(ctx, owner, key, f, sourceURL); !errors.Is(err, errMoved) {
				return text, true, err
			}
			continue
		case err != nil:
			return nil, false, err
		case expected == nil: // only the result of the same import
			expected = &Expected{Is: func(*Text) bool { return false }, Revision: present.Revision - 1}
		}
		text, err = t.change(ctx, owner, key, *expected, len(f.Content), func(present *Text) (*revised, error) { return revisedBy(present, owner.Account, f) })
		return text, false, err
	}
	return nil, false, transcript.Errorf(transcript.ServiceUnavailable, "The text changes all the time. Send the file again.")
}

// revisedBy is the current text with the lines of a file.
func revisedBy(present *Text, account string, f File) (*revised, error) {
	before, err := linesOf(present.Transcript)
	if err != nil {
		return nil, err
	}
	lines, err := f.lines(before, present.Duration)
	if err != nil {
		return nil, err
	}
	next := copyOf(present.Transcript, account)
	next.Source = transcript.OriginManual
	if err := setLines(next, lines); err != nil {
		return nil, err
	}
	if lines, err = linesOf(next); err != nil { // unchanged, as they are stored
		return nil, err
	}
	return compared(present, next, lines, library.RevisionImport)
}

// create puts a new text into the library of an account.
func (t *Texts) create(ctx context.Context, owner account.Principal, key library.Key, f File, sourceURL *string) (*Text, error) {
	if list, err := transcript.ParseLanguageList(key.Language); err != nil || len(list) != 1 || list[0].ASR {
		return nil, request.Invalid(http.StatusBadRequest, transcript.Issue{Path: "language", Message: "is no BCP 47 tag: name the language of the new text"})
	}
	leave, err := t.turn(ctx, owner.Account, len(f.Content))
	if err != nil {
		return nil, err
	}
	defer leave()
	lines, err := f.lines(nil, 0)
	if err != nil {
		return nil, err
	}
	text := &db.Transcript{Owner: owner.Account, Edited: true, Transcript: transcript.Transcript{
		Platform: key.Platform, ExternalID: key.ExternalID, Lang: key.Language, SourceURL: sourceURL,
		Source: transcript.OriginManual, Status: transcript.Ready,
	}}
	if err := setLines(text, lines); err != nil {
		return nil, err
	}
	content, err := t.store.Contents.Get(ctx, key.Platform, key.ExternalID)
	switch {
	case err == nil:
		view.Describe(text, content.Metadata)
	case !errors.Is(err, db.ErrNotFound):
		return nil, fmt.Errorf("corrections: reading what is known of a content: %w", err)
	}
	if title := labels.OfFile(f.Name); text.Title == nil && title != "" {
		text.Title = &title
	}
	if text.Duration == 0 {
		text.Duration = lines[len(lines)-1].End()
		text.DurationSec = new(view.RoundSeconds(text.Duration))
	}
	first := &revised{text, library.RevisionImport, len(lines), len(lines)}
	if err := text.Prepare(); err != nil {
		return nil, err
	}
	var row *db.LibraryRow
	err = t.store.InTx(db.Sized(ctx, text.Size()), func(ctx context.Context, tx *db.Tx) (err error) {
		if err := tx.Library.LockTexts(ctx, key.Platform, key.ExternalID); err != nil {
			return err
		}
		if row, err = tx.Library.Row(ctx, owner.Account, key); err == nil && row.Kind == library.KindTranscript {
			return errMoved
		} else if err != nil && !errors.Is(err, db.ErrNotFound) {
			return err
		}
		before, err := librarysize.Hold(ctx, tx.SQL(), owner.Account)
		if err != nil {
			return err
		}
		if text.ID, err = tx.Transcripts.Put(ctx, text); err != nil {
			return err
		}
		if err := tx.Library.Save(ctx, text.ID, owner.Account, ""); err != nil {
			return err
		}
		if row, err = tx.Library.Row(ctx, owner.Account, key); err != nil {
			return err
		}
		if err := stamp(ctx, tx, text, row); err != nil {
			return err
		}
		if err := record(ctx, tx, row, row.Revision, first); err != nil {
			return err
		}
		return limits.LibraryGrown(ctx, tx.SQL(), owner, before)
	})
	if err != nil {
		return nil, fmt.Errorf("corrections: putting in a text: %w", err)
	}
	text.CreatedAt = text.UpdatedAt
	return &Text{text, row.Revision, row.ID}, nil
}
