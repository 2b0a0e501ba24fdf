package intake

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// File is an upload that has arrived.
type File struct {
	Key    string // the blob
	SHA256 [sha256.Size]byte
	Size   int64  // bytes
	Name   string // the file name; may be empty
	// Row is the id of the resumable upload of the file; empty if there is none.
	Row string
	// MediaType is the type according to the first bytes; empty if they were not read.
	MediaType string
	// Work is the id of the future work, and Chunks were cut while the file arrived; empty if none
	// were.
	Work   string
	Chunks []db.Chunk
}

// ExternalID is the id of an upload: the first 32 hex digits of its SHA-256.
func (f *File) ExternalID() string { return fmt.Sprintf("%x", f.SHA256[:16]) }

// Hearing is how the sound of an upload is recognized, if the upload is submitted as announced.
type Hearing struct {
	Account  string
	Limits   db.Limits
	Language string // to recognize; "" means that the recognizer detects the language
	Prompt   string // to recognize with
	// Listening is how the service listens to the sound.
	Listening transcript.Listening
	Longest   time.Duration // that the account may have recognized now; 0 means nothing
}

// Foresee returns how the sound of an arriving file will be recognized, if the file is
// submitted as announced.
func (i *Intake) Foresee(ctx context.Context, s Submission) (h Hearing, err error) {
	a := i.allow(ctx, s, new(File))
	h = Hearing{Account: a.Account, Limits: a.limits}
	if s.RecordingOf != "" {
		return h, nil
	}
	if h.Longest, err = i.longestNow(ctx, a); err != nil || h.Longest <= 0 {
		return h, err
	}
	o, err := i.order(ctx, a)
	h.Language, h.Prompt, h.Listening = o.sub.ASRLanguage(), o.sub.Prompt, o.sub.Listening
	return h, err
}

// longestNow is the longest recording that an account may have recognized now.
func (i *Intake) longestNow(ctx context.Context, a allowed) (time.Duration, error) {
	if !a.limits.ASR {
		return 0, nil
	}
	longest := limits.Longest(a.limits, i.longest)
	if a.limits.ASRMinutes < 0 {
		return longest, nil
	}
	u, err := i.store.Allowances.Usage(ctx, a.Account, a.limits.Period)
	left := max(a.limits.ASRMinutes-u.Taken().Minutes, 0)
	return min(longest, time.Duration(min(left, int64(longest/time.Minute)+1))*time.Minute), err
}

// StillWants reports whether a submission wants its file recognized as foreseen: no stored text
// answers the submission.
func (i *Intake) StillWants(ctx context.Context, s Submission, file *File, foreseen Hearing) (bool, error) {
	o, err := i.order(ctx, i.allow(ctx, s, file))
	if err != nil || o.sub.ASRLanguage() != foreseen.Language || o.sub.Prompt != foreseen.Prompt {
		return false, err
	}
	known, err := cached(ctx, i.store.Reader, o)
	return known == nil, err
}
