package videosite

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/language"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// captionTrack is a track as the player names it.
type captionTrack struct {
	BaseURL        string `json:"baseUrl"`
	Name           words  `json:"name"`
	LanguageCode   string `json:"languageCode"`
	Kind           string `json:"kind"` // "asr", or nothing
	IsTranslatable bool   `json:"isTranslatable"`
}

// track is a caption track and where it can be had.
type track struct {
	transcript.Track
	address string
}

// tracks lists the caption tracks, without machine translations.
func (a *playerAnswer) tracks() ([]track, error) {
	named := a.Captions.List.Tracks
	var all []track
	spoken := ""
	for _, c := range named {
		if strings.Contains(c.BaseURL, "tlang=") {
			continue
		}
		t := c.track()
		for n, id := 2, t.ID; slices.ContainsFunc(all, func(u track) bool { return u.ID == t.ID }); n++ {
			t.ID = id + "." + strconv.Itoa(n) // the site names one twice
		}
		if spoken == "" && t.Kind == transcript.TrackAuto {
			spoken = t.Lang
		}
		all = append(all, t)
	}
	if len(all) == 0 && len(named) > 0 {
		return nil, broken("The platform's answer cannot be understood.").Because(errors.New("videosite: translations of nothing"))
	}
	if i := slices.IndexFunc(all, func(t track) bool { return t.Lang == spoken }); i >= 0 {
		all[i].IsDefault = true
	}
	return all, nil
}

// track makes a track. Its id does not depend on what else is there.
func (c captionTrack) track() track {
	lang, rest := splitCode(c.LanguageCode)
	t := track{address: c.BaseURL}
	t.Lang, t.Kind, t.Name, t.IsTranslatable = lang, transcript.TrackManual, line(c.Name.String(), 200), c.IsTranslatable
	t.ID = lang + ".manual"
	if c.Kind == "asr" {
		t.Kind, t.ID = transcript.TrackAuto, lang+".asr"
	}
	if rest != "" {
		t.ID += "." + idPart(rest)
	}
	return t
}

// splitCode splits a language code into the tag that it begins with, "und" when
// it begins with none, and what is left: "en-nP7-2PuUl7o" is an English track.
func splitCode(code string) (tag, rest string) {
	parts := strings.Split(strings.ReplaceAll(code, "_", "-"), "-")
	for n := len(parts); n > 0; n-- {
		if t, err := language.Raw.Parse(strings.Join(parts[:n], "-")); err == nil {
			return t.String(), strings.Join(parts[n:], "-")
		}
	}
	return "und", code
}

// idPart makes a part of a track id of any text.
func idPart(s string) string {
	for _, r := range s {
		if (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r != '-' || len(s) > 40 {
			sum := sha256.Sum256([]byte(s))
			return hex.EncodeToString(sum[:6])
		}
	}
	return s
}
