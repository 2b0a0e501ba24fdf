// Package text has the pages of saved texts: the text itself, its corrections, history and links,
// and the library of all texts.
package text

import "github.com/transcriptkit/transcriptkit/examples/website/internal/web"

// AddTo adds the pages of saved texts to a site.
func AddTo(s *web.Site) {
	s.Handle(web.MaxForm, web.Routes{
		"GET /transcripts/{platform}/{externalId}":                 texts{s}.show,
		"GET /transcripts/{platform}/{externalId}/download":        texts{s}.download,
		"GET /transcripts/{platform}/{externalId}/edit":            web.Member(edits{s}.show),
		"POST /transcripts/{platform}/{externalId}/speakers":       web.Member(edits{s}.nameSpeaker),
		"POST /transcripts/{platform}/{externalId}/title":          web.Member(edits{s}.entitle),
		"GET /transcripts/{platform}/{externalId}/history":         web.Member(histories{s}.show),
		"POST /transcripts/{platform}/{externalId}/history":        web.Member(histories{s}.restore),
		"GET /transcripts/{platform}/{externalId}/import":          web.Member(imports{s}.show),
		"GET /library/import":                                      web.Member(imports{s}.show),
		"GET /transcripts/{platform}/{externalId}/share":           web.Member(shares{s}.show),
		"POST /transcripts/{platform}/{externalId}/share":          web.Member(shares{s}.create),
		"POST /transcripts/{platform}/{externalId}/share/{id}/end": web.Member(shares{s}.end),
		"GET /shared/{token}":                                      ofLink(links{s}.show),
		"GET /shared/{token}/download":                             ofLink(links{s}.download),
		"GET /library/export":                                      web.Member(shelf{s}.export),
		"POST /library/transcripts/{platform}/{externalId}/star":   web.Member(shelf{s}.star),
		"POST /library/transcripts/{platform}/{externalId}/label":  web.Member(shelf{s}.label),
	})
	s.Handle(maxLinesBytes, web.Routes{"POST /transcripts/{platform}/{externalId}/edit": web.Member(edits{s}.save)})
	s.Handle(maxImportBytes+web.MaxForm, web.Routes{
		"POST /library/import":                             web.Member(imports{s}.save),
		"POST /transcripts/{platform}/{externalId}/import": web.Member(imports{s}.save),
	})
}
