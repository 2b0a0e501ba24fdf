package api

import (
	"context"
	"errors"
	"slices"
	"time"

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

// source names the content of a request: a link, or a platform with its own id. An empty member
// was not sent.
type source struct {
	url        string
	platform   transcript.Platform
	externalID string
}

// oneSource is the rule that a request names its content in exactly one way.
var oneSource = [][]string{{"url"}, {"platform", "externalId"}}

func (src *source) fields() []*request.Field {
	isUpload := func(p transcript.Platform) bool { return p == transcript.Upload }
	linked := slices.DeleteFunc(transcript.Platforms(), isUpload)
	return []*request.Field{
		request.New("url", &src.url, request.Text(1, maxURL)).
			About("A link, a short link, or a bare id of the video site; it stands alone."),
		// An upload passes here, because the platform table refuses it with a better code.
		request.New("platform", &src.platform, request.Enum(linked, transcript.Upload)).
			About("Stands with externalId."),
		request.New("externalId", &src.externalID, request.Text(1, maxExternalID)).
			About("The platform's own id.").
			NeedlessIf(func() bool { return isUpload(src.platform) }),
	}
}

// contents resolves sources by the platform table.
type contents struct {
	sites      *site.Table
	direct     bool // links of no platform name a recording
	shortLinks *shortlink.Follower
	timeout    withTimeout
}

// withTimeout is context.WithTimeout. A test replaces it if the test must not depend on the
// speed of its machine.
type withTimeout func(context.Context, time.Duration) (context.Context, context.CancelFunc)

// findRecording is find for a request for a transcript.
func (c *contents) findRecording(ctx context.Context, src source) (engine.Content, error) {
	match, err := c.matchRecording(src)
	if err != nil {
		return engine.Content{}, err
	}
	return c.content(ctx, match)
}

// find resolves a source. find uses the network only to follow a short link.
func (c *contents) find(ctx context.Context, src source) (engine.Content, error) {
	match, err := c.match(src)
	if err != nil {
		return engine.Content{}, err
	}
	return c.content(ctx, match)
}

// matchRecording is match for a request for a transcript, which may also be for a direct link.
func (c *contents) matchRecording(src source) (site.Match, error) {
	match, err := c.match(src)
	if c.direct && src.url != "" && errors.Is(err, transcript.UnsupportedPlatform) {
		return c.sites.Direct(src.url)
	}
	return match, err
}

// match looks a source up in the platform table.
func (c *contents) match(src source) (site.Match, error) {
	if src.url == "" {
		return c.sites.Content(src.platform, src.externalID)
	}
	return c.sites.Detect(src.url)
}

// content is the content of a match. content follows a short link.
func (c *contents) content(ctx context.Context, match site.Match) (_ engine.Content, err error) {
	if match.Short {
		ctx, cancel := c.timeout(ctx, shortlink.Patience)
		defer cancel()
		if match, err = c.shortLinks.Follow(ctx, match.URL); err != nil {
			return engine.Content{}, err
		}
	}
	return engine.Content{Platform: match.Platform, ExternalID: match.ExternalID, URL: match.URL}, nil
}
