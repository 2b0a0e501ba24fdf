package resource

import (
	"context"
	"errors"
	"regexp"
	"slices"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/shortlink"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// Bounds of a source, in characters.
const (
	MaxURL        = 2048
	MaxExternalID = 512
)

// Source names the content of a request: a link, or a platform with its own id. An empty member
// was not sent.
type Source struct {
	URL        string
	platform   transcript.Platform
	externalID string
}

// OneSource is the rule that a request names its content in exactly one way.
var OneSource = [][]string{{"url"}, {"platform", "externalId"}}

// Fields are the fields that name the content of a request, as OneSource rules.
func (src *Source) Fields() []*request.Field {
	isUpload := func(p transcript.Platform) bool { return p == transcript.Upload }
	linked := slices.DeleteFunc(transcript.Platforms(), isUpload)
	return []*request.Field{
		request.New("url", &src.URL, request.Text(1, MaxURL)).
			About("A link, a short link, or a video id, without `platform` and `externalId`."),
		// An upload passes here, because the platform table refuses it with a more specific
		// code.
		request.New("platform", &src.platform, request.Enum(linked, transcript.Upload)).
			About("Goes with externalId."),
		request.New("externalId", &src.externalID, request.Text(1, MaxExternalID)).
			About("The platform's own id.").
			NeedlessIf(func() bool { return isUpload(src.platform) }),
	}
}

// FindContent resolves a source. FindContent uses the network only for a short link.
func (s *Shared) FindContent(ctx context.Context, src Source) (engine.Content, error) {
	match, err := s.match(src)
	if err != nil {
		return engine.Content{}, err
	}
	return s.ContentOf(ctx, match)
}

// MatchRecording looks a source up in the platform table for a request for a transcript, which may also be for a direct link.
func (s *Shared) MatchRecording(src Source) (site.Match, error) {
	match, err := s.match(src)
	if s.DirectMedia && src.URL != "" && errors.Is(err, transcript.UnsupportedPlatform) {
		return s.Sites.Direct(src.URL)
	}
	return match, err
}

// match looks a source up in the platform table.
func (s *Shared) match(src Source) (site.Match, error) {
	if src.URL == "" {
		return s.Sites.Content(src.platform, src.externalID)
	}
	return s.Sites.Detect(src.URL)
}

// ContentOf is the content of a match. ContentOf follows a short link.
func (s *Shared) ContentOf(ctx context.Context, match site.Match) (_ engine.Content, err error) {
	if match.Short {
		ctx, cancel := s.Timeout(ctx, shortlink.Patience)
		defer cancel()
		if match, err = s.ShortLinks.Follow(ctx, match.URL); err != nil {
			return engine.Content{}, err
		}
	}
	return engine.Content{Platform: match.Platform, ExternalID: match.ExternalID, URL: match.URL}, nil
}

// UploadID is the grammar of the ids of uploads.
var UploadID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// LinkTo returns the link to a moment of a content, in seconds, or nil if the platform has no
// such links.
func LinkTo(sites *site.Table, platform transcript.Platform, externalID string, start float64) *string {
	of, ok := sites.Site(platform)
	at := of.At
	if place, elsewhere := of.Elsewhere[externalID]; elsewhere {
		at = place.At
	}
	if !ok || at == "" {
		return nil
	}
	link, err := sites.At(platform, externalID, int(start))
	if err != nil {
		return nil //nolint:nilerr // the table has changed and knows no such id any more
	}
	return &link
}

// ListNamed is the list of a match.
func ListNamed(kind engine.ListKind, match site.Match) engine.List {
	return engine.List{Platform: match.Platform, Kind: kind, ID: match.ExternalID, URL: match.URL}
}
