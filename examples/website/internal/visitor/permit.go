package visitor

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"path"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// maxGuestBody is more than the request for a link has, in bytes: guests cost nothing to
// make, so what each of them may send is little.
const maxGuestBody = 16 << 10

// extract is what an allowance is for.
const extract = "POST /v1/transcript"

// guestsMay is all that guests may ask of the API: they extract links, watch their own
// jobs, and read what came of it, which of the cache there is no job for.
var guestsMay = []string{
	extract,
	"GET /v1/transcript/job/{id}",
	"GET /v1/transcript/job/{id}/events",
	"POST /v1/transcript/job/{id}/cancel",
	"GET /v1/library/transcripts/{platform}/{externalId}",
	"GET /v1/library/transcripts/{platform}/{externalId}/download",
}

// Permit is the API as visitors may use it: users all of it, guests what they are allowed
// and as long as their allowance lasts. A stranger becomes a guest by the first link. It
// stands behind Identify, and whatever comes to it otherwise is refused.
func (v *Visitors) Permit(api *server.Server) http.Handler {
	p := &permit{visitors: v, api: api, handler: api.Handler(), rules: http.NewServeMux()}
	for _, pattern := range guestsMay {
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
	case p.visitors.o.GuestLinks <= 0, asked == "", asked == extract && !isJSON(r):
		p.api.Refuse(w, r, signInFirst())
	case asked == extract:
		r.Body = http.MaxBytesReader(w, r.Body, maxGuestBody)
		p.extract(w, r, a)
	default:
		p.handler.ServeHTTP(w, r)
	}
}

// signInFirst is the refusal of what guests may not do.
func signInFirst() *transcript.Error {
	e := transcript.Errorf(transcript.Forbidden, "This is for those who have signed in.")
	e.ActionLabel, e.ActionURL = "Sign in", "/sign-in"
	return e
}

// isJSON is false of files and their forms.
func isJSON(r *http.Request) bool {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && media == "application/json"
}

// extract passes the request of a guest on, and counts it if a job is accepted: the text
// that is there already costs nothing.
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

// giveBackPatience is how long an answer may take longer while the database is away.
const giveBackPatience = 2 * time.Second

// admission is whether a job was accepted for a request.
type admission struct{ accepted atomic.Bool }

type admissionKey struct{}

// Admit is server.Config.Admit: it learns that a job is accepted, for which a guest has
// paid.
func (v *Visitors) Admit(ctx context.Context, _ account.Principal, _ server.Operation) error {
	if job, ok := ctx.Value(admissionKey{}).(*admission); ok {
		job.accepted.Store(true)
	}
	return nil
}

// reserve takes one of a guest's allowance, and makes a guest of a stranger with it.
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
		"What guests may have in a day is used up: %d new transcripts each, %d from one address, %d from one network, and %d in all. There is more at midnight UTC.",
		v.o.GuestLinks, v.o.GuestLinks*guestsAtAddress, v.o.GuestLinks*guestsInNetwork, v.o.GuestLinks*guestsInAll)
	e.RetryAfter = max(int(until.Sub(v.o.Now()).Seconds()), 1)
	e.ActionLabel, e.ActionURL = "Sign in", "/sign-in"
	return e
}
