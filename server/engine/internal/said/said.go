// Package said makes something to keep of what sites and servers say: lines of
// text, languages of tracks, pauses.
package said

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/language"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Line is a text on one line: without control characters and marks of direction,
// one space for a run of white space, at most max runes.
func Line(s string, max int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.In(r, unicode.Zl, unicode.Zp):
			return ' '
		case unicode.IsControl(r), unicode.In(r, unicode.Bidi_Control):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > max {
		s = strings.TrimSpace(string(runes[:max]))
	}
	return s
}

// MaxTracks is how many tracks of one content are listed. No content has so many:
// a longer list is there to keep its readers busy.
const MaxTracks = 500

// maxSubtags is how many subtags of a key are looked at. RFC 5646, 4.4.1 finds
// tags of eight.
const maxSubtags = 12

// Language splits a site's key of a track into the language tag that it begins
// with, "und" when it begins with none, and what is left: "en-nP7-2PuUl7o" is an
// English track.
func Language(key string) (tag, rest string) {
	parts := strings.Split(strings.ReplaceAll(key, "_", "-"), "-")
	for n := min(len(parts), maxSubtags); n > 0; n-- {
		if t, err := language.Raw.Parse(strings.Join(parts[:n], "-")); err == nil {
			return t.String(), strings.Join(parts[n:], "-")
		}
	}
	return "und", key
}

// TrackID is the id of a track: its language, its kind ("asr" for automatic ones),
// and whatever else its key holds. It is the same whichever way the track is read.
func TrackID(lang string, kind transcript.TrackKind, rest string) string {
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

// maxPause is the longest that anybody may ask for.
const maxPause = 24 * time.Hour

// RetryAfter reads the header of that name (RFC 9110, 10.2.3): seconds, which some
// write with a fraction, or a date. It is rounded up to whole seconds, a day at
// most, and 0 when there is nothing to read.
func RetryAfter(header http.Header) time.Duration {
	value := header.Get("Retry-After")
	if sec, err := strconv.ParseFloat(value, 64); err == nil && !math.IsNaN(sec) {
		return time.Duration(math.Ceil(min(max(sec, 0), maxPause.Seconds()))) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return time.Duration(math.Ceil(min(max(time.Until(at), 0), maxPause).Seconds())) * time.Second
	}
	return 0
}
