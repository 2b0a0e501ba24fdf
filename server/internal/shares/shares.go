// Package shares stores the links by which accounts show single texts of their libraries
// to everybody who has a link.
//
// A link holds a token of 256 random bits. The token is the only credential of a reader, so the
// table has only the hash of the token. A link belongs to a row of the library, and ends with the
// row, at its own end, and when its account deletes it.
package shares

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/labels"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/server/internal/subject"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// ErrNone means that no active link has the token.
var ErrNone = errors.New("shares: there is no such link")

const (
	// UsualLife is how long a link works if its maker sets no end.
	UsualLife = 30 * 24 * time.Hour
	// LongestLife is how far ahead the end of a link may be.
	LongestLife = 366 * 24 * time.Hour
	// MostOfText is the largest number of active links to a text.
	MostOfText = 20
	// MostOfAccount is the largest number of active links of an account.
	MostOfAccount = 1000
)

// share is a link to a text.
type share struct {
	bun.BaseModel `bun:"table:shares,alias:s"`

	ID        string `bun:",pk"`
	Account   string
	RowID     string
	Hash      string
	CreatedAt time.Time
	ExpiresAt time.Time
}

func (s *share) shown() library.Share {
	return library.Share{ID: s.ID, CreatedAt: transcript.At(s.CreatedAt), ExpiresAt: transcript.At(s.ExpiresAt)}
}

// Shares keeps the links of accounts. It is safe for concurrent use.
type Shares struct{ store *db.Store }

// New returns the links in a store.
func New(store *db.Store) *Shares { return &Shares{store} }

// Answer is the kind of the answer to a request that has made a link.
const Answer db.AnswerKind = "share"

// tokenBytes is the length of a token before it is encoded.
const tokenBytes = 32

func newToken() string {
	random := make([]byte, tokenBytes)
	_, _ = rand.Read(random) // never returns an error
	return base64.RawURLEncoding.EncodeToString(random)
}

// Create makes a link to the newest text that a key names. The link ends at until, or after
// UsualLife if until is nil. The token is the last part of the link, and is not stored. The error
// is INVALID_REQUEST if until is out of its bounds, NO_TRANSCRIPT if the library has no such
// text, and STATE_CONFLICT with details.limit if the text or the account has too many links.
//
// The transaction records the link for the idempotency key of the request, if it has one.
func (s *Shares) Create(ctx context.Context, account string, key library.Key, until *time.Time, held *db.HeldKey) (made library.Share, token string, err error) {
	now, err := s.store.Now(ctx)
	if err != nil {
		return made, "", fmt.Errorf("shares: making a link: %w", err)
	}
	end, err := endOf(until, now)
	if err != nil {
		return made, "", err
	}
	token = newToken()
	link := &share{Account: account, Hash: hashOf(token), CreatedAt: sqldb.Moment(now), ExpiresAt: sqldb.Moment(end)}
	if err := sqldb.NewID(&link.ID); err != nil {
		return made, "", err
	}
	err = s.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := s.insert(ctx, tx, key, link); err != nil {
			return err
		}
		return tx.Idempotency.Record(ctx, held, db.Answer{Kind: Answer, ID: link.ID}, true)
	})
	if errors.Is(err, db.ErrNotFound) {
		return made, "", subject.NotSaved()
	}
	if err != nil {
		return made, "", fmt.Errorf("shares: making a link: %w", err)
	}
	return link.shown(), token, nil
}

// Renew gives a link of an account a new token. The previous token no longer works. A repeated
// request gets a new token, because the first one is not stored. The error is NOT_FOUND if the
// account has no such link, or if the link has ended.
func (s *Shares) Renew(ctx context.Context, account, id string) (made library.Share, token string, err error) {
	token = newToken()
	link := new(share)
	err = s.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		return tx.SQL().NewRaw(`UPDATE shares SET hash = ? WHERE id = ? AND account = ? AND expires_at > (SELECT ?) RETURNING *`,
			hashOf(token), id, account, s.store.SQL().Ago(0)).Scan(ctx, link)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return made, "", transcript.Errorf(transcript.NotFound, "The link that this request made has ended.")
	}
	if err != nil {
		return made, "", fmt.Errorf("shares: %w", sqldb.Wrap("renew share", err))
	}
	return link.shown(), token, nil
}

// insert stores a link to the newest text that a key names, if there may be one more.
func (s *Shares) insert(ctx context.Context, tx *db.Tx, key library.Key, link *share) error {
	if err := tx.Lock(ctx, "shares of "+link.Account); err != nil {
		return err
	}
	if err := tx.Library.LockTexts(ctx, key.Platform, key.ExternalID); err != nil {
		return err
	}
	row, err := tx.Library.Row(ctx, link.Account, key)
	if err != nil {
		return err
	}
	if row.Kind != library.KindTranscript {
		return db.ErrNotFound
	}
	link.RowID = row.ID
	if err := s.checkRoom(ctx, tx, link); err != nil {
		return err
	}
	_, err = tx.SQL().NewInsert().Model(link).Exec(ctx)
	return sqldb.Wrap("insert share", err)
}

