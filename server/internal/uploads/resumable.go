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
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Resumable stores files that arrive in several requests. The row of an upload says how far the
// upload has come, and the parts of the file are blobs. A part is stored before its row is
// updated, so a row never counts bytes that are not stored. A part without a row is overwritten,
// or swept.
type Resumable struct {
	uploads *Uploads
	appends appends
	watches watches
	joins   *semaphore.Weighted // of joinsAtOnce
}

const (
	// unfinishedUploads is how many uploads of an account may wait for their rest.
	unfinishedUploads = 32
	// unfinishedFiles limits the unfinished uploads of an account in bytes: together they may
	// be as large as this many files of the largest size that the plan permits.
	unfinishedFiles = 4
)

// Begin begins an upload; its members Account, Wishes, Name, Digest and Length are set. The upload
// then belongs to the caller. The error is MEDIA_TOO_LARGE if the length is over limit,
// db.ErrUnavailable if the disks have too little space, and STATE_CONFLICT if the account has too
// many unfinished uploads.
func (r *Resumable) Begin(ctx context.Context, u *db.Upload, limit int64) (*Upload, error) {
	var length int64
	if u.Length != nil {
		length = *u.Length
	}
	if err := CheckSize(length, limit); err != nil { // first the error that never passes, then the disks
		return nil, err
	}
	if err := r.uploads.disks.Room(length); err != nil {
		return nil, err
	}
	var err error
	if u.Sum, err = marshal(sha256.New()); err != nil {
		return nil, err
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
		return nil, transcript.Errorf(transcript.StateConflict, "The account has too many unfinished uploads: finish one of them, or delete it.").
			With("limit", most.Count)
	}
	return &Upload{uploads: r.uploads, Parts: u}, err
}

const (
	// joinEvery is after how many requests the small parts of an upload are joined.
	joinEvery = 16
	// joinsAtOnce limits the memory of joins, each of which sends a part to the place of the blobs.
	joinsAtOnce = 4
)

// Take gives an upload to the caller. Requests that append to it end first, and their bytes are
// stored. The error is NOT_FOUND if the account has no such upload.
func (r *Resumable) Take(ctx context.Context, account, id string) (*Upload, error) {
	r.appends.stop(ctx, account, id)
	u, err := r.uploads.store.Uploads.Take(ctx, account, id)
	if errors.Is(err, db.ErrNotFound) {
		return nil, errNoUpload(err)
	}
	if err != nil {
		return nil, err
	}
	if u.Turn%joinEvery == 0 && !u.Complete {
		r.join(context.WithoutCancel(ctx), u) // even for a sender that disconnects each time
	}
	return &Upload{uploads: r.uploads, Parts: u}, nil
}

// join joins the small parts of an upload that the caller has. If it fails, the parts do not
// change.
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

// Cancel removes an upload. The error is NOT_FOUND if the account has no such upload.
func (r *Resumable) Cancel(ctx context.Context, account, id string) error {
	r.appends.stop(ctx, account, id)
	u, err := r.uploads.store.Uploads.Remove(ctx, account, id)
	if errors.Is(err, db.ErrNotFound) {
		return errNoUpload(err)
	}
	if watched := r.watches.take(id, func(*watch) bool { return err == nil }); watched != nil {
		watched.Discard(ctx)
	}
	if err == nil && u.Answer == (db.Answer{}) { // otherwise the work has the file
		r.deleteParts(ctx, u)
	}
	return err
}

func (r *Resumable) deleteParts(ctx context.Context, u *db.Upload) {
	r.uploads.audio.DeleteBlobs(context.WithoutCancel(ctx), blobs.WholeKey(PartsPrefix(u), u.Received))
}

// PartsPrefix begins the keys of the parts of an upload.
func PartsPrefix(u *db.Upload) string { return db.UploadPrefix + u.ID }

// Incoming is the body of a request that appends to an upload.
type Incoming struct {
	Body  io.Reader
	Stop  func()               // ends Body with an error, even while a call reads
	Limit int64                // the largest number of bytes of the file; account.Unlimited for any
	Kept  func(received int64) // is called when more bytes are stored; nil if not called
	// Whole is the expected submission of the body, if it brings a whole file: the file is then
	// processed while it arrives. nil means that the body is a part.
	Whole *intake.Submission
}

