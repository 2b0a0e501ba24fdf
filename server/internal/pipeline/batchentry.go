package pipeline

import (
	"errors"
	"net/url"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/fault"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// BatchEntry is one entry of a batch.
type BatchEntry struct {
	// Content is the content that the entry names. With an Err, Content has the entry
	// itself, as far as the entry can be read.
	Content engine.Content
	// Short tells that Content.URL is a short link that is still to be followed.
	Short bool
	// Err is why the entry names nothing; nil: it does.
	Err *transcript.Error
}

// Entry reads a link of a batch: a full link, a short link, or an id of the video site.
// An entry for a link that names no content has the link itself.
func (p *Pipeline) Entry(link string) BatchEntry {
	match, err := p.cfg.Sites.Detect(link)
	if err == nil {
		return BatchEntry{Content: engine.Content{Platform: match.Platform, ExternalID: match.ExternalID, URL: match.URL}, Short: match.Short}
	}
	platform, ok := p.cfg.Sites.PlatformOf(link)
	if !ok {
		platform = transcript.VideoSite // no claim: an item has one
	}
	entry := BatchEntry{Content: engine.Content{Platform: platform, ExternalID: link}}
	if !errors.As(err, &entry.Err) {
		entry.Err = fault.Coded(err)
	}
	if isWebLink(link) {
		entry.Content.URL = link
	}
	return entry
}

// isWebLink reports whether a text is a link as it stands, which readers may open.
func isWebLink(text string) bool {
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return false
	}
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}
