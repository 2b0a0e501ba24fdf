// Package corrections lets accounts correct the texts in their libraries.
//
// A text of a link belongs to all accounts. A correction therefore makes a copy for the account,
// and the row of the account's library points at the copy from then on. Nothing else reads the
// copy: requests for the link get the shared text. Further corrections replace the copy. The
// table revisions stores the earlier texts of a row.
//
// Each change starts from a text that the caller has read. A change reads the text, makes
// the new text, and writes it in a transaction only if the row still has the text that
// was read.
package corrections

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/librarysize"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/pasttext"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/server/internal/underway"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Texts corrects the texts of libraries. A Texts is safe for concurrent use.
type Texts struct {
	store *db.Store
	large *underway.Line // of changes of large texts
}

// New corrects the texts of a store.
func New(store *db.Store) *Texts { return &Texts{store, underway.NewLine(1)} }

// large is the size from which a change of a text waits for its turn, in bytes.
const large = 64 << 10

// turn waits until a change of the given number of bytes may begin. The caller calls leave when the
// change has ended. Large changes run one at a time: each keeps a processor busy, and SQLite has
// one writer.
func (t *Texts) turn(ctx context.Context, account string, size int) (leave func(), err error) {
	if size < large {
		return func() {}, nil
	}
	leave, err = t.large.Take(ctx, account)
	if err != nil {
		return nil, fmt.Errorf("corrections: waiting to change a text: %w", err)
	}
	return leave, nil
}

// Text is a text of a library at a moment, with its words.
type Text struct {
	*db.Transcript
	Revision int    // of the row in the library
	row      string // the id of the row
}

// Expected is the text that a caller wants to change.
type Expected struct {
	// Is reports whether the current text is the expected one. Required.
	Is func(present *Text) bool
	// Revision is the revision that the caller names; 0 means none.
	Revision int
}

// conflict is the error if the current text is not the expected one.
func conflict(present *Text) error {
	e := transcript.Errorf(transcript.StateConflict,
		"The text has changed since it was read: it has the revision %d now. Read it again, and change that text.", present.Revision)
	e.Status = http.StatusPreconditionFailed
	return e.With("revision", present.Revision)
}

// Edit changes lines and names of speakers in the newest text that a key names. An edit that
// changes nothing makes no revision. The error is NO_TRANSCRIPT if the library has no such text,
// INVALID_REQUEST if the edit does not fit the text, STATE_CONFLICT with the status 412 if the
// current text is not the expected one, and UPGRADE_REQUIRED if the library of the owner is full.
func (t *Texts) Edit(ctx context.Context, owner account.Principal, key library.Key, expected Expected, e library.Edit) (*Text, error) {
	return t.change(ctx, owner, key, expected, 0, func(present *Text) (*revised, error) {
		lines, err := linesOf(present.Transcript)
		if err != nil {
			return nil, err
		}
		edited, changed, err := apply(lines, e)
		if err != nil || changed == 0 {
			return nil, err
		}
		next := copyOf(present.Transcript, owner.Account)
		if err := setLines(next, edited); err != nil {
			return nil, err
		}
		return &revised{next, library.RevisionEdit, len(lines), changed}, nil
	})
}

// Expect returns STATE_CONFLICT with the status 412 if the newest text that a key names is not the
// expected one, and NO_TRANSCRIPT if the library has no such text.
func (t *Texts) Expect(ctx context.Context, account string, key library.Key, expected Expected) error {
	_, present, err := t.read(ctx, account, key)
	if err == nil && !expected.Is(present) {
		err = conflict(present)
	}
	return err
}

// revised is the text that a change makes.
type revised struct {
	text    *db.Transcript
	kind    library.RevisionKind
	lines   int // of the text
	changed int // lines that differ from the previous text
}

// attempts limits how often a change starts again because another change was faster. A change
// that expects a certain text does not start again, because the revision has changed.
const attempts = 10

// change makes a new text from the current one. fileBytes is the size of the file that the change
// reads, or 0. If revise returns nil, the text does not change. A caller whose answer was lost
// sends the change again: the change succeeds if its outcome is the revision after the expected
// one (RFC 9110, 13.1.1).
func (t *Texts) change(ctx context.Context, owner account.Principal, key library.Key, expected Expected, fileBytes int, revise func(*Text) (*revised, error)) (*Text, error) {
	for range attempts {
		row, present, err := t.read(ctx, owner.Account, key)
		if err != nil {
			return nil, err
		}
		is := expected.Is(present)
		if !is && present.Revision != expected.Revision+1 {
			return nil, conflict(present)
		}
		changed, err := t.changeInTurn(ctx, owner, row, present, is, fileBytes, revise)
		if !errors.Is(err, errMoved) {
			return changed, err
		}
	}
	return nil, transcript.Errorf(transcript.ServiceUnavailable, "The text changes all the time. Send the change again.")
}