// ErrTooLong means that more bytes have arrived than the upload has.
var ErrTooLong = errors.New("uploads: the upload is longer than its length")

// Append appends a body to an upload that the caller has. After an error of the body, all bytes
// before it are stored. Further errors are db.ErrTakenOver, ErrTooLong, MEDIA_TOO_LARGE, and
// db.ErrUnavailable if the place of the blobs or the database is not available.
func (u *Upload) Append(ctx context.Context, in Incoming) error {
	r := u.uploads.Resumable
	defer r.appends.begin(u.Parts.Account, u.Parts.ID, in.Stop)()
	if in.Whole != nil && u.Parts.Received == 0 {
		u.arrival = u.uploads.arrive(ctx, *in.Whole)
	}
	if u.arrival != nil {
		in.Body = io.TeeReader(in.Body, u.arrival)
	}
	if err := r.appendParts(context.WithoutCancel(ctx), u.Parts, in); err != nil {
		u.discardArrival(ctx)
		return err
	}
	if u.arrival != nil {
		u.arrival.Whole()
	}
	return nil
}

// appendParts stores a body part by part. If the request of a part ends early, the received
// bytes of the part are stored.
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

// keep updates the row of an upload after a part is stored.
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

// dropPart removes a part that belongs to no file. If the row may have been updated
// nevertheless, the part stays.
func (r *Resumable) dropPart(ctx context.Context, key string, why error) {
	if errors.Is(why, db.ErrTakenOver) {
		r.uploads.audio.DeleteBlobs(ctx, key)
	}
}

// most returns how many bytes an upload may have.
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

// bounded fails after the given number of bytes, if there are more.
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
func (u *Upload) Announce(ctx context.Context, length *int64, digest []byte) error {
	if length == nil && digest == nil {
		return nil
	}
	next := *u.Parts
	if length != nil {
		next.Length = length
	}
	if digest != nil {
		next.Digest = digest
	}
	if err := u.uploads.store.Uploads.Keep(ctx, &next, u.Parts.Received); err != nil {
		return err
	}
	*u.Parts = next
	return nil
}

// Hand records for an idempotency key that its request has begun an upload. A nil key records
// nothing.
func (u *Upload) Hand(ctx context.Context, key *db.HeldKey) error {
	if key == nil {
		return nil
	}
	return u.uploads.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		return tx.Idempotency.Record(ctx, key, db.Answer{Kind: db.UploadAnswer, ID: u.Parts.ID}, true)
	})
}

// Finish marks an upload that the caller has as whole. The work on it while it arrived, if somebody
// has watched, goes with it.
func (u *Upload) Finish(ctx context.Context) error {
	if u.Parts.Complete {
		return nil
	}
	next := *u.Parts
	next.Complete, next.Length = true, &next.Received
	if err := u.uploads.store.Uploads.Keep(ctx, &next, u.Parts.Received); err != nil {
		return err
	}
	*u.Parts = next
	if u.arrival == nil {
		u.arrival = u.uploads.Resumable.watches.take(u.Parts.ID, func(*watch) bool { return true })
	}
	return nil
}

// Join makes the file of a finished upload out of its parts, for Commit. The error is
// UPLOAD_INVALID if the file is empty, or if it differs from what its sender has announced. Then
// the file is deleted, and the answer stays.
func (u *Upload) Join(ctx context.Context) error {
	parts := u.Parts
	sum, err := unmarshal(parts.Sum)
	if err != nil {
		return err
	}
	u.File = intake.File{Key: blobs.WholeKey(PartsPrefix(parts), parts.Received), Size: parts.Received, Name: parts.Name, Row: parts.ID}
	sum.Sum(u.SHA256[:0])
	var invalid string
	switch {
	case parts.Received == 0:
		invalid = emptyFile
	case u.CheckSum(parts.Digest) != nil:
		invalid = otherFile
	default:
		return nil
	}
	err = u.uploads.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		return tx.Uploads.Record(ctx, parts.Account, parts.ID, db.Answer{Kind: db.RefusedAnswer, Note: invalid})
	})
	if err != nil {
		return err
	}
	u.uploads.Resumable.deleteParts(ctx, parts)
	return transcript.Errorf(transcript.UploadInvalid, "%s", invalid)
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
