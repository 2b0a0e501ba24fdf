package batcher

import (
	"cmp"
	"errors"
	"net/url"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Entry is one entry of a batch.
type Entry struct {
	// Content is the content that the entry names. If Err is set, Content holds the entry
	// itself, as far as it can be read.
	Content engine.Content
	// Short says that Content.URL is a short link that has not been resolved.
	Short bool
	// Err is why the entry names no content; nil if it names one.
	Err *transcript.Error
}

// EntryOf returns the content of a link in a batch: a full link, a short link, an id of
// the video site, or a direct link. If the link names no content, the entry holds the
// link itself.
func (bs *Batches) EntryOf(link string) Entry {
	match, err := bs.cfg.Sites.Detect(link)
	if bs.cfg.DirectMedia && errors.Is(err, transcript.UnsupportedPlatform) {
		match, err = bs.cfg.Sites.Direct(link)
	}
	if err == nil {
		return Entry{Content: engine.Content{Platform: match.Platform, ExternalID: match.ExternalID, URL: match.URL}, Short: match.Short}
	}
	// Every item has a platform. If no platform has the host of the link, the item has the video
	// site as its platform.
	platform := cmp.Or(match.Platform, transcript.VideoSite)
	entry := Entry{Content: engine.Content{Platform: platform, ExternalID: link}}
	if !errors.As(err, &entry.Err) {
		entry.Err = attempt.Coded(err)
	}
	if isWebLink(link) {
		entry.Content.URL = link
	}
	return entry
}

// isWebLink reports whether a text is a link that readers may open unchanged.
func isWebLink(text string) bool {
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return false
	}
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}
