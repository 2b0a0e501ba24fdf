package server

import (
	"context"
	"slices"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// source is what a request names as its content: a link, or a platform and its
// own id.
type source struct {
	url        *string
	platform   *transcript.Platform
	externalID *string
}

// check holds the source to its rule, exactly one of url, or platform with
// externalId (contract 4), and to its bounds.
func (src source) check(p *problems) {
	half := src.platform != nil || src.externalID != nil
	switch {
	case len(p.unreadable) > 0: // a source that cannot be read is not a missing one
	case src.url == nil && !half:
		p.cannotRead("url", `is missing: send "url", or "platform" with "externalId"`)
	case src.url != nil && half:
		p.cannotRead("url", `must not stand beside "platform" or "externalId"`)
	case src.url == nil && src.platform == nil:
		p.cannotRead("platform", `is missing beside "externalId"`)
	case src.url == nil && src.externalID == nil && *src.platform != transcript.Upload: // which has no links at all
		p.cannotRead("externalId", `is missing beside "platform"`)
	}
	if src.url != nil {
		checkLength(p, "url", *src.url, maxURL)
	}
	if src.externalID != nil {
		checkLength(p, "externalId", *src.externalID, maxExternalID)
	}
	if src.platform != nil && !slices.Contains(transcript.Platforms(), *src.platform) {
		p.doesNotFit("platform", "must be one of %s", list(slices.DeleteFunc(transcript.Platforms(), isUpload)))
	}
}

func isUpload(p transcript.Platform) bool { return p == transcript.Upload }

// find resolves a source by the platform table. The network is asked only where
// a short link must be followed.
func (s *Server) find(ctx context.Context, src source) (engine.Content, error) {
	match, err := s.match(ctx, src)
	if err != nil {
		return engine.Content{}, err
	}
	return engine.Content{Platform: match.Platform, ExternalID: match.ExternalID, URL: match.URL}, nil
}

func (s *Server) match(ctx context.Context, src source) (site.Match, error) {
	if src.url == nil {
		var id string // stays empty for an upload's, which has none
		if src.externalID != nil {
			id = *src.externalID
		}
		return s.cfg.Sites.Content(*src.platform, id)
	}
	match, err := s.cfg.Sites.Detect(*src.url)
	if err == nil && match.Short {
		return s.follow(ctx, match.URL)
	}
	return match, err
}
