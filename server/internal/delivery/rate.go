package delivery

import (
	"context"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"golang.org/x/net/idna"

	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// usualWindow is the time in which a host gets webhook.PerSecond requests for an account. It is
// longer than a second, because one request may take longer to the host than another.
const usualWindow = 1100 * time.Millisecond

// longestLine limits how long an endpoint waits for its turn at a host before it checks again,
// in windows. An account has at most this many endpoints.
const longestLine = webhook.MaxEndpoints

// rate is when a host got its last requests for an account, from all endpoints of the account
// and all processes.
type rate struct {
	bun.BaseModel `bun:"table:webhook_rates,alias:r"`

	Account  string `bun:",pk"`
	Host     string `bun:",pk"` // see hostOf
	BeforeAt time.Time
	LastAt   time.Time // of the last request; BeforeAt is the time of the previous one
	LineAt   time.Time // when the turn of the last waiting endpoint is
}

// take takes at most n requests that may be sent at the given time, and returns their number. If
// none may be sent, it makes the caller wait for its turn, and returns when the turn is.
func (r *rate) take(now time.Time, n int, window time.Duration) (taken int, turn time.Time) {
	for ; taken < min(n, webhook.PerSecond) && now.Sub(r.BeforeAt) >= window; taken++ {
		r.BeforeAt, r.LastAt = r.LastAt, now
	}
	if taken > 0 {
		return taken, now
	}
	turn = r.BeforeAt.Add(window)
	if next := r.LineAt.Add(window); next.After(turn) {
		turn = next
	}
	if last := now.Add(longestLine * window); turn.After(last) {
		turn = last
	}
	r.LineAt = turn
	return 0, turn
}

// take takes at most n requests that the endpoint of a step may send now, and returns their
// number. If none may be sent, the endpoint waits for its turn at the host.
func (s *Sender) take(ctx context.Context, step Step, n int, now time.Time) (taken int, err error) {
	held, err := s.onStep(ctx, step, func(ctx context.Context, tx *db.Tx, e *endpoint) error {
		r := &rate{Account: e.Account, Host: hostOf(e.URL)}
		if _, err := tx.SQL().NewInsert().Model(r).On("CONFLICT DO NOTHING").Exec(ctx); err != nil {
			return sqldb.Wrap("insert rate of webhooks", err)
		}
		if err := tx.SQL().ForUpdate(tx.SQL().NewSelect().Model(r).WherePK()).Scan(ctx); err != nil {
			return sqldb.Wrap("rate of webhooks", err)
		}
		var turn time.Time
		if taken, turn = r.take(now, n, s.cfg.Window); taken == 0 {
			e.NotBefore = new(sqldb.Moment(turn))
			if _, err := tx.SQL().NewUpdate().Model(e).Column("not_before").WherePK().Exec(ctx); err != nil {
				return sqldb.Wrap("put webhook into a line", err)
			}
		}
		r.BeforeAt, r.LastAt, r.LineAt = sqldb.Moment(r.BeforeAt), sqldb.Moment(r.LastAt), sqldb.Moment(r.LineAt)
		_, err := tx.SQL().NewUpdate().Model(r).WherePK().Exec(ctx)
		return sqldb.Wrap("save rate of webhooks", err)
	})
	if !held {
		return 0, err
	}
	return taken, err
}

// forget removes the times at which hosts got requests for an account. The account no
// longer has an endpoint.
func (s *Store) forget(ctx context.Context, account string) error {
	return s.db.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL().NewRaw("DELETE FROM webhook_rates WHERE account = ?", account).Exec(ctx)
		return sqldb.Wrap("forget rates of webhooks", err)
	})
}

// forgetOld removes the rates of hosts that have received nothing for an hour.
func (s *Store) forgetOld(ctx context.Context, now time.Time) error {
	return s.db.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL().NewRaw("DELETE FROM webhook_rates WHERE last_at < ?", sqldb.Moment(now.Add(-time.Hour))).Exec(ctx)
		return sqldb.Wrap("forget old rates of webhooks", err)
	})
}

// hostOf is the receiving host of an address, in one spelling and without the port.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().WithZone("").String()
	}
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		return ascii
	}
	return host
}
