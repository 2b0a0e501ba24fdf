package videosite

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/player"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// metadata returns the player's metadata of the video, cleaned.
func metadata(a *player.Answer, base *url.URL) transcript.Metadata {
	d, more := a.Details, a.Microformat.Renderer
	author := clip.Line(d.Author, 200)
	m := transcript.Metadata{Title: clip.Line(d.Title, 500), Channel: author, CreatorName: author, Chapters: chapters(d.Description)}
	if owner, err := url.Parse(more.OwnerProfileURL); err == nil {
		if name, ok := strings.CutPrefix(owner.Path, "/@"); ok && name != "" && !strings.Contains(name, "/") {
			m.CreatorHandle = "@" + clip.Line(name, 100)
		}
	}
	if id := clip.Line(d.ChannelID, 100); id != "" {
		m.CreatorURL = base.JoinPath("channel", id).String()
	}
	if all := d.Thumbnail.Thumbnails; len(all) > 0 {
		m.ThumbnailURL = webAddress(all[len(all)-1].URL) // they are sorted by size
	}
	const century = 100 * 365 * 24 * 3600
	if n, err := strconv.ParseUint(d.LengthSeconds, 10, 64); err == nil && n < century {
		m.Duration = float64(n)
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, more.PublishDate); err == nil {
			m.PublishedAt = at.UTC()
		}
	}
	return m
}

// webAddress returns s if it is an http or https address, otherwise an empty string.
func webAddress(s string) string {
	u, err := url.Parse(s)
	if err != nil || len(s) > 2000 || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.String()
}
