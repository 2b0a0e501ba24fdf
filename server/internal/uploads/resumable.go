package uploads

import (
	"context"
	"crypto/sha256"
	"encoding"
	"errors"
	"fmt"
	"hash"
	"io"

	"golang.org/x/sync/semaphore"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/recognize"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Resumable keeps files that arrive in several requests. The row of an upload says how far the
// upload has come, and the parts of the file are blobs. A part is stored before its row is moved,
// so a row never speaks of bytes that are not there. A part without a row is overwritten, or
// swept.
type Resumable struct {
	uploads *Uploads
	appends appends
	joins   *semaphore.Weighted // of joinsAtOnce
}

const (
	// unfinishedUploads is how many uploads of an account may wait for their rest.
	unfinishedUploads = 32
	// unfinishedFiles is how many files of the largest size that the plan permits may wait for
	// their rest, in bytes.
	unfinishedFiles = 4
)

// Begin begins an upload, whose members Account, Wishes, Name, Digest and Length are set. The
// caller has the upload. A length over limit is MEDIA_TOO_LARGE, too little room on the disks is
// db.ErrUnavailable, and too many unfinished uploads of the account are STATE_CONFLICT.
func (r *Resumable) Begin(ctx context.Context, u *db.Upload, limit int64) error {
	var length int64
	if u.Length != nil {
		length = *u.Length
	}
	if err := CheckSize(length, limit); err != nil { // which never passes, before the room that may
		return err
	}
	if err := r.uploads.disks.Room(length); err != nil {
		return err
	}
	var err error
	if u.Sum, err = marshal(sha256.New()); err != nil {
		return err
	}
	most := db.Unfinished{Count: unfinishedUploads, Bytes: account.Unlimited}
	largest := limit
	if limit == account.Unlimited {
		largest = 0
	} else {
		most.Bytes = unfinishedFiles * limit
	}
	err = r.uploads.store.Uploads.Begin(ctx, u, largest, most)
	if errors.Is(err, db.ErrTooManyUploads) {
		return transcript.Errorf(transcript.StateConflict, "The account has too many unfinished uploads: finish one of them, or delete it.").
			With("limit", most.Count)
	}
	return err
}

const (
	// joinEvery is after how many requests the small parts of an upload are joined.
	joinEvery = 16
	// joinsAtOnce bounds the memory of joins, each of which sends a part to the place of the blobs.
	joinsAtOnce = 4
)

// Take gives an upload to the caller. Requests that append to it end first, and what has arrived
// by them is stored. NOT_FOUND if the account has no such upload.
func (r *Resumable) Take(ctx context.Context, account, id string) (*db.Upload, error) {
	r.appends.stop(ctx, account, id)
	u, err := r.uploads.store.Uploads.Take(ctx, account, id)
	if errors.Is(err, db.ErrNotFound) {
		return nil, errNoUpload(err)
	}
	if err == nil && u.Turn%joinEvery == 0 && !u.Complete {
		r.join(context.WithoutCancel(ctx), u) // also for a sender that goes away each time
	}
	return u, err
}

// join joins the small parts of an upload that the caller has. If it fails, the parts stay as they are.
func (r *Resumable) join(ctx context.Context, u *db.Upload) {
	defer r.appends.begin(u.Account, u.ID, func() {})() // a newer request waits
	if r.joins.Acquire(ctx, 1) != nil {
		return
	}
	defer r.joins.Release(1)
	unused, err := r.uploads.store.Blobs.JoinParts(ctx, blobs.WholeKey(PartsPrefix(u), u.Received), u.Turn)
	if err != nil {
		r.uploads.log.WarnContext(ctx, "small parts of an upload were not joined", "upload", u.ID, "err", err)
	}
	if held, err := r.uploads.store.Uploads.Held(ctx, u); err == nil && held {
		r.uploads.audio.DeleteBlobs(ctx, unused...)
	}
}

func errNoUpload(cause error) error {
	return transcript.Errorf(transcript.NotFound, "There is no such upload, or it has ended.").Because(cause)
}

// Cancel removes an upload. NOT_FOUND if the account has no such upload.
func (r *Resumable) Cancel(ctx context.Context, account, id string) error {
	r.appends.stop(ctx, account, id)
	u, err := r.uploads.store.Uploads.Remove(ctx, account, id)
	if errors.Is(err, db.ErrNotFound) {
		return errNoUpload(err)
	}
	if err == nil && u.Answer == (db.Answer{}) { // else the work has the file
		r.deleteParts(ctx, u)
	}
	return err
}

func (r *Resumable) deleteParts(ctx context.Context, u *db.Upload) {
	r.uploads.audio.DeleteBlobs(context.WithoutCancel(ctx), blobs.WholeKey(PartsPrefix(u), u.Received))
}

// PartsPrefix begins the keys of the parts of an upload.
func PartsPrefix(u *db.Upload) string { return db.UploadPrefix + u.ID }

// Arrival is the work on a file that arrives by one request. The caller hands it to Whole, or discards it.
type Arrival = recognize.Arrival

// Incoming is the body of a request that appends to an upload.
type Incoming struct {
	Body  io.Reader
	Stop  func()               // ends Body with an error, also while a call reads
	Limit int64                // the most bytes of the file, account.Unlimited for any
	Kept  func(received int64) // is called when more bytes are stored; nil: not called
	// Whole is what the body is expected to be submitted as, if it brings a whole file: the file
	// is worked on while it arrives. nil: the body is a part.
	Whole *intake.Submission
}

// ErrTooLong says that more bytes have come than the upload has.
var ErrTooLong = errors.New("uploads: the upload is longer than its length")

// Append appends a body to an upload that the caller has. After an error of the body, all bytes
// before it are stored. Further errors: db.ErrTakenOver, ErrTooLong, MEDIA_TOO_LARGE, and
// db.ErrUnavailable if the place of the blobs or the database is away. The returned work belongs
// to a whole file, and is nil if there is none.
func (r *Resumable) Append(ctx context.Context, u *db.Upload, in Incoming) (*Arrival, error) {
	defer r.appends.begin(u.Account, u.ID, in.Stop)()
	arriving := r.arrive(ctx, u, in)
	if arriving != nil {
		in.Body = io.TeeReader(in.Body, arriving)
	}
	err := r.appendParts(context.WithoutCancel(ctx), u, in)
	switch {
	case arriving == nil:
		return nil, err
	case err != nil:
		arriving.Discard(ctx)
		return nil, err
	}
	arriving.Whole()
	return arriving, nil
}

func (r *Resumable) arrive(ctx context.Context, u *db.Upload, in Incoming) *Arrival {
	if in.Whole == nil || u.Received > 0 {
		return nil
	}
	return r.uploads.arrive(ctx, *in.Whole)
}

// appendParts stores a body part by part. A part whose request ends early is stored as far as it
// has come.
func (r *Resumable) appendParts(ctx context.Context, u *db.Upload, in Incoming) error {
	sum, err := unmarshal(u.Sum)
	if err != nil {
		return err
	}
	body := io.TeeReader(&bounded{in.Body, most(u, in.Limit) - u.Received}, sum)
	for {
		if err := r.uploads.disks.Room(0); err != nil {
			return err
		}
		key := blobs.PartKey(PartsPrefix(u), u.Received, u.Turn)
		size, ended, err := r.uploads.store.Blobs.PutPart(ctx, key, body)
		if err != nil {
			return r.unlessTakenOver(ctx, u, fmt.Errorf("uploads: keeping a part: %w", err))
		}
		if size > 0 {
			if err := r.keep(ctx, u, size, sum); err != nil {
				r.dropPart(ctx, key, err)
				return err
			}
			if in.Kept != nil {
				in.Kept(u.Received)
			}
		}
		switch {
		case errors.Is(ended, errBound):
			if err := CheckSize(u.Received+1, in.Limit); err != nil {
				return err
			}
			return ErrTooLong
		case errors.Is(ended, io.EOF):
			return nil
		case ended != nil:
			return ended
		}
	}
}

// unlessTakenOver returns an error about a part, or db.ErrTakenOver if the upload was removed
// meanwhile: with the upload goes the file of a part that arrives.
func (r *Resumable) unlessTakenOver(ctx context.Context, u *db.Upload, err error) error {
	if held, unknown := r.uploads.store.Uploads.Held(ctx, u); unknown == nil && !held {
		return fmt.Errorf("%w: %v", db.ErrTakenOver, err) //nolint:errorlint // the place of the blobs is not away
	}
	return err
}

// keep moves the row of an upload behind a part that is stored.
func (r *Resumable) keep(ctx context.Context, u *db.Upload, size int64, sum hash.Hash) error {
	next := *u
	var err error
	if next.Sum, err = marshal(sum); err != nil {
		return err
	}
	next.Received += size
	if err := r.uploads.store.Uploads.Keep(ctx, &next, u.Received); err != nil {
		return err
	}
	*u = next
	return nil
}

// dropPart removes a part that belongs to no file. If the row may have moved all the same, the
// part stays.
func (r *Resumable) dropPart(ctx context.Context, key string, why error) {
	if errors.Is(why, db.ErrTakenOver) {
		r.uploads.audio.DeleteBlobs(ctx, key)
	}
}

// most is how many bytes an upload may have.
func most(u *db.Upload, limit int64) int64 {
	most := limit
	if limit == account.Unlimited {
		most = 1 << 62
	}
	if u.Length != nil {
		most = min(most, *u.Length)
	}
	return most
}

// errBound ends a body that has more bytes than its upload may have.
var errBound = errors.New("uploads: the upload is full")

// bounded fails after so many bytes, if there are more.
type bounded struct {
	io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		n, err := b.Reader.Read(p[:min(len(p), 1)])
		if n > 0 {
			err = errBound
		}
		return 0, err
	}
	n, err := b.Reader.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// Announce records the length and the checksum that a request announces for an upload that the
// caller has.
func (r *Resumable) Announce(ctx context.Context, u *db.Upload, length *int64, digest []byte) error {
	if length == nil && digest == nil {
		return nil
	}
	next := *u
	if length != nil {
		next.Length = length
	}
	if digest != nil {
		next.Digest = digest
	}
	if err := r.uploads.store.Uploads.Keep(ctx, &next, u.Received); err != nil {
		return err
	}
	*u = next
	return nil
}

// Hand records for an idempotency key that its request has begun an upload. A nil key records
// nothing.
func (r *Resumable) Hand(ctx context.Context, key *db.HeldKey, u *db.Upload) error {
	if key == nil {
		return nil
	}
	return r.uploads.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		return tx.Idempotency.Record(ctx, key, db.Answer{Kind: db.UploadAnswer, ID: u.ID}, true)
	})
}

