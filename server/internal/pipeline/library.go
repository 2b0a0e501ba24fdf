package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Saved returns what an account has saved of a content: its own row, and the
// transcript without its text. Without a language in the key it is the newest. While it
// is on its way STATE_CONFLICT, with details.status and details.jobId; NO_TRANSCRIPT
// where the account has saved none, whoever else has.
func (p *Pipeline) Saved(ctx context.Context, account string, key library.Key) (*db.Saved, error) {
	saved, err := p.store.Saved(ctx, account, key)
	if err != nil {
		return nil, libraryError("reading a library", err)
	}
	if saved.Transcript != nil {
		return saved, nil
	}
	busy := transcript.Errorf(transcript.StateConflict, "The transcript is not ready yet: see the job.").With("jobId", saved.Row.JobID)
	job, err := p.store.Job(ctx, account, saved.Row.JobID)
	if err != nil {
		return nil, libraryError("reading a library", err) // it has just ended
	}
	return nil, busy.With("status", job.State.Status)
}

// SavedText returns what Saved has found with its text. NO_TRANSCRIPT where it has been
// deleted since.
func (p *Pipeline) SavedText(ctx context.Context, saved *db.Saved) (*db.Transcript, error) {
	t, err := p.store.Transcript(ctx, saved.Transcript.ID)
	if err != nil {
		return nil, libraryError("reading a saved text", err)
	}
	return t, nil
}

// SavedTimedText is SavedText with the words, where the text has any.
func (p *Pipeline) SavedTimedText(ctx context.Context, saved *db.Saved) (*db.Transcript, error) {
	t, err := p.store.TimedTranscript(ctx, saved.Transcript.ID)
	if err != nil {
		return nil, libraryError("reading a saved text", err)
	}
	return t, nil
}

// libraryError is the error of a call that names a saved transcript.
func libraryError(doing string, err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return transcript.Errorf(transcript.NoTranscript, "Your library has no such transcript. POST /v1/transcript makes one.")
	}
	return fmt.Errorf("pipeline: %s: %w", doing, err)
}
