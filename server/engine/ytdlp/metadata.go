package ytdlp

import (
	"encoding/json"
	"math"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The limits of texts that are taken from a platform, in characters.
const (
	maxTitle = 500
	maxName  = 200
	maxURL   = 2000

	maxDescription = 10_000
	maxTags        = 500 // how many
)

// text is a JSON string; any other value reads as empty.
type text string

// UnmarshalJSON never fails.
func (t *text) UnmarshalJSON(data []byte) error {
	*t = ""
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, (*string)(t))
	}
	return nil
}

// number is a finite JSON number; any other value reads as 0.
type number float64

// UnmarshalJSON never fails.
func (n *number) UnmarshalJSON(data []byte) error {
	var f float64
	if json.Unmarshal(data, &f) != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		f = 0
	}
	*n = number(f)
	return nil
}

// tally is a whole number from 0 on; any other value reads as none.
type tally struct{ n *int64 }

// UnmarshalJSON never fails.
func (t *tally) UnmarshalJSON(data []byte) error {
	t.n = nil
	var f float64
	if string(data) != "null" && json.Unmarshal(data, &f) == nil && f >= 0 && f < 1<<53 {
		t.n = new(int64(f))
	}
	return nil
}

// words is a list of strings; other elements are left out. nil if there is no list.
type words []string

// UnmarshalJSON never fails.
func (w *words) UnmarshalJSON(data []byte) error {
	*w = nil
	var all []text
	if json.Unmarshal(data, &all) != nil || all == nil {
		return nil //nolint:nilerr // as of text and number
	}
	*w = make(words, 0, min(len(all), maxTags))
	for _, word := range all {
		if line := clip.Line(string(word), maxName); line != "" && len(*w) < maxTags {
			*w = append(*w, line)
		}
	}
	return nil
}

// pictures is the address of the widest of several pictures. If several are equally wide, it is
// the last of them. The banners of a channel's page do not count.
type pictures string

// UnmarshalJSON never fails.
func (p *pictures) UnmarshalJSON(data []byte) error {
	*p = ""
	var all []struct {
		ID    text   `json:"id"`
		URL   text   `json:"url"`
		Width number `json:"width"`
	}
	if json.Unmarshal(data, &all) != nil {
		return nil //nolint:nilerr // as of text and number
	}
	var widest number
	for _, picture := range all {
		address := picture.URL
		if strings.HasPrefix(string(address), "//") {
			address = "https:" + address
		}
		if link := webAddress(address); link != "" && !strings.HasPrefix(string(picture.ID), "banner") && picture.Width >= widest {
			*p, widest = pictures(link), picture.Width
		}
	}
	return nil
}

// about is the program's description of a content, without its media.
type about struct {
	Title       text   `json:"title"`
	Channel     text   `json:"channel"`
	ChannelURL  text   `json:"channel_url"`
	Uploader    text   `json:"uploader"`
	UploaderID  text   `json:"uploader_id"`
	UploaderURL text   `json:"uploader_url"`
	Thumbnail   text   `json:"thumbnail"`
	Duration    number `json:"duration"`
	Timestamp   number `json:"timestamp"`
	UploadDate  text   `json:"upload_date"` // 20240203
	LiveStatus  text   `json:"live_status"`
	Language    text   `json:"language"`
	// Availability is "public" for a content that the platform shows to everybody; empty if
	// not known.
	Availability text  `json:"availability"`
	Chapters     marks `json:"chapters"`

	// For discovery.
	FullTitle   text     `json:"fulltitle"` // the site's own title; Title may have an addition
	Extractor   text     `json:"extractor"`
	ChannelID   text     `json:"channel_id"`
	Thumbnails  pictures `json:"thumbnails"`
	Description *text    `json:"description"`
	Tags        words    `json:"tags"`
	MediaType   text     `json:"media_type"`
	Views       tally    `json:"view_count"`
	Likes       tally    `json:"like_count"`
	Followers   tally    `json:"channel_follower_count"`
}

// marks are the starts of chapters. Any other value reads as no list.
type marks []transcript.Chapter

// UnmarshalJSON never fails.
func (m *marks) UnmarshalJSON(data []byte) error {
	var all []struct {
		Title text   `json:"title"`
		Start number `json:"start_time"` // seconds
	}
	*m = nil
	if json.Unmarshal(data, &all) != nil {
		return nil //nolint:nilerr // as of text and number
	}
	for _, c := range all {
		title := clip.Line(string(c.Title), maxName)
		if untitled.MatchString(title) {
			title = ""
		}
		*m = append(*m, transcript.Chapter{Title: title, Start: float64(c.Start)})
	}
	return nil
}

// untitled matches the program's name of a chapter without a title.
var untitled = regexp.MustCompile(`^<Untitled Chapter \d+>$`)

// metadata returns the platform's metadata, cleaned.
func (a about) metadata() transcript.Metadata {
	m := transcript.Metadata{
		Title:         clip.Line(a.title(), maxTitle),
		Channel:       clip.Line(string(a.Channel), maxName),
		CreatorName:   clip.Line(string(a.Uploader), maxName),
		CreatorHandle: a.handle(),
		CreatorURL:    webAddress(a.UploaderURL),
		ThumbnailURL:  webAddress(a.Thumbnail),
		PublishedAt:   a.published(),
		Chapters:      a.Chapters,
		Duration:      a.seconds(),
	}
	if m.CreatorURL == "" {
		m.CreatorURL = webAddress(a.ChannelURL)
	}
	return m
}

// title returns the content's title. On pages without an extractor of their own, the program
// numbers the media. The service reads the first medium, so title removes its number.
func (a about) title() string {
	if a.Extractor == "html5" {
		return strings.TrimSuffix(string(a.Title), " (1)")
	}
	return string(a.Title)
}

// seconds returns the length of a content, 0 if not known.
func (a about) seconds() float64 {
	const century = 100 * 365 * 24 * 3600
	if a.Duration > 0 && a.Duration < century {
		return float64(a.Duration)
	}
	return 0
}

// handle returns the creator's "@name". Platforms write it into the id, or into the address of
// the profile. Other ids are numbers and codes that mean nothing to people.
func (a about) handle() string {
	if id := string(a.UploaderID); strings.HasPrefix(id, "@") && isHandle(id[1:]) {
		return id
	}
	for _, address := range []text{a.UploaderURL, a.ChannelURL} {
		u, err := url.Parse(string(address))
		if err != nil {
			continue
		}
		name := strings.Trim(u.Path, "/")
		if at, ok := strings.CutPrefix(name, "@"); ok && isHandle(at) {
			return "@" + at
		}
		if name == string(a.UploaderID) && isHandle(name) {
			return "@" + name
		}
	}
	return ""
}

// isHandle distinguishes a name from a number.
func isHandle(s string) bool {
	letters := false
	for _, r := range s {
		switch {
		case unicode.IsLetter(r):
			letters = true
		case !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("._-·", r):
			return false
		}
	}
	return letters && len(s) <= maxName
}

func (a about) published() time.Time {
	const endOf9999 = 253402300800
	if a.Timestamp > 0 && a.Timestamp < endOf9999 {
		return time.Unix(int64(a.Timestamp), 0).UTC()
	}
	day, err := time.Parse("20060102", string(a.UploadDate))
	if err != nil {
		return time.Time{} // not known
	}
	return day
}

// webAddress returns t if it is an http or https address, otherwise an empty string.
func webAddress(t text) string {
	u, err := url.Parse(string(t))
	if err != nil || len(t) > maxURL || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.String()
}
