package transcript

import (
	"slices"
	"strconv"
	"strings"
)

// Platform names where the content lives. The zero value is no platform.
type Platform string

// The platforms. Upload is for files that the caller sent.
const (
	VideoSite        Platform = "video_site"
	ShortVideoSite   Platform = "short_video_site"
	PhotoSite        Platform = "photo_site"
	ProfessionalSite Platform = "professional_site"
	MicroblogSite    Platform = "microblog_site"
	Upload           Platform = "upload"
)

// Platforms lists every platform, Upload last.
func Platforms() []Platform {
	return []Platform{VideoSite, ShortVideoSite, PhotoSite, ProfessionalSite, MicroblogSite, Upload}
}

// Words names the platform in a sentence for people: "the video site". For a value
// outside of [Platforms], Words returns the value itself, in quotes.
func (p Platform) Words() string {
	switch {
	case p == Upload:
		return "uploaded files"
	case slices.Contains(Platforms(), p):
		return "the " + strings.ReplaceAll(string(p), "_", " ")
	}
	return strconv.Quote(string(p))
}

// Origin says what produced a transcript: the `source` member on the wire.
type Origin string

// The origins of a text; see docs/reference/transcripts.md.
const (
	OriginCaptionAPI             Origin = "video_site_transcript_api"
	OriginDownloader             Origin = "video_site_downloader"
	OriginASR                    Origin = "asr"
	OriginProfessionalCaptions   Origin = "professional_site_captions"
	OriginShortVideoSiteCaptions Origin = "short_video_site_captions"
	OriginManual                 Origin = "manual"
	OriginPublisher              Origin = "publisher_transcript"
)

// Status is the state of a stored transcript. The service stores and returns
// ready ones only; decoders accept the others.
type Status string

// The states of a transcript.
const (
	Pending Status = "pending"
	Ready   Status = "ready"
	Failed  Status = "error"
)

// MetadataStatus says how much the service knows about the content itself
// (title, creator, duration), whether or not the caller asked to see it.
type MetadataStatus string

// The states of metadata; see docs/reference/transcripts.md.
const (
	MetadataComplete    MetadataStatus = "complete"
	MetadataPartial     MetadataStatus = "partial"
	MetadataPending     MetadataStatus = "pending"
	MetadataUnavailable MetadataStatus = "unavailable"
)

// Transcript is a timestamped text of one piece of content in one language. Nullable
// members are pointers; nil is sent as null. A [Result], a [Job] and package format
// write nil Segments as an empty array.
type Transcript struct {
	ID            string         `json:"id" format:"uuid"`       // its id, which stays the same when the transcript is made again
	Platform      Platform       `json:"platform"`               // where the content is: upload for an uploaded file
	ExternalID    string         `json:"externalId"`             // the platform's own id; of an upload the first 32 hexadecimal digits of its SHA-256
	SourceURL     *string        `json:"sourceUrl" format:"uri"` // the link in its plain form; nil for an upload
	Lang          string         `json:"lang"`                   // the language tag of the text; "und" if the language is unknown
	Title         *string        `json:"title"`                  // its title, of an upload the file name without its extension; nil when not known or not asked for
	Channel       *string        `json:"channel"`                // the channel that it is on; nil when not known or not asked for
	CreatorName   *string        `json:"creatorName"`            // the name of who made it; nil when not known or not asked for
	CreatorHandle *string        `json:"creatorHandle"`          // the handle of who made it, as "@name"; nil when not known or not asked for
	CreatorURL    *string        `json:"creatorUrl"`             // the page of the creator; nil when not known or not asked for
	ThumbnailURL  *string        `json:"thumbnailUrl"`           // a picture for the content; nil when not known or not asked for
	DurationSec   *int           `json:"durationSec"`            // the length of the media in seconds, rounded half up; nil when not known
	PublishedAt   *Time          `json:"publishedAt"`            // when it was published; nil when not known or not asked for
	Metadata      map[string]any `json:"metadata"`               // how the text was made; nil unless the caller asked for it
	Source        Origin         `json:"source"`                 // what made the text
	Status        Status         `json:"status"`                 // how it stands: only what is ready is returned
	Media         *Recording     `json:"media"`                  // the recording that the account keeps; nil: it keeps none, or the answer does not tell
	Segments      []Segment      `json:"segments"`               // the lines of the text, sorted by Start
	CreatedAt     Time           `json:"createdAt"`              // when it was first made
	UpdatedAt     Time           `json:"updatedAt"`              // when the text was last made
}

// Recording is the file of an upload that the service keeps for the account.
type Recording struct {
	ContentType string `json:"contentType"`       // what the recording is, as "audio/mpeg"
	Bytes       int64  `json:"bytes" minimum:"0"` // its size
	Until       Time   `json:"until"`             // when the service deletes it
}

// Segment is a stretch of text with its place on the media clock.
type Segment struct {
	Text     string  `json:"text"`                 // what is said in it
	Start    float64 `json:"start" minimum:"0"`    // seconds from the start of the media
	Duration float64 `json:"duration" minimum:"0"` // how long it is, in seconds

	// Speaker and Confidence (0 to 1) are present only when the source gave them.
	Speaker    string   `json:"speaker,omitempty"`
	Confidence *float64 `json:"confidence,omitempty" minimum:"0" maximum:"1"`

	// Words are those of the text with their times, where the source gave them. Of the
	// service's answers only a library read has them, when it is asked to.
	Words []Word `json:"words,omitempty"`
}

// End is Start plus Duration, in seconds.
func (s Segment) End() float64 { return s.Start + s.Duration }