// Finish marks an upload that the caller has as whole.
func (r *Resumable) Finish(ctx context.Context, u *db.Upload) error {
	if u.Complete {
		return nil
	}
	next := *u
	next.Complete, next.Length = true, &next.Received
	if err := r.uploads.store.Uploads.Keep(ctx, &next, u.Received); err != nil {
		return err
	}
	*u = next
	return nil
}

// Whole is a finished upload as a file for Submit, which does not discard the file of a refused
// submission: the sender may ask for the answer again. UPLOAD_INVALID if the file is empty, or if
// it is not what its sender has announced. Then the file is gone, and the answer stays.
func (r *Resumable) Whole(ctx context.Context, u *db.Upload, work *Arrival) (*Upload, error) {
	sum, err := unmarshal(u.Sum)
	if err != nil {
		return nil, err
	}
	whole := &Upload{
		File:    intake.File{Key: blobs.WholeKey(PartsPrefix(u), u.Received), Size: u.Received, Name: u.Name, Row: u.ID},
		uploads: r.uploads, arrival: work,
	}
	sum.Sum(whole.SHA256[:0])
	var invalid string
	switch {
	case u.Received == 0:
		invalid = emptyFile
	case whole.CheckSum(u.Digest) != nil:
		invalid = otherFile
	}
	if invalid != "" {
		err := r.uploads.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
			return tx.Uploads.Record(ctx, u.Account, u.ID, db.Answer{Kind: db.RefusedAnswer, Note: invalid})
		})
		if err != nil {
			return nil, err
		}
		r.deleteParts(ctx, u)
		return nil, transcript.Errorf(transcript.UploadInvalid, "%s", invalid)
	}
	return whole, nil
}

const (
	emptyFile = "The file is empty: send a recording."
	otherFile = "The file is not the one whose checksum was sent with it."
)

// marshal is the state of a running SHA-256.
func marshal(sum hash.Hash) ([]byte, error) {
	state, err := sum.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("uploads: keeping the state of a checksum: %w", err)
	}
	return state, nil
}

// unmarshal continues a SHA-256.
func unmarshal(state []byte) (hash.Hash, error) {
	sum := sha256.New()
	if err := sum.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
		return nil, fmt.Errorf("uploads: reading the state of a checksum: %w", err)
	}
	return sum, nil
}
