// Package trackid makes ids of caption tracks from the keys that sites use for them.
package trackid

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"golang.org/x/text/language"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// MaxTracks is how many tracks of one content are listed. No real content has so many, and a
// longer list only wastes the time of its readers.
const MaxTracks = 500

// maxSubtags is how many subtags of a key are examined. RFC 5646, 4.4.1 finds tags with eight.
const maxSubtags = 12

// Split splits a site's key of a track into its leading language tag and the rest. The tag is
// "und" if the key begins with none. "en-nP7-2PuUl7o" is an English track.
func Split(key string) (tag, rest string) {
	parts := strings.Split(strings.ReplaceAll(key, "_", "-"), "-")
	for n := min(len(parts), maxSubtags); n > 0; n-- {
		if t, err := language.Raw.Parse(strings.Join(parts[:n], "-")); err == nil {
			return t.String(), strings.Join(parts[n:], "-")
		}
	}
	return "und", key
}

// New returns the id of a track, made of its language, its kind ("asr" for automatic captions)
// and the rest of its key. All sources give a track the same id.
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

// idPart makes a part of an id from any text.
func idPart(s string) string {
	for _, r := range s {
		if (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r != '-' || len(s) > 40 {
			sum := sha256.Sum256([]byte(s))
			return hex.EncodeToString(sum[:6])
		}
	}
	return s
}
