// Package uploads receives the bytes of recordings.
//
//	u, err := uploads.ReceiveFor(ctx, expected, body, limit)  // streamed, hashed
//	outcome, err := u.Commit(ctx, submission)                 // or u.Abort(ctx)
//
// An Upload owns its bytes until Commit or Abort, however they arrive. A file that arrives in
// several requests begins with Resumable.Begin, continues with Take and Append, and is complete
// after Finish and Join.
package uploads

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"

	"github.com/dustin/go-humanize"
	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/audio"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/disks"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/recognize"
	"github.com/transcriptkit/transcriptkit/server/internal/recordings"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Config has what uploads need. All members are required.
type Config struct {
	Store  *db.Store
	Intake *intake.Intake
	Steps  *recognize.Steps
	Audio  *audio.Files
	Disks  *disks.Disks
	Log    *slog.Logger
}

// Uploads takes in files. It is safe for concurrent use.
type Uploads struct {
	// Resumable keeps files that arrive in several requests.
	Resumable *Resumable

	store  *db.Store
	intake *intake.Intake
	steps  *recognize.Steps
	audio  *audio.Files
	disks  *disks.Disks
	log    *slog.Logger
}

// New makes an Uploads.
func New(c Config) *Uploads {
	u := &Uploads{store: c.Store, intake: c.Intake, steps: c.Steps, audio: c.Audio, disks: c.Disks, log: c.Log}
	u.Resumable = &Resumable{uploads: u, joins: semaphore.NewWeighted(joinsAtOnce)}
	return u
}

// Upload is a file that arrives or has arrived, which belongs to the caller until Commit, Leave or
// Abort.
type Upload struct {
	intake.File
	// Parts says how much of a file has arrived in several requests; nil means that it arrives in
	// one.
	Parts *db.Upload

	uploads *Uploads
	arrival *recognize.Arrival // the work on it while it arrived; nil if there was none
}

// ReceiveFor is Receive for a submission that is not complete yet. The service works on the
// file while it arrives, if this is possible.
func (u *Uploads) ReceiveFor(ctx context.Context, expected intake.Submission, r io.Reader, limit int64) (*Upload, error) {
	a := u.arrive(ctx, expected)
	if a == nil {
		return u.Receive(ctx, r, limit)
	}
	file, err := u.Receive(ctx, io.TeeReader(r, a), limit)
	if err != nil {
		a.Discard(ctx)
		return nil, err
	}
	a.Whole()
	file.arrival = a
	return file, nil
}

// arrive begins the work on an arriving file; nil means that the work begins after the file
// has arrived.
func (u *Uploads) arrive(ctx context.Context, expected intake.Submission) *recognize.Arrival {
	if expected.Admit != nil || !u.steps.ReadsArriving() {
		return nil
	}
	var a *recognize.Arrival
	h, err := u.intake.Foresee(ctx, expected)
	if err == nil {
		a, err = u.steps.Arrive(ctx, h)
	}
	if err != nil {
		u.log.DebugContext(ctx, "an upload is not worked on while it arrives", "err", err)
	}
	return a
}

