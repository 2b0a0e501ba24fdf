package db

import (
	"context"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Recording is the file of an upload that its account keeps. The file is a blob.
type Recording struct {
	Account     string `bun:",pk"`
	ExternalID  string `bun:",pk"` // of the upload
	MediaKey    string // the blob
	ContentType string // according to the first bytes of the file
	Title       string // for the name of the file; "" means that it has none
	Bytes       int64
	CopyKey     string // the blob of the copy for playing; "" means that there is none
	CopyBytes   int64
	Until       time.Time // from then on, the service shows the recording to nobody
	CreatedAt   time.Time
}

// Recordings reads the recordings that accounts keep.
type Recordings struct{ *source }

// RecordingsTx reads and changes the recordings that accounts keep.
type RecordingsTx struct {
	Recordings
	tx *Tx
}

// Of returns the recording of an upload that an account keeps at a time. The error is
// ErrNotFound if there is none, even if another account keeps the same file.
func (r Recordings) Of(ctx context.Context, account, externalID string, at time.Time) (*Recording, error) {
	q := r.db.NewSelect().Where("account = ? AND external_id = ? AND until > ?", account, externalID, sqldb.Moment(at))
	return scanOne[Recording](ctx, q, "recording of "+externalID)
}

// KeptMedia is how many recordings an account keeps, and their size.
type KeptMedia struct {
	Recordings int64
	Bytes      int64 // without the copies for playing
}

// Kept returns what an account keeps at the given time.
func (r Recordings) Kept(ctx context.Context, account string, at time.Time) (kept KeptMedia, err error) {
	err = r.db.NewSelect().Model((*Recording)(nil)).ColumnExpr("count(*) AS recordings, coalesce(sum(bytes), 0) AS bytes").
		Where("account = ? AND until > ?", account, sqldb.Moment(at)).Scan(ctx, &kept)
	return kept, wrap("recordings of "+account, err)
}

// Promised returns how many bytes the running work of an account will keep.
func (r Recordings) Promised(ctx context.Context, account string) (bytes int64, err error) {
	err = r.db.NewSelect().Model((*Work)(nil)).ColumnExpr("coalesce(sum(media_bytes), 0)").
		Where("owner = ? AND keep_media > 0", account).Where(running).Scan(ctx, &bytes)
	return bytes, wrap("promised recordings of "+account, err)
}

// LockAccount makes transactions that promise to keep recordings of an account run one after
// another. A transaction calls it after it has locked the submissions of the text.
func (w RecordingsTx) LockAccount(ctx context.Context, account string) error {
	return w.tx.Lock(ctx, "recordings/"+account)
}

// Keep stores a recording if the library of its account has the text of the upload. If the account
// already keeps the recording, the later end applies, and the existing file stays. Keep reports
// whether the account now keeps the blob of r.
func (w RecordingsTx) Keep(ctx context.Context, r *Recording) (bool, error) {
	what := "keep recording of " + r.ExternalID
	saved, err := w.db.NewSelect().Model((*LibraryRow)(nil)).
		Where("account = ? AND platform = ? AND external_id = ? AND kind = 'transcript'", r.Account, transcript.Upload, r.ExternalID).Exists(ctx)
	if err != nil || !saved {
		return false, wrap(what, err)
	}
	r.CreatedAt, r.Until = sqldb.Moment(time.Now()), sqldb.Moment(r.Until)
	var kept string
	err = w.db.NewInsert().Model(r).On("CONFLICT (account, external_id) DO UPDATE").
		Set("until = CASE WHEN excluded.until > recording.until THEN excluded.until ELSE recording.until END").
		Returning("media_key").Scan(ctx, &kept)
	return kept == r.MediaKey, wrap(what, err)
}

// SetCopy stores the copy for playing of a recording, unless the recording was deleted or already
// has a copy. It reports whether the copy is used.
func (w RecordingsTx) SetCopy(ctx context.Context, r *Recording) (bool, error) {
	res, err := w.db.NewUpdate().Model(r).Column("copy_key", "copy_bytes").WherePK().Where("media_key = ? AND copy_key = ''", r.MediaKey).Exec(ctx)
	n, err := affected(res, err)
	return n > 0, wrap("copy of recording "+r.ExternalID, err)
}

// Delete removes the recording of an upload that an account keeps, and returns the keys of its
// blobs. The error is ErrNotFound if the account keeps none at that time.
func (w RecordingsTx) Delete(ctx context.Context, account, externalID string, at time.Time) (keys []string, err error) {
	keys, err = w.delete(ctx, "account = ? AND external_id = ? AND until > ?", account, externalID, sqldb.Moment(at))
	if err == nil && len(keys) == 0 {
		err = fmt.Errorf("recording of %s: %w", externalID, ErrNotFound)
	}
	return keys, err
}

// DeleteWithText removes the recording of an upload if the account no longer has a text of the
// upload, and returns the keys of its blobs. The transaction locks the texts of the upload.
func (w RecordingsTx) DeleteWithText(ctx context.Context, account, externalID string) (keys []string, err error) {
	return w.delete(ctx, `account = ? AND external_id = ? AND NOT EXISTS (SELECT 1 FROM library_rows AS l
		WHERE l.account = recording.account AND l.platform = ? AND l.external_id = recording.external_id AND l.kind = 'transcript')`,
		account, externalID, transcript.Upload)
}

func (w RecordingsTx) delete(ctx context.Context, where string, args ...any) (keys []string, err error) {
	var gone []Recording
	err = w.db.NewDelete().Model((*Recording)(nil)).Where(where, args...).Returning("media_key, copy_key").Scan(ctx, &gone)
	for _, r := range gone {
		keys = append(keys, r.MediaKey)
		if r.CopyKey != "" {
			keys = append(keys, r.CopyKey)
		}
	}
	return keys, wrap("delete recordings", err)
}

// DeleteEnded removes at most 200 recordings that have expired at the given time, and returns the
// keys of their blobs. It reports whether there may be more.
func (w RecordingsTx) DeleteEnded(ctx context.Context, at time.Time) (keys []string, more bool, err error) {
	var ended []Recording
	err = w.db.NewSelect().Model(&ended).Column("account", "external_id").Where("until <= ?", sqldb.Moment(at)).Order("until").Limit(portion).Scan(ctx)
	if err != nil {
		return nil, false, wrap("look for old recordings", err)
	}
	for _, r := range ended { // a recording whose time was extended meanwhile stays
		gone, err := w.delete(ctx, "account = ? AND external_id = ? AND until <= ?", r.Account, r.ExternalID, sqldb.Moment(at))
		if err != nil {
			return nil, false, err
		}
		keys = append(keys, gone...)
	}
	return keys, len(ended) == portion, nil
}

// DeleteSome removes at most 200 recordings of an account, and returns the keys of their blobs.
func (w RecordingsTx) DeleteSome(ctx context.Context, account string) (keys []string, err error) {
	return w.delete(ctx, "account = ? AND external_id IN (SELECT external_id FROM recordings WHERE account = ? LIMIT ?)", account, account, portion)
}

// Bytes returns the size of the recordings of all accounts, including the copies for playing.
func (r Recordings) Bytes(ctx context.Context) (bytes int64, err error) {
	err = r.db.NewSelect().Model((*Recording)(nil)).ColumnExpr("coalesce(sum(bytes + copy_bytes), 0)").Scan(ctx, &bytes)
	return bytes, wrap("measure recordings", err)
}

// MediaKept reports whether the blob contains a recording that an account keeps, or that running
// work will keep.
func (r Recordings) MediaKept(ctx context.Context, key string) (bool, error) {
	var kept bool
	err := r.db.NewRaw(`SELECT EXISTS (SELECT 1 FROM recordings WHERE media_key = ?0)
		OR EXISTS (SELECT 1 FROM extractions AS e WHERE e.`+running+` AND e.media_key = ?0 AND e.keep_media > 0)`, key).Scan(ctx, &kept)
	return kept, wrap("recording in use", err)
}
