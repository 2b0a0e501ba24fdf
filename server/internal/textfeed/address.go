// Package textfeed keeps the private addresses of the feeds in which accounts read their new
// texts, and writes the feeds as Atom (RFC 4287).
//
// An address holds a token of 256 random bits. The token is the only credential of a reader, so
// the table has only the hash of the token. An account has one feed. A new address ends the
// previous address, and the feed keeps its id, so that readers recognize the entries.
package textfeed

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// ErrNone says that an account has no feed, or that no feed has the address.
var ErrNone = errors.New("textfeed: there is no such feed")

// Feed is the feed of an account.
type Feed struct {
	bun.BaseModel `bun:"table:text_feeds"`

	Account   string `bun:",pk"`
	ID        string // a UUID that a new address does not change
	Hash      string
	CreatedAt time.Time // of the address
}

// Feeds keeps the feeds of accounts. It is safe for concurrent use.
type Feeds struct{ db *sqldb.DB }

// New returns the feeds in a database.
func New(db *sqldb.DB) *Feeds { return &Feeds{db} }

// tokenBytes is the length of a token before it is encoded.
const tokenBytes = 32

// Renew gives the feed of an account a new address, and makes the feed if there is none. The
// token is the last part of the address, and is not stored. The address before ends.
func (f *Feeds) Renew(ctx context.Context, account string) (_ Feed, token string, err error) {
	random := make([]byte, tokenBytes)
	_, _ = rand.Read(random) // never returns an error
	token = base64.RawURLEncoding.EncodeToString(random)
	feed := Feed{Account: account, ID: uuid.NewString(), Hash: hashOf(token), CreatedAt: sqldb.Moment(time.Now())}
	err = f.db.InTx(ctx, func(ctx context.Context, tx *sqldb.Tx) error {
		return tx.NewInsert().Model(&feed).
			On("CONFLICT (account) DO UPDATE").
			Set("hash = excluded.hash, created_at = excluded.created_at").
			Returning("id").Scan(ctx, &feed.ID)
	})
	return feed, token, sqldb.Wrap("renew the feed of "+account, err)
}

// Of returns the feed of an account, or ErrNone.
func (f *Feeds) Of(ctx context.Context, account string) (Feed, error) {
	return f.one(ctx, "account = ?", account)
}

// At returns the feed whose address has the token, or ErrNone.
func (f *Feeds) At(ctx context.Context, token string) (Feed, error) {
	return f.one(ctx, "hash = ?", hashOf(token))
}

func (f *Feeds) one(ctx context.Context, where string, value any) (Feed, error) {
	var feed Feed
	err := f.db.Reader().NewSelect().Model(&feed).Where(where, value).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return feed, ErrNone
	}
	return feed, sqldb.Wrap("read a feed", err)
}

// Delete ends the address of an account and forgets the feed. It is not an error if an
// account has no feed.
func (f *Feeds) Delete(ctx context.Context, account string) error {
	err := f.db.InTx(ctx, func(ctx context.Context, tx *sqldb.Tx) error {
		_, err := tx.NewDelete().Model((*Feed)(nil)).Where("account = ?", account).Exec(ctx)
		return err
	})
	return sqldb.Wrap("delete the feed of "+account, err)
}

// hashOf returns the stored form of a token. A slow hash is not necessary, because a token has
// 256 random bits.
func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
