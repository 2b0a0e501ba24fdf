// Package player reads the answer of the video site's player about a video, and decides what
// that answer proves.
//
// A video has no captions only if the player says that this very video can be played, and names
// no track. A refusal, an answer about another video, or an answer of another form proves
// nothing.
package player

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Answer is the player's answer about a video.
type Answer struct {
	Playability struct {
		Status      string `json:"status"`
		Reason      string `json:"reason"`
		ErrorScreen struct {
			Message struct {
				Subreason Words `json:"subreason"`
			} `json:"playerErrorMessageRenderer"`
			Captcha map[string]any `json:"playerCaptchaViewModel"`
		} `json:"errorScreen"`
	} `json:"playabilityStatus"`
	Captions map[string]json.RawMessage `json:"captions"`
	Details  struct {
		VideoID       string `json:"videoId"`
		Title         string `json:"title"`
		Author        string `json:"author"`
		ChannelID     string `json:"channelId"`
		LengthSeconds string `json:"lengthSeconds"`
		Description   string `json:"shortDescription"`
		IsLive        bool   `json:"isLive"`
		IsUpcoming    bool   `json:"isUpcoming"`
		Thumbnail     struct {
			Thumbnails []struct {
				URL string `json:"url"`
			} `json:"thumbnails"`
		} `json:"thumbnail"`
	} `json:"videoDetails"`
	Microformat struct {
		Renderer struct {
			OwnerProfileURL string `json:"ownerProfileUrl"`
			PublishDate     string `json:"publishDate"`
		} `json:"playerMicroformatRenderer"`
	} `json:"microformat"`
}

// Track is a caption track as the player names it.
type Track struct {
	BaseURL        string `json:"baseUrl"`
	Name           Words  `json:"name"`
	LanguageCode   string `json:"languageCode"`
	Kind           string `json:"kind"` // "asr" for automatic captions, otherwise empty
	IsTranslatable bool   `json:"isTranslatable"`
}

// Words is a text as the site writes it: one string, or a list of pieces.
type Words struct {
	Simple string `json:"simpleText"`
	Runs   []struct {
		Text string `json:"text"`
	} `json:"runs"`
}

// String is the text.
func (w Words) String() string {
	s := w.Simple
	for _, r := range w.Runs {
		s += r.Text
	}
	return s
}

// Tracks returns the caption tracks that the player names, including tracks without an
// address.
func (a *Answer) Tracks() ([]Track, error) {
	const known = "playerCaptionsTracklistRenderer"
	data, ok := a.Captions[known]
	if !ok {
		if len(a.Captions) > 0 {
			return nil, misunderstood(errors.New("captions without " + known))
		}
		return nil, nil
	}
	var list struct {
		Tracks []Track `json:"captionTracks"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, misunderstood(err)
	}
	return list.Tracks, nil
}

// WantsToken reports whether a track's address works only with a token.
func WantsToken(address string) bool {
	u, err := url.Parse(address)
	return err == nil && slices.ContainsFunc(u.Query()["exp"], func(v string) bool {
		return strings.HasPrefix(v, "xpe") || strings.HasPrefix(v, "xpv")
	})
}

func misunderstood(why error) *transcript.Error {
	return broken("The platform's answer cannot be understood.").Because(fmt.Errorf("player: %w", why))
}

// broken is the error for a useless answer.
func broken(message string) *transcript.Error {
	return transcript.Errorf(transcript.UpstreamFailed, "%s", message)
}
