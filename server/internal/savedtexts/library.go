// Package savedtexts reads and changes the saved data of accounts: texts, and the recordings of
// uploads.
package savedtexts

import (
	"context"
	"errors"
	"fmt"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/audio"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/recordings"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Library reads and changes the saved transcripts of accounts. A Library is safe for
// concurrent use.
type Library struct {
	Store *db.Store
	Audio *audio.Files
}

// Saved returns the saved text of a content in an account's library. Without a language
// in the key, it returns the newest text. The error is STATE_CONFLICT, with
// details.status and details.jobId, while the text is being made, and NO_TRANSCRIPT if
// the account has saved none, even if another account has.
func (l *Library) Saved(ctx context.Context, account string, key library.Key) (*db.Saved, error) {
	saved, err := l.Store.Library.Saved(ctx, account, key)
	if err != nil {
		return nil, libraryError("reading a library", err)
	}
	if saved.TranscriptID != "" {
		return saved, nil
	}
	return l.savedOrBusy(ctx, account, key)
}

// savedOrBusy is Saved for running work too, with the state of its job at the same
// moment.
func (l *Library) savedOrBusy(ctx context.Context, account string, key library.Key) (saved *db.Saved, err error) {
	err = l.Store.Snapshot(ctx, func(ctx context.Context, r db.Reader) error {
		if saved, err = r.Library.Saved(ctx, account, key); err != nil || saved.TranscriptID != "" {
			return err
		}
		job, err := r.Jobs.Owned(ctx, account, saved.JobID)
		if err != nil {
			return err
		}
		return transcript.Errorf(transcript.StateConflict, "The transcript is still on its way.").
			With("jobId", saved.JobID).With("status", job.State.Status)
	})
	if coded := (*transcript.Error)(nil); errors.As(err, &coded) {
		return nil, err
	}
	if err != nil {
		return nil, libraryError("reading a library", err)
	}
	return saved, nil
}

// SavedText returns the result of Saved with its text. The error is NO_TRANSCRIPT if it
// was deleted meanwhile.
func (l *Library) SavedText(ctx context.Context, saved *db.Saved) (*db.Transcript, error) {
	t, err := l.Store.Transcripts.ChangedAt(ctx, saved.TranscriptID, saved.ChangedAt)
	if err != nil {
		return nil, libraryError("reading a saved text", err)
	}
	view.Entitle(t, saved.Label)
	return t, nil
}

// SavedTimedText is SavedText with the words, if the text has any.
func (l *Library) SavedTimedText(ctx context.Context, saved *db.Saved) (*db.Transcript, error) {
	t, err := l.Store.Transcripts.Timed(ctx, saved.TranscriptID)
	if err != nil {
		return nil, libraryError("reading a saved text", err)
	}
	view.Entitle(t, saved.Label)
	return t, nil
}

// Page returns a page of an account's saved texts, running work and failed work. It
// reads neither the libraries of other accounts nor the cache.
func (l *Library) Page(ctx context.Context, account string, q library.Query) (*library.Page, error) {
	var page *library.Page
	err := l.Store.Snapshot(ctx, func(ctx context.Context, r db.Reader) (err error) {
		page, err = r.Library.Page(ctx, account, q)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("pipeline: listing a library: %w", err)
	}
	return page, nil
}

// Related returns at most n other texts that an account has saved from the channel of a
// content, newest first. The error is NO_TRANSCRIPT if the content is not in the library
// of the account.
func (l *Library) Related(ctx context.Context, account string, key library.Key, n int) ([]library.Item, error) {
	var items []library.Item
	err := l.Store.Snapshot(ctx, func(ctx context.Context, r db.Reader) error {
		row, err := r.Library.Row(ctx, account, key)
		if err == nil {
			items, err = r.Library.Related(ctx, row, n)
		}
		return err
	})
	if err != nil {
		return nil, libraryError("reading a library", err)
	}
	return items, nil
}

// Search calls found for each transcript of the account that the search finds, at most N
// of them, in the order of the search. All of them are read at one moment. It returns the
// place of the last transcript if the search has more results, and otherwise nil.
func (l *Library) Search(ctx context.Context, search db.Search, found func(*db.Transcript, db.SearchFound) error) (next *db.SearchPlace, err error) {
	page := search.N
	search.N++ // to see whether there are more
	err = l.Store.Snapshot(ctx, func(ctx context.Context, r db.Reader) error {
		places, err := r.Library.Search(ctx, search)
		if err != nil {
			return err
		}
		if len(places) > page {
			places = places[:page]
			next = &places[page-1].Place
		}
		for _, place := range places {
			t, err := r.Library.Transcript(ctx, search.Account, place.ID)
			if err != nil {
				return err
			}
			saved, err := r.Library.Saved(ctx, search.Account, library.Key{Platform: t.Platform, ExternalID: t.ExternalID, Language: t.Lang})
			if err != nil {
				return err
			}
			view.Entitle(t, saved.Label)
			if err := found(t, place); err != nil {
				return err
			}
		}
		return nil
	})
	return next, err
}

// Star sets or removes the star of the rows that a key names, in all languages if the key
// has none. The error is NO_TRANSCRIPT if the library of the account has no such row.
func (l *Library) Star(ctx context.Context, account string, key library.Key, starred bool) error {
	err := l.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.Library.Star(ctx, account, key, starred) })
	if err != nil {
		return libraryError("changing a library", err)
	}
	return nil
}

// Remove removes the rows that a key names from the library of an account, in all languages if the
// key has none. A running job continues, but its result is not saved. The text of an upload is
// deleted together with its last row, and so is the recording. The error is NO_TRANSCRIPT as in
// Star.
func (l *Library) Remove(ctx context.Context, account string, key library.Key) error {
	var unkept []string
	err := l.Store.InTx(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		if key.Platform == transcript.Upload { // otherwise the same file, sent again, may find a text that is just being deleted
			c := engine.Content{Platform: key.Platform, ExternalID: key.ExternalID}
			if err := tx.LockSubmissions(ctx, account, c); err != nil {
				return err
			}
		}
		if err := tx.Library.Remove(ctx, account, key); err != nil {
			return err
		}
		unkept, err = recordings.RemoveWithText(ctx, tx, account, key)
		return err
	})
	if err != nil {
		return libraryError("changing a library", err)
	}
	l.Audio.DeleteBlobs(context.WithoutCancel(ctx), unkept...)
	return nil
}

// libraryError converts the error of a call that names a saved transcript.
func libraryError(doing string, err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return subject.NotSaved()
	}
	return fmt.Errorf("savedtexts: %s: %w", doing, err)
}
