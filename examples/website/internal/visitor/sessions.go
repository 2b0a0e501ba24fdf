package visitor

import (
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/uptrace/bun"
)

const (
	// sessionLifetime is how long a session lives at most.
	sessionLifetime = 30 * 24 * time.Hour
	// sessionIdle is how long it lives without being used.
	sessionIdle = 7 * 24 * time.Hour
	// sessionNoted is how exact the time of its last use is: not every request writes.
	sessionNoted = time.Hour
)

// What a session holds.
const (
	userKey     = "user"     // the name of a user, folded
	sessionsKey = "sessions" // user.Sessions when they signed in
)

// newSessions are sessions that d keeps. Their tokens are hashed there.
func newSessions(d *database, https bool) *scs.SessionManager {
	// Not scs.New, which starts something for a store that is not used here.
	return &scs.SessionManager{
		Store:            sessionStore{d},
		Codec:            codec{},
		Lifetime:         sessionLifetime,
		HashTokenInStore: true,
		Cookie: scs.SessionCookie{
			Name: cookieName("session", https), Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: https, Persist: true,
		},
	}
}

// cookieName is the name of a cookie. Where the site is https, its prefix makes browsers
// take the cookie from this host alone, and by https.
func cookieName(name string, https bool) string {
	if https {
		return "__Host-" + name
	}
	return name
}

// codec is that of scs. What it cannot read another program has written, or another version
// of this one: whoever has that session signs in again.
type codec struct{ scs.GobCodec }

// Decode implements scs.Codec.
func (c codec) Decode(data []byte) (time.Time, map[string]any, error) {
	until, values, err := c.GobCodec.Decode(data)
	if err != nil {
		return time.Now().Add(sessionLifetime), map[string]any{}, nil //nolint:nilerr // it is told by being empty
	}
	return until, values, nil
}

// session is a row of website_sessions.
type session struct {
	bun.BaseModel `bun:"table:website_sessions"`

	Token     string `bun:",pk"`
	Data      string
	UsedAt    int64
	ExpiresAt int64
}

// sessionStore keeps sessions for scs. One that has ended keeps its row until it would
// have expired: a request that is still under way brings none back.
type sessionStore struct{ d *database }

var _ scs.CtxStore = sessionStore{}

// FindCtx implements scs.CtxStore, and notes that the session is used.
func (s sessionStore) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	var row session
	now := time.Now()
	err := s.d.NewSelect().Model(&row).Where("token = ? AND data <> '' AND expires_at > ? AND used_at > ?", token, now.Unix(), now.Add(-sessionIdle).Unix()).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, wrap("looking up a session", err)
	}
	if now.Sub(time.Unix(row.UsedAt, 0)) > sessionNoted {
		if _, err := s.d.NewUpdate().Model(&row).Set("used_at = ?", now.Unix()).WherePK().Exec(ctx); err != nil {
			return nil, false, wrap("noting the use of a session", err)
		}
	}
	data, err := base64.StdEncoding.DecodeString(row.Data)
	return data, err == nil, nil // as in codec
}

// CommitCtx implements scs.CtxStore.
func (s sessionStore) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	row := session{Token: token, Data: base64.StdEncoding.EncodeToString(data), UsedAt: time.Now().Unix(), ExpiresAt: expiry.Unix()}
	_, err := s.d.NewInsert().Model(&row).On("CONFLICT (token) DO UPDATE").
		Set("data = EXCLUDED.data, used_at = EXCLUDED.used_at, expires_at = EXCLUDED.expires_at").
		Where("session.data <> ''").Returning("NULL").Exec(ctx)
	return wrap("keeping a session", err)
}

// DeleteCtx implements scs.CtxStore.
func (s sessionStore) DeleteCtx(ctx context.Context, token string) error {
	_, err := s.d.NewUpdate().Model((*session)(nil)).Set("data = ''").Where("token = ?", token).Exec(ctx)
	return wrap("ending a session", err)
}

// Find implements scs.Store.
func (s sessionStore) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit implements scs.Store.
func (s sessionStore) Commit(token string, data []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expiry)
}

// Delete implements scs.Store.
func (s sessionStore) Delete(token string) error {
	return s.DeleteCtx(context.Background(), token)
}
