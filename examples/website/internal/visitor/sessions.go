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
	// sessionLifetime is the longest life of a session.
	sessionLifetime = 30 * 24 * time.Hour
	// sessionIdle is how long an unused session lives.
	sessionIdle = 7 * 24 * time.Hour
	// sessionNoted is the precision of a session's time of last use, so that few requests
	// write.
	sessionNoted = time.Hour
)

// The values of a session.
const (
	userKey     = "user"     // the name of a user, folded
	sessionsKey = "sessions" // user.Sessions at the time of the sign-in
)

// newSessions returns sessions that are stored in d with hashed tokens.
func newSessions(d *database, https bool) *scs.SessionManager {
	// Do not use scs.New, which starts a goroutine for a store that is not used here.
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

// cookieName returns the name of a cookie. On an https site its prefix makes browsers accept
// the cookie only from this host, and only over https.
func cookieName(name string, https bool) string {
	if https {
		return "__Host-" + name
	}
	return name
}

// codec is the codec of scs. Unreadable data was written by another program, or by another
// version of this one: the user then signs in again.
type codec struct{ scs.GobCodec }

// Decode implements scs.Codec.
func (c codec) Decode(data []byte) (time.Time, map[string]any, error) {
	until, values, err := c.GobCodec.Decode(data)
	if err != nil {
		return time.Now().Add(sessionLifetime), map[string]any{}, nil //nolint:nilerr // an empty session reports it
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

// sessionStore stores sessions for scs. An ended session keeps its row until it would have
// expired, so that a running request cannot revive it.
type sessionStore struct{ d *database }

var _ scs.CtxStore = sessionStore{}

// FindCtx implements scs.CtxStore, and records the use of the session.
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
	return data, err == nil, nil // like codec
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

// forgetSessions ends all sessions of a user. Only their rows stay until they would have expired,
// without the name of the user.
func (d *database) forgetSessions(ctx context.Context, folded string) error {
	for last := ""; ; {
		var rows []session
		err := d.NewSelect().Model(&rows).Where("data <> '' AND token > ?", last).Order("token").Limit(sweepAtOnce).Scan(ctx)
		if err != nil || len(rows) == 0 {
			return wrap("looking for the sessions of a user", err)
		}
		for _, row := range rows {
			last = row.Token
			if row.user() != folded {
				continue
			}
			if err := (sessionStore{d}).DeleteCtx(ctx, row.Token); err != nil {
				return err
			}
		}
	}
}

// user is the user of a session, folded; empty: the session has none.
func (s session) user() string {
	data, err := base64.StdEncoding.DecodeString(s.Data)
	if err != nil {
		return "" // like codec
	}
	_, values, err := codec{}.Decode(data)
	if err != nil {
		return ""
	}
	name, _ := values[userKey].(string)
	return name
}