// checkRoom refuses a link that would be one too many.
func (s *Shares) checkRoom(ctx context.Context, tx *db.Tx, link *share) error {
	var have struct{ OfText, OfAccount int }
	err := tx.SQL().NewRaw(`SELECT count(*) AS of_account, count(CASE WHEN row_id = ? THEN 1 END) AS of_text
		FROM shares WHERE account = ? AND expires_at > (SELECT ?)`, link.RowID, link.Account, s.store.SQL().Ago(0)).Scan(ctx, &have)
	switch {
	case err != nil:
		return sqldb.Wrap("count shares", err)
	case have.OfText >= MostOfText:
		return full("The text has %d links, and may have no more.", MostOfText)
	case have.OfAccount >= MostOfAccount:
		return full("The account has %d links, and may have no more.", MostOfAccount)
	}
	return nil
}

func full(message string, limit int) error {
	e := transcript.Errorf(transcript.StateConflict, message, limit).With("limit", limit)
	e.Cure = "Delete a link that is no longer needed."
	return e
}

// List returns the active links to the newest text that a key names, newest first. The error
// is NO_TRANSCRIPT if the library has no such text.
func (s *Shares) List(ctx context.Context, account string, key library.Key) ([]library.Share, error) {
	row, err := s.store.Library.Row(ctx, account, key)
	if err == nil && row.Kind != library.KindTranscript {
		err = db.ErrNotFound
	}
	if errors.Is(err, db.ErrNotFound) {
		return nil, subject.NotSaved()
	}
	if err != nil {
		return nil, fmt.Errorf("shares: listing links: %w", err)
	}
	var links []share
	err = s.store.SQL().Reader().NewSelect().Model(&links).
		Where("s.row_id = ? AND s.account = ? AND s.expires_at > (SELECT ?)", row.ID, account, s.store.SQL().Ago(0)).
		Order("s.created_at DESC", "s.id DESC").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("shares: %w", sqldb.Wrap("list shares", err))
	}
	shown := make([]library.Share, len(links))
	for i := range links {
		shown[i] = links[i].shown()
	}
	return shown, nil
}

// Delete ends a link to a text of an account: of any language if the key has none. The error is
// NOT_FOUND if the account has no such link to the text.
func (s *Shares) Delete(ctx context.Context, account string, key library.Key, id string) error {
	var ended int64
	err := s.store.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		res, err := tx.SQL().NewRaw(`DELETE FROM shares WHERE id = ?0 AND account = ?1 AND row_id IN (
			SELECT id FROM library_rows WHERE account = ?1 AND platform = ?2 AND external_id = ?3 AND kind = 'transcript' AND ?4 IN ('', lang))`,
			id, account, key.Platform, key.ExternalID, key.Language).Exec(ctx)
		if err == nil {
			ended, err = res.RowsAffected()
		}
		return sqldb.Wrap("delete share", err)
	})
	if err != nil {
		return fmt.Errorf("shares: deleting a link: %w", err)
	}
	if ended == 0 {
		return transcript.Errorf(transcript.NotFound, "The text has no such link.")
	}
	return nil
}

// At returns the text of the link with a token, and the account that made the link. The error is
// ErrNone if no active link has the token.
func (s *Shares) At(ctx context.Context, token string) (account string, saved *db.Saved, err error) {
	var found struct {
		Account      string
		TranscriptID string
		ChangedAt    time.Time
		Revision     int
		labels.Label `bun:",extend"`
	}
	err = s.store.SQL().Reader().NewRaw(`SELECT s.account, l.transcript_id, t.updated_at AS changed_at, l.revision, b.title
		FROM shares AS s
		JOIN library_rows AS l ON l.id = s.row_id AND l.account = s.account AND l.kind = 'transcript'
		JOIN transcripts AS t ON t.id = l.transcript_id
		LEFT JOIN labels AS b ON b.account = l.account AND b.platform = l.platform AND b.external_id = l.external_id
		WHERE s.hash = ? AND s.expires_at > (SELECT ?)`, hashOf(token), s.store.SQL().Ago(0)).Scan(ctx, &found)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil, ErrNone
	}
	if err != nil {
		return "", nil, fmt.Errorf("shares: %w", sqldb.Wrap("read a share", err))
	}
	return found.Account, &db.Saved{TranscriptID: found.TranscriptID, ChangedAt: found.ChangedAt, Revision: found.Revision, Label: found.Label}, nil
}

// hashOf returns the stored form of a token. A slow hash is not necessary, because a token has
// 256 random bits.
func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
