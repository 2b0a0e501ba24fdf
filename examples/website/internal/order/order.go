// Package order has the pages that ask for texts: the start page, searches of the video site, batches
// and follows, and the progress of a job.
package order

import "github.com/transcriptkit/transcriptkit/examples/website/internal/web"

// AddTo adds the pages that ask for texts to a site.
func AddTo(s *web.Site) {
	s.Handle(web.MaxForm, web.Routes{
		"GET /{$}":                  orders{s}.start,
		"GET /library":              web.Member(orders{s}.library),
		"GET /anywhere":             orders{s}.anywhere,
		"GET /record":               orders{s}.record,
		"GET /manifest.webmanifest": orders{s}.manifest,
		"GET /jobs/{id}":            jobs{s}.show,
		"POST /jobs/{id}/cancel":    jobs{s}.cancel,
		"POST /transcripts/{platform}/{externalId}": orders{s}.inLanguage,
		"GET /batches":                 web.Member(batches{s}.list),
		"GET /batches/{id}":            web.Member(batches{s}.one),
		"POST /batches/{id}/retry":     web.Member(batches{s}.retry),
		"POST /batches/{id}/cancel":    web.Member(batches{s}.cancel),
		"POST /batches/{id}/delete":    web.Member(batches{s}.remove),
		"GET /follows":                 web.Member(follows{s}.list),
		"GET /follows/{id}":            web.Member(follows{s}.one),
		"POST /follows/{id}/pause":     web.Member(follows{s}.change),
		"POST /follows/{id}/resume":    web.Member(follows{s}.change),
		"POST /follows/{id}/delete":    web.Member(follows{s}.change),
		"GET /discover":                web.Member(discovery{orders{s}}.search),
		"POST /discover":               web.Member(discovery{orders{s}}.take),
		"GET /discover/channels/{id}":  web.Member(discovery{orders{s}}.channel),
		"GET /discover/playlists/{id}": web.Member(discovery{orders{s}}.playlist),
	})
	s.Handle(maxLinks, web.Routes{"POST /transcripts": orders{s}.submit})
	s.Handle(maxBatchBytes+web.MaxForm, web.Routes{"POST /batches": web.Member(batches{s}.create)})
	s.Handle(maxListBytes+web.MaxForm, web.Routes{"POST /follows": web.Member(follows{s}.create)})
}
