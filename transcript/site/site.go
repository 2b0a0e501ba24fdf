// Package site is the platform table: which hosts, link shapes and ids belong
// to which platform (contract 14), as data.
//
//	match, err := site.Default().Detect("https://youtu.be/dQw4w9WgXcQ?t=42")
//	// video_site, dQw4w9WgXcQ
package site

import (
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Match is what a link means.
type Match struct {
	Platform   transcript.Platform
	ExternalID string // empty when Short
	// URL is the canonical link to the content; of a short link the link itself,
	// which must be followed to learn more.
	URL   string
	Short bool
}

// Table is a valid platform table. It never changes; safe for concurrent use.
type Table struct{}

// Default is the table of the public sites.
func Default() *Table { return &Table{} }

// Detect says what a link means: a full link, a short link, or a bare content id
// of the video site. UNSUPPORTED_PLATFORM (with details.host) for a host that no
// platform has, INVALID_VIDEO for what is no link and no id, and for a link of a
// platform that names no content.
func (t *Table) Detect(link string) (Match, error) {
	return Match{}, transcript.Errorf(transcript.UnsupportedPlatform, "no table")
}

// Content is the match for a platform and its own id. INVALID_VIDEO for an id
// outside the platform's grammar, UNSUPPORTED_PLATFORM for a platform that has
// no links.
func (t *Table) Content(p transcript.Platform, externalID string) (Match, error) {
	return Match{}, transcript.Errorf(transcript.UnsupportedPlatform, "no table")
}
