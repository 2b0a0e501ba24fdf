package videosite

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/refusal"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// playerAnswer is what the player says of a video.
type playerAnswer struct {
	Playability struct {
		Status      string `json:"status"`
		Reason      string `json:"reason"`
		ErrorScreen struct {
			Message struct {
				Subreason words `json:"subreason"`
			} `json:"playerErrorMessageRenderer"`
			Captcha map[string]any `json:"playerCaptchaViewModel"`
		} `json:"errorScreen"`
	} `json:"playabilityStatus"`
	Captions struct {
		List struct {
			Tracks []captionTrack `json:"captionTracks"`
		} `json:"playerCaptionsTracklistRenderer"`
	} `json:"captions"`
	Details struct {
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

// words are a text as the site writes one: in pieces, or in one.
type words struct {
	Simple string `json:"simpleText"`
	Runs   []struct {
		Text string `json:"text"`
	} `json:"runs"`
}

func (w words) String() string {
	s := w.Simple
	for _, r := range w.Runs {
		s += r.Text
	}
	return s
}

// playable returns as an error why what the player says is not the whole truth
// about a video. Only one that can be played proves that there are no captions,
// and only of itself: another in its place is how the site turns away a player
// that it does not like.
func (a *playerAnswer) playable(id string) error {
	p := a.Playability
	switch {
	case p.Status == "":
		return broken("The platform's answer cannot be understood.").Because(errors.New("videosite: no playability status"))
	case p.Status != "OK" && p.ErrorScreen.Captcha != nil:
		return refusal.Blocked.Because(errors.New("videosite: a captcha, with " + clip.Line(p.Status+": "+p.Reason, 500)))
	case p.Status != "OK":
		return judge(p.Status, p.Reason+" "+p.ErrorScreen.Message.Subreason.String())
	case a.Details.VideoID != id:
		return broken("The platform answers with another content.").Because(errors.New("videosite: content " + clip.Line(a.Details.VideoID, 50)))
	case a.Details.IsUpcoming:
		return refusal.Upcoming.Because(nil)
	case a.Details.IsLive:
		return live.Because(nil)
	}
	return nil
}

// metadata is what the player says of the video, cleaned.
func (a *playerAnswer) metadata(base *url.URL) transcript.Metadata {
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
		m.ThumbnailURL = webAddress(all[len(all)-1].URL) // they grow
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

// webAddress returns an http or https address, or nothing.
func webAddress(s string) string {
	u, err := url.Parse(s)
	if err != nil || len(s) > 2000 || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.String()
}
