package visitor

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"slices"
	"time"

	"github.com/uptrace/bun"
)

const (
	// mostKnown is how many browsers and networks of a user are remembered: the most recent
	// ones.
	mostKnown = 20
	// knownLifetime is how long a browser or a network is remembered.
	knownLifetime = 365 * 24 * time.Hour
)

// known is a browser or a network in which a user has signed in. Only its hash is stored.
type known struct {
	bun.BaseModel `bun:"table:website_known"`

	Folded    string `bun:",pk"`
	Mark      string `bun:",pk"`
	SeenAt    int64
	ExpiresAt int64
}

// mark returns the hash of a browser's token or of a network. Without the site's secret, an
// attacker cannot find the network of a mark by trying all networks.
func (v *Visitors) mark(kind, value string) string {
	h := hmac.New(sha256.New, v.secret)
	h.Write([]byte(kind + "\x00" + value)) // a hash never fails
	return base64.RawStdEncoding.EncodeToString(h.Sum(nil))
}

// marks returns the marks of a request: first that of its browser, then that of its network.
func (v *Visitors) marks(a *asking) (all []string) {
	if a.device != "" {
		all = append(all, v.mark("device", a.device))
	}
	return append(all, v.mark("network", network(a.client)))
}

// knownAs returns the marks with which a user has signed in before.
func (d *database) knownAs(ctx context.Context, folded string, marks []string, now time.Time) (of []string, err error) {
	err = d.NewSelect().Model((*known)(nil)).Column("mark").
		Where("folded = ? AND mark IN (?) AND expires_at > ?", folded, bun.List(marks), now.Unix()).Scan(ctx, &of)
	return of, wrap("looking for a known browser", err)
}

// know remembers marks of a user, and forgets the oldest ones.
func (d *database) know(ctx context.Context, folded string, now time.Time, marks ...string) error {
	err := d.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		for _, mark := range marks {
			row := known{Folded: folded, Mark: mark, SeenAt: now.UnixNano(), ExpiresAt: now.Add(knownLifetime).Unix()}
			_, err := tx.NewInsert().Model(&row).On("CONFLICT (folded, mark) DO UPDATE").
				Set("seen_at = EXCLUDED.seen_at, expires_at = EXCLUDED.expires_at").Returning("NULL").Exec(ctx)
			if err != nil {
				return err
			}
		}
		_, err := tx.NewRaw(`DELETE FROM website_known WHERE folded = ? AND mark NOT IN
			(SELECT mark FROM website_known WHERE folded = ? ORDER BY seen_at DESC, mark LIMIT ?)`, folded, folded, mostKnown).Exec(ctx)
		return err
	})
	return wrap("remembering a browser", err)
}

// forgetKnown forgets all browsers and networks of a user.
func (d *database) forgetKnown(ctx context.Context, folded string) error {
	_, err := d.NewDelete().Model((*known)(nil)).Where("folded = ?", folded).Exec(ctx)
	return wrap("forgetting browsers", err)
}

// remember remembers the browser and the network of a user who has entered the right password.
// It returns the cookie with the browser's token. A browser whose token is not known for this
// user gets a new token, because another person may have planted the old one.
func (v *Visitors) remember(ctx context.Context, folded string) (*http.Cookie, error) {
	a := askingOf(ctx)
	of, err := v.db.knownAs(ctx, folded, v.marks(a), v.o.Now())
	if err != nil {
		return nil, err
	}
	token := a.device
	if token == "" || !slices.Contains(of, v.mark("device", token)) {
		token = rand.Text()
	}
	err = v.db.know(ctx, folded, v.o.Now(), v.mark("device", token), v.mark("network", network(a.client)))
	return &http.Cookie{
		Name: cookieName("device", v.o.HTTPS), Value: token, Path: "/", MaxAge: int(knownLifetime.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: v.o.HTTPS,
	}, err
}
