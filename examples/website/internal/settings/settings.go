// Package settings has the pages about an account: its sign-in, its keys and webhooks, its feed and
// its limits.
package settings

import (
	"sync"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
)

// pages are the pages about an account.
type pages struct {
	*web.Site
	exporting *sync.Mutex // held while the export of an account is written
	exports   *sync.Map   // the accounts whose exports are written or sent
}

// AddTo adds the pages about an account to a site.
func AddTo(s *web.Site) {
	p := pages{s, new(sync.Mutex), new(sync.Map)}
	s.Handle(web.MaxForm, web.Routes{
		"GET /sign-in":               p.signPage,
		"GET /sign-up":               p.signPage,
		"POST /sign-up":              p.signUp,
		"POST /sign-out":             p.signOut,
		"GET /account":               ofUser(showAccount),
		"POST /account/password":     ofUser(p.changePassword),
		"POST /account/sessions":     ofUser(p.signOutElsewhere),
		"GET /account/export":        ofUser(p.exportAccount),
		"POST /account/remove":       ofUser(p.removeAccount),
		"GET /removed":               removed,
		"GET /webhooks":              web.Member(p.webhooks),
		"POST /webhooks":             web.Member(p.createWebhook),
		"GET /webhooks/{id}":         web.Member(p.webhook),
		"POST /webhooks/{id}":        web.Member(p.rotateWebhook),
		"POST /webhooks/{id}/pause":  web.Member(p.changeWebhook),
		"POST /webhooks/{id}/resume": web.Member(p.changeWebhook),
		"POST /webhooks/{id}/test":   web.Member(p.changeWebhook),
		"POST /webhooks/{id}/delete": web.Member(p.changeWebhook),
		"POST /webhooks/{id}/resend": web.Member(p.resend),
		"POST /webhooks/{id}/deliveries/{delivery}/resend": web.Member(p.resend),
		"GET /usage":                 web.Member(p.usage),
		"GET /feed":                  web.Member(p.feed),
		"POST /feed":                 web.Member(p.renewFeed),
		"POST /feed/delete":          web.Member(p.deleteFeed),
		"GET /keys":                  web.Member(p.keys),
		"POST /keys":                 web.Member(p.createKey),
		"POST /keys/{prefix}/revoke": web.Member(p.revokeKey),
	})
	s.Handle(3*web.MaxHeld+web.MaxForm, web.Routes{"POST /sign-in": p.signIn}) // the form that it holds is encoded again
}
