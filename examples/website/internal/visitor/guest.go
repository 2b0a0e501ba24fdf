package visitor

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"net/netip"
	"time"

	"github.com/gorilla/securecookie"
	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/account"
)

const (
	// guestLifetime is how long a guest's cookie is valid, and how long the guest's data is
	// kept.
	guestLifetime = 30 * 24 * time.Hour
	// The allowances of all guests at one address, in its wider network, and on the whole site,
	// as multiples of one guest's allowance. Cached links do not count: a class that reads one
	// talk takes one.
	guestsAtAddress = 4
	guestsInNetwork = 6
	guestsInAll     = 100
	// day is the period of an allowance: from midnight to midnight, UTC.
	day = 24 * time.Hour
)

// GuestPlan is the default plan of guests: recognition of links of up to ten minutes, and no
// uploads, batches or exports.
func GuestPlan() account.Plan {
	return account.Plan{
		Name:                 "guest",
		RateLimit:            account.RateLimit{Requests: 60, Window: time.Minute},
		TranscriptsPerPeriod: account.Unlimited, // the allowance bounds them
		ASRMinutesPerPeriod:  account.Unlimited,
		ASR:                  true,
		ASRConcurrency:       1,
		ASRWaiting:           2,
		MaxDuration:          10 * time.Minute,
		SharedTurn:           true,
		CacheTTL:             30 * 24 * time.Hour,
		EventStreams:         4,
	}
}

// guestAccount returns the account of a guest in the service. Names of users' accounts cannot
// contain a colon.
func guestAccount(id string) string { return "guest:" + id }

// guestCookies are signed, so that visitors cannot invent them.
type guestCookies struct {
	name  string
	https bool
	codec *securecookie.SecureCookie
}

func newGuestCookies(key []byte, https bool) *guestCookies {
	codec := securecookie.New(key, nil)
	codec.MaxAge(int(guestLifetime.Seconds())).MaxLength(512).SetSerializer(securecookie.NopEncoder{})
	return &guestCookies{cookieName("guest", https), https, codec}
}

// read returns the id in a cookie, if the cookie has our signature and is not too old.
func (g *guestCookies) read(value string) (id string, ok bool) {
	var plain []byte
	if value == "" || g.codec.Decode(g.name, value, &plain) != nil {
		return "", false
	}
	return string(plain), true
}

// write makes the cookie of a guest.
func (g *guestCookies) write(id string) (*http.Cookie, error) {
	value, err := g.codec.Encode(g.name, []byte(id))
	return &http.Cookie{
		Name: g.name, Value: value, Path: "/", MaxAge: int(guestLifetime.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: g.https,
	}, err
}

// guest is a row of website_guests.
type guest struct {
	bun.BaseModel `bun:"table:website_guests"`

	ID        string `bun:",pk"`
	ExpiresAt int64
}

// Allowance is a guest's allowance for a day.
type Allowance struct {
	Left, Most int64
	Until      time.Time // when it is renewed
}

// Allowance returns today's allowance of the guest or stranger who makes the request of ctx. It
// reports false for users, and if there are no guests.
func (v *Visitors) Allowance(ctx context.Context) (Allowance, bool, error) {
	a := askingOf(ctx)
	if a == nil || From(ctx).Kind == User || v.o.GuestLinks <= 0 {
		return Allowance{}, false, nil
	}
	until := periodEnd(v.o.Now(), day)
	left := int64(v.o.GuestLinks)
	for _, l := range v.guestLimits(From(ctx).Account, a.client) {
		used, err := v.db.used(ctx, until, l.subject)
		if err != nil {
			return Allowance{}, false, err
		}
		left = max(min(left, l.most-used), 0)
	}
	return Allowance{left, int64(v.o.GuestLinks), until}, true, nil
}

// guestLimits returns the limits of a guest, of the guest's address and wider network, and of
// all guests.
func (v *Visitors) guestLimits(account string, client netip.Addr) []limit {
	most := int64(v.o.GuestLinks)
	return []limit{
		{account, most}, {"guests at " + network(client), most * guestsAtAddress},
		{"guests in " + neighborhood(client), most * guestsInNetwork}, {"guests", most * guestsInAll},
	}
}

// secret returns a secret of the site. The first call makes it; all processes share it.
func (d *database) secret(ctx context.Context, name string) ([]byte, error) {
	const size = 32
	made := make([]byte, size)
	_, _ = rand.Read(made) // it never fails
	_, err := d.NewRaw("INSERT INTO website_secrets (name, secret) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
		name, base64.StdEncoding.EncodeToString(made)).Exec(ctx)
	if err != nil {
		return nil, wrap("making a secret", err)
	}
	var kept string
	if err := d.NewRaw("SELECT secret FROM website_secrets WHERE name = ?", name).Scan(ctx, &kept); err != nil {
		return nil, wrap("reading a secret", err)
	}
	secret, err := base64.StdEncoding.DecodeString(kept)
	return secret, wrap("reading a secret", err)
}