// Receive streams a file into the blobs and hashes it on the way. The error is
// MEDIA_TOO_LARGE with details.limitBytes for more than limit bytes, UPLOAD_INVALID for
// no bytes, and db.ErrUnavailable if there is no space. An error of r is returned
// unchanged. After an error, nothing remains.
func (u *Uploads) Receive(ctx context.Context, r io.Reader, limit int64) (*Upload, error) {
	if limit != account.Unlimited && limit < math.MaxInt64 {
		r = io.LimitReader(r, limit+1) // one more byte, to distinguish "too large" from "just as large"
	}
	if err := u.disks.Room(0); err != nil {
		return nil, err
	}
	b, err := u.store.Blobs.Put(ctx, db.UploadPrefix+uuid.NewString(), func(w io.Writer) error {
		size, err := io.Copy(w, u.disks.Reader(r))
		if err == nil {
			err = CheckSize(size, limit)
		}
		if err == nil && size == 0 {
			err = transcript.Errorf(transcript.UploadInvalid, emptyFile)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &Upload{File: intake.File{Key: b.Key, SHA256: b.SHA256, Size: b.Size}, uploads: u}, nil
}

// CheckSize refuses a file of more than limit bytes, account.Unlimited for any.
func CheckSize(size, limit int64) error {
	if limit == account.Unlimited || size <= limit {
		return nil
	}
	return transcript.Errorf(transcript.MediaTooLarge, "The file is larger than the %s that the plan allows.", humanize.IBytes(uint64(limit))).
		With("limitBytes", limit)
}

// CheckSum refuses a file whose SHA-256 is not the announced one. nil announces none.
func (u *Upload) CheckSum(announced []byte) error {
	if announced == nil || subtle.ConstantTimeCompare(announced, u.SHA256[:]) == 1 {
		return nil
	}
	return transcript.Errorf(transcript.UploadInvalid, otherFile)
}

// Commit submits a file, with s as the wishes and limits of its sender: see intake.Intake.Submit. On
// return the file is in use or deleted. If the commit is uncertain (db.ErrUncertain), Commit leaves
// the file to the sweep. If the file of a resumable upload is refused, the file stays, and the sender
// may ask again.
func (u *Upload) Commit(ctx context.Context, s intake.Submission) (*intake.Outcome, error) {
	out, kept, err := u.submit(ctx, s)
	switch {
	case kept, errors.Is(err, db.ErrUncertain):
		u.keepArrival(ctx)
	case err != nil && u.Parts != nil:
		u.Leave(ctx)
	default:
		u.Abort(ctx)
	}
	return out, err
}

func (u *Upload) submit(ctx context.Context, s intake.Submission) (out *intake.Outcome, kept bool, err error) {
	if s.KeepMedia > 0 {
		if err := u.sniff(ctx); err != nil {
			return nil, false, err
		}
	}
	if err := u.settleArrival(ctx, s); err != nil {
		return nil, false, err
	}
	return u.uploads.intake.SubmitFile(ctx, s, &u.File)
}

// Abort removes the bytes of a file that is not submitted. The request may have ended.
func (u *Upload) Abort(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	u.discardArrival(ctx)
	if u.Parts != nil && u.Row == "" { // otherwise the file was made from the parts
		_ = u.uploads.Resumable.Cancel(ctx, u.Parts.Account, u.Parts.ID) // otherwise the sweep removes it
		return
	}
	u.uploads.audio.DeleteBlobs(ctx, u.Key)
}

// Leave ends this request for a file, and keeps its parts: the sender may continue the upload or
// send the request again.
func (u *Upload) Leave(ctx context.Context) { u.discardArrival(ctx) }

// settleArrival prepares the work on a file that has arrived for its submission. If the work cannot
// be used, it is discarded.
func (u *Upload) settleArrival(ctx context.Context, s intake.Submission) error {
	if u.arrival == nil {
		return nil
	}
	wanted, err := u.uploads.intake.StillWants(ctx, s, &u.File, u.arrival.Hearing)
	if err != nil {
		return err
	}
	if wanted {
		u.Work, u.Chunks, wanted = u.arrival.Settle(ctx)
	}
	if !wanted {
		u.discardArrival(ctx)
	}
	return nil
}

// discardArrival discards the work on a file that arrived, if there is any.
func (u *Upload) discardArrival(ctx context.Context) {
	u.arrival.Discard(ctx)
	u.arrival = nil
}

// keepArrival passes the work on a file that arrived to the work of its job, if there is any.
func (u *Upload) keepArrival(ctx context.Context) {
	if u.arrival != nil {
		u.arrival.Keep(ctx)
	}
}

// sniffed is how many bytes of an upload tell its type.
const sniffed = 512

// sniff detects the type of an upload from its first bytes.
func (u *Upload) sniff(ctx context.Context) error {
	r, err := u.uploads.store.Blobs.Range(ctx, u.Key, 0, sniffed)
	if err != nil {
		return fmt.Errorf("uploads: looking at an upload: %w", err)
	}
	head, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil {
		return fmt.Errorf("uploads: looking at an upload: %w", err)
	}
	u.MediaType = recordings.SniffMedia(head)
	return nil
}
