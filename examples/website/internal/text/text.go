// Package text has the pages of saved texts: the text itself, its corrections, history and links,
// and the library of all texts.
package text

import "github.com/transcriptkit/transcriptkit/examples/website/internal/web"

// pages are the pages of saved texts.
type pages struct{ *web.Site }

// AddTo adds the pages of saved texts to a site.
func AddTo(s *web.Site) {
	p := pages{s}
	s.Handle(web.MaxForm, web.Routes{
		"GET /transcripts/{platform}/{externalId}":                 p.transcript,
		"GET /transcripts/{platform}/{externalId}/download":        p.downloadText,
		"GET /transcripts/{platform}/{externalId}/copy":            p.copyText,
		"GET /transcripts/{platform}/{externalId}/edit":            web.Member(p.editForm),
		"POST /transcripts/{platform}/{externalId}/speakers":       web.Member(p.nameSpeaker),
		"GET /transcripts/{platform}/{externalId}/history":         web.Member(p.history),
		"POST /transcripts/{platform}/{externalId}/history":        web.Member(p.restore),
		"GET /transcripts/{platform}/{externalId}/import":          web.Member(p.importForm),
		"GET /library/import":                                      web.Member(p.importForm),
		"GET /transcripts/{platform}/{externalId}/share":           web.Member(p.share),
		"POST /transcripts/{platform}/{externalId}/share":          web.Member(p.makeShare),
		"POST /transcripts/{platform}/{externalId}/share/{id}/end": web.Member(p.endShare),
		"GET /shared/{token}":                                      ofLink(p.shared),
		"GET /shared/{token}/copy":                                 ofLink(p.copyShared),
		"GET /shared/{token}/download":                             ofLink(p.downloadShared),
		"GET /library":                                             web.Member(p.library),
		"GET /library/export":                                      web.Member(p.exportTexts),
		"POST /library/transcripts/{platform}/{externalId}/star":   web.Member(p.star),
	})
	s.Handle(maxLinesBytes, web.Routes{"POST /transcripts/{platform}/{externalId}/edit": web.Member(p.correct)})
	s.Handle(maxImportBytes+web.MaxForm, web.Routes{
		"POST /library/import":                             web.Member(p.importFile),
		"POST /transcripts/{platform}/{externalId}/import": web.Member(p.importFile),
	})
}
