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
	// Content is what the entry names. Of one with an Err it is the entry itself, as
	// far as it can be told.
	Content engine.Content
	// Short tells that Content.URL is a short link that is still to be followed.
	Short bool
	// Err is why the entry names nothing; nil means that it does.
	Err *transcript.Error
}

// EntryOf is what a link of a batch names: a full link, a short one, an id of the video
// site, or a direct link. One that names nothing stands for itself.
func (bs *Batches) EntryOf(link string) Entry {
	match, err := bs.cfg.Sites.Detect(link)
	if bs.cfg.DirectMedia && errors.Is(err, transcript.UnsupportedPlatform) {
		match, err = bs.cfg.Sites.Direct(link)
	}
	if err == nil {
		return Entry{Content: engine.Content{Platform: match.Platform, ExternalID: match.ExternalID, URL: match.URL}, Short: match.Short}
	}
	// Every item has a platform. If no platform has the host of the link, the video site stands in.
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

// isWebLink reports whether a text is a link as it stands, which readers may open.
func isWebLink(text string) bool {
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return false
	}
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}
