package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// UploadAge is how long an upload is kept after its last request.
const UploadAge = 24 * time.Hour

// ErrTakenOver means that a later request has taken an upload over, or has removed it.
var ErrTakenOver = errors.New("store: another request has taken the upload over")

// ErrTooManyUploads means that an account has the largest number of unfinished uploads.
var ErrTooManyUploads = errors.New("store: the account has too many unfinished uploads")

// Upload is a file that arrives in several requests. One request at a time appends to the
// upload: the last request that has taken it over, by Begin or Take.
type Upload struct {
	bun.BaseModel `bun:"table:uploads,alias:u"`

	ID       string `bun:",pk"` // UUIDv7; made if it is empty
	Account  string
	Received int64  // stored bytes
	Length   *int64 // bytes of the whole file; nil if not known yet
	Sum      []byte // the state of the SHA-256 of the stored bytes
	Digest   []byte // the SHA-256 that the sender has announced; nil means none
	Turn     int64  // of the request that has the upload, from 1
	Complete bool   // the whole file is stored
	Wishes   string // the query of the request that began the upload
	Name     string // the file name; may be empty
	Answer          // of the pipeline; the zero value until there is one

	CreatedAt time.Time
	SeenAt    time.Time // the last request, by the database's clock
}

const uploadColumns = `id, account, received, length, sum, digest, turn, complete, wishes, name,
	answer_kind, answer_id, answer_note, created_at, seen_at`

// Unfinished are the uploads of an account that have no answer yet.
type Unfinished struct {
	Count int
	Bytes int64 // of all files when they are complete
}

// Uploads reads and changes the rows of uploads. Each method names the account, so that no
// account sees the uploads of another account.
type Uploads struct{ store *Store }

// UploadsTx records the answers of uploads.
type UploadsTx struct{ tx *Tx }

// Begin stores a new upload, and fills in its empty members. An upload of unknown length counts
// as largest bytes. The error is ErrTooManyUploads if the account would have more unfinished
// uploads than most.
func (s Uploads) Begin(ctx context.Context, u *Upload, largest int64, most Unfinished) error {
	if err := sqldb.NewID(&u.ID); err != nil {
		return err
	}
	u.Turn, u.Name = 1, sqldb.Text(u.Name)
	return s.store.InTx(ctx, func(ctx context.Context, tx *Tx) error {
		if err := tx.Lock(ctx, "uploads/"+u.Account); err != nil {
			return err
		}
		var has Unfinished
		err := tx.db.NewRaw(`SELECT count(*) AS count, COALESCE(sum(COALESCE(length, ?)), 0) AS bytes FROM uploads WHERE account = ? AND answer_kind = ''`,
			largest, u.Account).Scan(ctx, &has)
		if err != nil {
			return wrap("unfinished uploads", err)
		}
		length := largest
		if u.Length != nil {
			length = *u.Length
		}
		if has.Count >= most.Count || most.Bytes >= 0 && has.Bytes > most.Bytes-length {
			return ErrTooManyUploads
		}
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		u.CreatedAt, u.SeenAt = sqldb.Moment(now), sqldb.Moment(now)
		return insertNew(ctx, tx.db, "upload "+u.ID, u)
	})
}

// Take gives an upload to the calling request: the previous request can append nothing more.
// The error is ErrNotFound if the account has no such upload.
func (s Uploads) Take(ctx context.Context, account, id string) (*Upload, error) {
	var taken []Upload
	err := s.store.sql.DoReturning(ctx, &taken, `UPDATE uploads SET turn = turn + 1, seen_at = ? WHERE id = ? AND account = ? RETURNING `+uploadColumns,
		s.store.sql.Ago(0), id, account)
	switch {
	case err != nil:
		return nil, wrap("take upload "+id, err)
	case len(taken) == 0:
		return nil, fmt.Errorf("upload %s: %w", id, ErrNotFound)
	}
	return &taken[0], nil
}

// Look returns the state of an upload. The error is ErrNotFound if the account has no such upload.
func (s Uploads) Look(ctx context.Context, account, id string) (*Upload, error) {
	u := new(Upload)
	err := s.store.db.NewSelect().Model(u).Where("id = ? AND account = ?", id, account).Scan(ctx)
	return u, one("upload "+id, err)
}

// Keep stores the progress of an upload after bytes were stored: the members Received, Sum, Length,
// Digest and Complete. The error is ErrTakenOver if the request no longer has the upload.
func (s Uploads) Keep(ctx context.Context, u *Upload, before int64) error {
	n, err := s.store.sql.Do(ctx, `UPDATE uploads SET received = ?, sum = ?, length = ?, digest = ?, complete = ?, seen_at = ?
		WHERE id = ? AND account = ? AND turn = ? AND received = ? AND NOT complete`,
		u.Received, u.Sum, u.Length, u.Digest, u.Complete, s.store.sql.Ago(0), u.ID, u.Account, u.Turn, before)
	if err == nil && n == 0 {
		return fmt.Errorf("upload %s: %w", u.ID, ErrTakenOver)
	}
	return wrap("keep upload "+u.ID, err)
}

// Held reports whether a request still has the upload that it has taken.
func (s Uploads) Held(ctx context.Context, u *Upload) (held bool, err error) {
	err = s.store.db.NewRaw("SELECT EXISTS (SELECT 1 FROM uploads WHERE id = ? AND account = ? AND turn = ?)", u.ID, u.Account, u.Turn).Scan(ctx, &held)
	return held, wrap("look for upload "+u.ID, err)
}

// Remove removes an upload, and returns its last state. The error is ErrNotFound if the account has
// no such upload. The caller deletes the parts, unless the upload has an answer.
func (s Uploads) Remove(ctx context.Context, account, id string) (*Upload, error) {
	var removed []Upload
	err := s.store.sql.DoReturning(ctx, &removed, `DELETE FROM uploads WHERE id = ? AND account = ? RETURNING `+uploadColumns, id, account)
	switch {
	case err != nil:
		return nil, wrap("remove upload "+id, err)
	case len(removed) == 0:
		return nil, fmt.Errorf("upload %s: %w", id, ErrNotFound)
	}
	return &removed[0], nil
}

// Record records the subject of the answer to a complete upload, in the transaction that writes
// the subject. The error is ErrTakenOver if the account has no such upload, or if the upload
// already has an answer; then the transaction must not be committed.
func (w UploadsTx) Record(ctx context.Context, account, id string, a Answer) error {
	res, err := w.tx.db.NewUpdate().Model((*Upload)(nil)).
		Set("answer_kind = ?, answer_id = ?, answer_note = ?", a.Kind, a.ID, a.Note).
		Where("id = ? AND account = ? AND complete AND answer_kind = ''", id, account).
		Exec(ctx)
	n, err := affected(res, err)
	if err == nil && n == 0 {
		return fmt.Errorf("upload %s: %w", id, ErrTakenOver)
	}
	return wrap("record answer of upload "+id, err)
}