// changeInTurn is an attempt of change on the text that was read. is reports whether that text is
// the expected one. The error is errMoved if another change was faster.
func (t *Texts) changeInTurn(ctx context.Context, owner account.Principal, row *db.LibraryRow, present *Text, is bool, fileBytes int, revise func(*Text) (*revised, error)) (*Text, error) {
	leave, err := t.turn(ctx, owner.Account, present.Size()+fileBytes)
	if err != nil {
		return nil, err
	}
	defer leave()
	next, err := revise(present)
	switch {
	case !is && (err != nil || next != nil):
		return nil, conflict(present)
	case err != nil || next == nil:
		return present, err
	}
	return t.write(ctx, owner, row, present, next)
}

// read returns the row of the newest text that a key names, and the text.
func (t *Texts) read(ctx context.Context, account string, key library.Key) (row *db.LibraryRow, present *Text, err error) {
	err = t.store.Snapshot(ctx, func(ctx context.Context, r db.Reader) error {
		if row, err = r.Library.Row(ctx, account, key); err != nil {
			return err
		}
		if row.Kind != library.KindTranscript {
			return db.ErrNotFound
		}
		text, err := r.Transcripts.Timed(ctx, row.TranscriptID)
		present = &Text{text, row.Revision, row.ID}
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil, subject.NotSaved()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("corrections: reading a text: %w", err)
	}
	return row, present, nil
}

// errMoved means that the row no longer has the text that was read.
var errMoved = errors.New("corrections: the text has changed")

// write stores a new text of a row whose text was read.
func (t *Texts) write(ctx context.Context, owner account.Principal, read *db.LibraryRow, present *Text, next *revised) (*Text, error) {
	text := next.text
	if err := text.Prepare(); err != nil {
		return nil, err
	}
	change, err := pasttext.Between(textOf(present.Transcript), textOf(text))
	if err != nil {
		return nil, fmt.Errorf("corrections: comparing two texts: %w", err)
	}
	err = t.store.InTx(db.Sized(ctx, present.Size()+text.Size()), func(ctx context.Context, tx *db.Tx) error {
		if err := tx.Library.LockTexts(ctx, read.Platform, read.ExternalID); err != nil {
			return err
		}
		key := library.Key{Platform: read.Platform, ExternalID: read.ExternalID, Row: read.ID}
		row, err := tx.Library.Row(ctx, read.Account, key)
		if errors.Is(err, db.ErrNotFound) || err == nil && (row.Revision != read.Revision || row.TranscriptID != read.TranscriptID) {
			return errMoved
		}
		if err != nil {
			return err
		}
		before, err := librarysize.Hold(ctx, tx.SQL(), owner.Account)
		if err != nil {
			return err
		}
		if !row.Edited {
			first := &revised{present.Transcript, library.RevisionOriginal, next.lines, 0}
			if err := record(ctx, tx, row, row.Revision, first); err != nil {
				return err
			}
		}
		if row.Edited && text.Source != present.Source { // otherwise Put would make a second copy
			_, err := tx.SQL().NewRaw("UPDATE transcripts SET source = ? WHERE id = ? AND owner = ? AND edited", text.Source, row.TranscriptID, row.Account).Exec(ctx)
			if err != nil {
				return err
			}
		}
		if text.ID, err = tx.Transcripts.Put(ctx, text); err != nil {
			return err
		}
		if err := tx.Library.Correct(ctx, row, text.ID); err != nil {
			return err
		}
		if err := stamp(ctx, tx, text, row); err != nil {
			return err
		}
		if err := record(ctx, tx, row, row.Revision, next); err != nil {
			return err
		}
		if err := change.Write(ctx, tx.SQL(), row.ID, read.Revision); err != nil {
			return err
		}
		return limits.LibraryGrown(ctx, tx.SQL(), owner, before)
	})
	if err != nil {
		return nil, fmt.Errorf("corrections: writing a text: %w", err)
	}
	return &Text{text, read.Revision + 1, read.ID}, nil
}

// stamp returns the time of change of a text that was just stored for a row.
func stamp(ctx context.Context, tx *db.Tx, text *db.Transcript, row *db.LibraryRow) error {
	saved, err := tx.Library.Saved(ctx, row.Account, library.Key{Platform: row.Platform, ExternalID: row.ExternalID, Language: row.Lang})
	if err == nil {
		text.ChangedAt, text.UpdatedAt = saved.ChangedAt, transcript.At(saved.ChangedAt)
	}
	return err
}

// copyOf makes the copy of a text for an account. Its lines are still the same.
func copyOf(t *db.Transcript, account string) *db.Transcript {
	c := *t
	c.ID, c.Owner, c.UpdatedAt, c.Edited = "", account, transcript.Time{}, true
	return &c
}
