package videosite

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/player"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/trackid"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// track is a caption track and its address.
type track struct {
	transcript.Track
	key     string // the site's name of the language
	address string
}

// tracks lists at most trackid.MaxTracks caption tracks, without machine translations.
func tracks(a *player.Answer) ([]track, error) {
	named, err := a.Tracks()
	if err != nil {
		return nil, err
	}
	var all []track
	spoken := ""
	for _, c := range named {
		if strings.Contains(c.BaseURL, "tlang=") {
			continue
		}
		if len(all) == trackid.MaxTracks {
			break
		}
		t := asTrack(c)
		for n, id := 2, t.ID; slices.ContainsFunc(all, func(u track) bool { return u.ID == t.ID }); n++ {
			t.ID = id + "." + strconv.Itoa(n) // the site may use a name twice
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

// asTrack makes a track. Its id does not depend on the other tracks.
func asTrack(c player.Track) track {
	lang, rest := trackid.Split(c.LanguageCode)
	t := track{key: c.LanguageCode, address: c.BaseURL}
	t.Lang, t.Kind, t.Name, t.IsTranslatable = lang, transcript.TrackManual, clip.Line(c.Name.String(), 200), c.IsTranslatable
	if c.Kind == "asr" {
		t.Kind = transcript.TrackAuto
	}
	t.ID = trackid.New(lang, t.Kind, rest)
	return t
}
