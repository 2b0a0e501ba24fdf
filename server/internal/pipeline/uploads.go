package pipeline

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"math"

	"github.com/dustin/go-humanize"
	"github.com/google/uuid"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Upload is a received file. A caller that does not hand it to Submit discards it.
type Upload struct {
	Key    string // the blob
	SHA256 [sha256.Size]byte
	Size   int64  // bytes
	Name   string // the file name, which the caller of Receive sets; may be empty

	row       string   // the id of the resumable upload that it is; empty: it is none
	mediaType string   // by its first bytes; "": they are not read
	arrival   *arrival // the work on it while it arrived; nil: there was none
}

// Receive streams a file into the blobs and hashes it on the way. More than
// limit bytes are MEDIA_TOO_LARGE with details.limitBytes, no byte at all is
// UPLOAD_INVALID, no room for it is db.ErrUnavailable; an error of r is returned
// as it is. Nothing stays behind after an error.
func (p *Pipeline) Receive(ctx context.Context, r io.Reader, limit int64) (*Upload, error) {
	if limit != account.Unlimited && limit < math.MaxInt64 {
		r = io.LimitReader(r, limit+1) // one more tells "too large" from "just as large"
	}
	if err := p.Disks.Room(0); err != nil {
		return nil, err
	}
	b, err := p.store.Blobs.Put(ctx, db.UploadPrefix+uuid.NewString(), func(w io.Writer) error {
		size, err := io.Copy(w, p.Disks.Reader(r))
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
	return &Upload{Key: b.Key, SHA256: b.SHA256, Size: b.Size}, nil
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

// Discard removes a received file that will not be submitted.
func (p *Pipeline) Discard(ctx context.Context, u *Upload) {
	u.discardArrival(ctx)
	p.audio.DeleteBlobs(context.WithoutCancel(ctx), u.Key)
}

// ExternalID is the id of an upload: the first 32 hex digits of its SHA-256.
func (u *Upload) ExternalID() string { return fmt.Sprintf("%x", u.SHA256[:16]) }
