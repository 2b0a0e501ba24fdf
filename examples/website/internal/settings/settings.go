// Package settings has the pages about an account: its sign-in, its keys and webhooks, its feed and
// its limits.
package settings

import (
	"sync"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
)

// AddTo adds the pages about an account to a site.
func AddTo(s *web.Site) {
	a := accounts{s, new(sync.Mutex), new(sync.Map)}
	s.Handle(web.MaxForm, web.Routes{
		"GET /sign-in":               a.sign,
		"GET /sign-up":               a.sign,
		"POST /sign-up":              a.signUp,
		"POST /sign-out":             a.signOut,
		"GET /account":               ofUser(showAccount),
		"POST /account/password":     ofUser(a.changePassword),
		"POST /account/sessions":     ofUser(a.signOutElsewhere),
		"GET /account/export":        ofUser(a.export),
		"POST /account/remove":       ofUser(a.remove),
		"GET /removed":               removed,
		"GET /webhooks":              web.Member(webhooks{s}.list),
		"POST /webhooks":             web.Member(webhooks{s}.create),
		"GET /webhooks/{id}":         web.Member(webhooks{s}.one),
		"POST /webhooks/{id}":        web.Member(webhooks{s}.rotate),
		"POST /webhooks/{id}/pause":  web.Member(webhooks{s}.change),
		"POST /webhooks/{id}/resume": web.Member(webhooks{s}.change),
		"POST /webhooks/{id}/test":   web.Member(webhooks{s}.change),
		"POST /webhooks/{id}/delete": web.Member(webhooks{s}.change),
		"POST /webhooks/{id}/resend": web.Member(webhooks{s}.resend),
		"POST /webhooks/{id}/deliveries/{delivery}/resend": web.Member(webhooks{s}.resend),
		"GET /usage":                 web.Member(usages{s}.show),
		"GET /feed":                  web.Member(feeds{s}.show),
		"POST /feed":                 web.Member(feeds{s}.renew),
		"POST /feed/delete":          web.Member(feeds{s}.remove),
		"GET /keys":                  web.Member(keys{s}.list),
		"POST /keys":                 web.Member(keys{s}.create),
		"POST /keys/{prefix}/revoke": web.Member(keys{s}.revoke),
	})
	s.Handle(3*web.MaxHeld+web.MaxForm, web.Routes{"POST /sign-in": a.signIn}) // the form that it holds is encoded again
}
