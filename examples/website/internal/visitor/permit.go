package visitor

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"path"
	"slices"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// maxGuestBody exceeds the size of a request for a link, in bytes. It is small, because guests
// cost nothing to make.
const maxGuestBody = 16 << 10

// extract is the operation that an allowance bounds.
const extract = "POST /v1/transcript"

// guestsMay lists all operations that guests may use: they extract links, watch their own jobs,
// and read the results. A result from the cache has no job.
var guestsMay = []string{
	extract,
	"GET /v1/transcript/job/{id}",
	"GET /v1/transcript/job/{id}/events",
	"POST /v1/transcript/job/{id}/cancel",
	"GET /v1/library/transcripts/{platform}/{externalId}",
	"GET /v1/library/transcripts/{platform}/{externalId}/download",
}

// anyoneMay is the operation that needs no guest: a share link opens one text to all who know the
// link.
const anyoneMay = "GET /v1/shared/{token}"

// Permit returns the API with the permissions of visitors: users may use all of it, guests only
// guestsMay and only while their allowance lasts, and everyone anyoneMay. Everything else needs a
// sign-in (401). A stranger becomes a guest with the first link. Permit refuses requests that have
// not passed Identify.
func (v *Visitors) Permit(api *server.Server) http.Handler {
	p := &permit{visitors: v, api: api, handler: api.Handler(), rules: http.NewServeMux()}
	for _, pattern := range slices.Concat(guestsMay, []string{anyoneMay}) {
		p.rules.Handle(pattern, p.handler)
	}
	return p
}

type permit struct {
	visitors *Visitors
	api      *server.Server
	handler  http.Handler
	rules    *http.ServeMux
}

// ServeHTTP implements http.Handler.
func (p *permit) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := askingOf(r.Context())
	switch {
	case a == nil:
		p.api.Refuse(w, r, server.ErrNoCredential)
		return
	case From(r.Context()).Kind == User:
		p.handler.ServeHTTP(w, r)
		return
	}
	asked := ""
	if path.Clean(r.URL.Path) == r.URL.Path {
		_, asked = p.rules.Handler(r)
	}
	switch {
	case asked == anyoneMay:
		p.handler.ServeHTTP(w, r)
	case p.visitors.o.GuestLinks <= 0, asked == "", asked == extract && !isJSON(r):
		p.api.Refuse(w, r, server.ErrNoCredential)
	case asked == extract:
		r.Body = http.MaxBytesReader(w, r.Body, maxGuestBody)
		p.extract(w, r, a)
	default:
		p.handler.ServeHTTP(w, r)
	}
}

// isJSON reports whether the request has a JSON body; false for files and forms.
func isJSON(r *http.Request) bool {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && media == "application/json"
}

// extract passes a guest's request on, and counts it if a job is accepted. A cached text costs
// nothing.
func (p *permit) extract(w http.ResponseWriter, r *http.Request, a *asking) {
	taken, err := p.visitors.reserve(r.Context(), a)
	if err != nil {
		p.api.Refuse(w, r, err)
		return
	}
	job := new(admission)
	defer func() {
		if job.accepted.Load() {
			return
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), giveBackPatience)
		defer cancel()
		if err := p.visitors.db.giveBack(ctx, taken); err != nil {
			p.visitors.o.Log.WarnContext(ctx, "a guest has paid for nothing", "err", err)
		}
	}()
	p.handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), admissionKey{}, job)))
}

// giveBackPatience bounds the extra time of an answer while the database cannot be reached.
const giveBackPatience = 2 * time.Second

// admission records whether a request's job was accepted.
type admission struct{ accepted atomic.Bool }

type admissionKey struct{}

// Admit is server.Config.Admit: it records that a job is accepted, for which a guest has paid.
func (v *Visitors) Admit(ctx context.Context, _ account.Principal, _ server.Operation) error {
	if job, ok := ctx.Value(admissionKey{}).(*admission); ok {
		job.accepted.Store(true)
	}
	return nil
}

// reserve takes one from a guest's allowance, and makes a guest of a stranger.
func (v *Visitors) reserve(ctx context.Context, a *asking) (*taking, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	until, found := periodEnd(v.o.Now(), day), a.visitor
	var become func(context.Context, bun.Tx) error
	var cookie *http.Cookie
	if found.Kind == Stranger {
		fresh := guest{ID: rand.Text(), ExpiresAt: v.o.Now().Add(guestLifetime).Unix()}
		found = Visitor{Kind: Guest, Account: guestAccount(fresh.ID)}
		var err error
		if cookie, err = v.guests.write(fresh.ID); err != nil {
			return nil, fmt.Errorf("visitor: making a cookie: %w", err)
		}
		become = func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewInsert().Model(&fresh).Exec(ctx)
			return err
		}
	}
	taken, err := v.db.take(ctx, until, become, v.guestLimits(found.Account, a.client)...)
	switch {
	case errors.Is(err, errLimit):
		return nil, v.usedUp(until)
	case err != nil:
		return nil, unavailable(err)
	case cookie != nil:
		http.SetCookie(a.answer, cookie)
		a.guest, a.visitor, a.found = cookie.Value, found, time.Now()
	}
	return taken, nil
}

// usedUp is the refusal of a guest whose allowance is used up.
func (v *Visitors) usedUp(until time.Time) *transcript.Error {
	e := transcript.Errorf(transcript.TranscriptQuotaExceeded,
		"The daily allowance of guests is used up: %d new transcripts each, %d from one address, %d from one network, and %d in all. It is renewed at midnight UTC.",
		v.o.GuestLinks, v.o.GuestLinks*guestsAtAddress, v.o.GuestLinks*guestsInNetwork, v.o.GuestLinks*guestsInAll).With("guestLinks", v.o.GuestLinks)
	e.RetryAfter = max(int(until.Sub(v.o.Now()).Seconds()), 1)
	e.ActionLabel, e.ActionURL = "Sign in", "/sign-in"
	return e
}
