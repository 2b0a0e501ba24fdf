// Package order has the pages that ask for texts: the start page, searches of the video site, batches
// and follows, and the progress of a job.
package order

import "github.com/transcriptkit/transcriptkit/examples/website/internal/web"

// pages are the pages that ask for texts.
type pages struct{ *web.Site }

// AddTo adds the pages that ask for texts to a site.
func AddTo(s *web.Site) {
	p := pages{s}
	s.Handle(web.MaxForm, web.Routes{
		"GET /{$}":                                  p.start,
		"GET /anywhere":                             p.anywhere,
		"GET /manifest.webmanifest":                 p.manifest,
		"GET /jobs/{id}":                            p.job,
		"POST /jobs/{id}/cancel":                    p.cancelJob,
		"POST /transcripts/{platform}/{externalId}": p.inLanguage,
		"GET /batches":                              web.Member(p.batches),
		"GET /batches/{id}":                         web.Member(p.batch),
		"POST /batches/{id}/retry":                  web.Member(p.retryBatch),
		"POST /batches/{id}/cancel":                 web.Member(p.cancelBatch),
		"POST /batches/{id}/delete":                 web.Member(p.deleteBatch),
		"GET /follows":                              web.Member(p.follows),
		"GET /follows/{id}":                         web.Member(p.follow),
		"POST /follows/{id}/pause":                  web.Member(p.changeFollow),
		"POST /follows/{id}/resume":                 web.Member(p.changeFollow),
		"POST /follows/{id}/delete":                 web.Member(p.changeFollow),
		"GET /discover":                             web.Member(p.discover),
		"POST /discover":                            web.Member(p.takeFound),
		"GET /discover/channels/{id}":               web.Member(p.channel),
		"GET /discover/playlists/{id}":              web.Member(p.playlist),
	})
	s.Handle(maxLinks, web.Routes{"POST /transcripts": p.submit})
	s.Handle(maxBatchBytes+web.MaxForm, web.Routes{"POST /batches": web.Member(p.createBatch)})
	s.Handle(maxListBytes+web.MaxForm, web.Routes{"POST /follows": web.Member(p.createFollows)})
}
