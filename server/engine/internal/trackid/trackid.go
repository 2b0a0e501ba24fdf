// Package trackid makes ids of caption tracks of the keys that sites have for them.
package trackid

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"golang.org/x/text/language"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// MaxTracks is how many tracks of one content are listed. No content has so many:
// a longer list is there to keep its readers busy.
const MaxTracks = 500

// maxSubtags is how many subtags of a key are looked at. RFC 5646, 4.4.1 finds
// tags of eight.
const maxSubtags = 12

// Split splits a site's key of a track into the language tag that it begins
// with, "und" when it begins with none, and what is left: "en-nP7-2PuUl7o" is an
// English track.
func Split(key string) (tag, rest string) {
	parts := strings.Split(strings.ReplaceAll(key, "_", "-"), "-")
	for n := min(len(parts), maxSubtags); n > 0; n-- {
		if t, err := language.Raw.Parse(strings.Join(parts[:n], "-")); err == nil {
			return t.String(), strings.Join(parts[n:], "-")
		}
	}
	return "und", key
}

// New is the id of a track: its language, its kind ("asr" for automatic ones), and
// whatever else its key holds. It is the same whichever way the track is read.
func New(lang string, kind transcript.TrackKind, rest string) string {
	id := lang + "." + string(kind)
	if kind == transcript.TrackAuto {
		id = lang + ".asr"
	}
	if rest != "" {
		id += "." + idPart(rest)
	}
	return id
}

// idPart makes a part of an id of any text.
func idPart(s string) string {
	for _, r := range s {
		if (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r != '-' || len(s) > 40 {
			sum := sha256.Sum256([]byte(s))
			return hex.EncodeToString(sum[:6])
		}
	}
	return s
}
