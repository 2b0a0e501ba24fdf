// Package admin has the pages of administrators: what the service does and lacks, and the accounts.
// The pages do what an operator does with the command line, and no more. To everybody else, they do
// not exist.
package admin

import (
	"sync"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
)

// AddTo adds the pages of administrators to a site.
func AddTo(s *web.Site) {
	p := &pages{Site: s}
	routes := web.Routes{
		"GET /admin":                 p.overview,
		"GET /admin/jobs":            p.jobs,
		"GET /admin/doctor":          p.doctor,
		"GET /admin/log":             p.log,
		"GET /admin/accounts":        p.accounts,
		"POST /admin/accounts":       p.create,
		"GET /admin/accounts/{name}": p.account,
	}
	for action := range changes {
		routes["POST /admin/accounts/{name}/"+action] = p.change(action)
	}
	s.HandleFor(func(v visitor.Visitor) bool { return v.Admin }, web.MaxForm, routes)
}

// pages are the pages of administrators.
type pages struct {
	*web.Site

	deciding  sync.Mutex // held by a change, so that two cannot remove the last two administrators
	examining sync.Mutex // held by an examination
}
