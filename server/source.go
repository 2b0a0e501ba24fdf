package server

import (
	"context"
	"slices"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/shortlink"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// Bounds of a source, in characters.
const (
	maxURL        = 2048
	maxExternalID = 512
)

// source is what a request names as its content: a link, or a platform and its
// own id. An empty member was not sent.
type source struct {
	url        string
	platform   transcript.Platform
	externalID string
}

// oneSource is the rule that a source is held to.
var oneSource = [][]string{{"url"}, {"platform", "externalId"}}

func (src *source) fields() []*request.Field {
	isUpload := func(p transcript.Platform) bool { return p == transcript.Upload }
	linked := slices.DeleteFunc(transcript.Platforms(), isUpload)
	return []*request.Field{
		request.New("url", &src.url, request.Text(1, maxURL)).
			About("A link, a short link, or a bare id of the video site; it stands alone."),
		// An upload is taken here, for find to refuse with its own code.
		request.New("platform", &src.platform, request.Enum(linked, transcript.Upload)).
			About("Stands with externalId."),
		request.New("externalId", &src.externalID, request.Text(1, maxExternalID)).
			About("The platform's own id.").
			NeedlessIf(func() bool { return isUpload(src.platform) }),
	}
}

// find resolves a source. The network is asked only where a short link must be
// followed.
func (s *Server) find(ctx context.Context, src source) (engine.Content, error) {
	match, err := s.match(src)
	if err != nil {
		return engine.Content{}, err
	}
	return s.content(ctx, match)
}

// match looks a source up in the platform table.
func (s *Server) match(src source) (site.Match, error) {
	if src.url == "" {
		return s.cfg.Sites.Content(src.platform, src.externalID)
	}
	return s.cfg.Sites.Detect(src.url)
}

// content is what a match is of: for a short link, what it leads to.
func (s *Server) content(ctx context.Context, match site.Match) (_ engine.Content, err error) {
	if match.Short {
		ctx, cancel := s.cfg.timeout(ctx, shortlink.Patience)
		defer cancel()
		if match, err = s.shortLinks.Follow(ctx, match.URL); err != nil {
			return engine.Content{}, err
		}
	}
	return engine.Content{Platform: match.Platform, ExternalID: match.ExternalID, URL: match.URL}, nil
}
