package transcript

import (
	"slices"
	"strconv"
	"strings"
)

// Platform is the place of content: a site, or an upload. The zero value is not a
// platform.
type Platform string

// The platforms. Upload is for files that the caller uploads.
const (
	VideoSite        Platform = "video_site"
	ShortVideoSite   Platform = "short_video_site"
	PhotoSite        Platform = "photo_site"
	ProfessionalSite Platform = "professional_site"
	MicroblogSite    Platform = "microblog_site"
	Upload           Platform = "upload"
)

// Platforms returns all platforms, Upload last.
func Platforms() []Platform {
	return []Platform{VideoSite, ShortVideoSite, PhotoSite, ProfessionalSite, MicroblogSite, Upload}
}

// Words returns the platform's name for a sentence, such as "the video site". For a
// value that is not in [Platforms], Words returns the value in quotes.
func (p Platform) Words() string {
	switch {
	case p == Upload:
		return "uploaded files"
	case slices.Contains(Platforms(), p):
		return "the " + strings.ReplaceAll(string(p), "_", " ")
	}
	return strconv.Quote(string(p))
}

// Origin says how a transcript was made. In JSON it is the member `source`.
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

// Status is the state of a stored transcript. The service stores and returns only ready
// transcripts. Decoders accept the other states.
type Status string

// The states of a transcript.
const (
	Pending Status = "pending"
	Ready   Status = "ready"
	Failed  Status = "error"
)

// MetadataStatus says how much the service knows about the content: title, creator and
// duration. It does not depend on whether the caller asked for metadata.
type MetadataStatus string

// The states of metadata; see docs/reference/transcripts.md.
const (
	MetadataComplete    MetadataStatus = "complete"
	MetadataPartial     MetadataStatus = "partial"
	MetadataPending     MetadataStatus = "pending"
	MetadataUnavailable MetadataStatus = "unavailable"
)

// Transcript is the timestamped text of some content in one language. Members that may
// be null in JSON are pointers. nil Segments are written as an empty array by [Result],
// [Job] and package format.
type Transcript struct {
	ID            string         `json:"id" format:"uuid"`       // the transcript's id, which stays the same when the transcript is made again
	Platform      Platform       `json:"platform"`               // where the content is; upload for an uploaded file
	ExternalID    string         `json:"externalId"`             // the platform's own id; for an upload, the first 32 hexadecimal digits of its SHA-256
	SourceURL     *string        `json:"sourceUrl" format:"uri"` // the link in its plain form; nil for an upload
	Lang          string         `json:"lang"`                   // the language tag of the text; "und" if the language is unknown
	Title         *string        `json:"title"`                  // the title, or for an upload the file name without its extension; nil when not known or not asked for
	Channel       *string        `json:"channel"`                // the name of its channel; nil when not known or not asked for
	CreatorName   *string        `json:"creatorName"`            // the creator's name; nil when not known or not asked for
	CreatorHandle *string        `json:"creatorHandle"`          // the creator's handle, such as "@name"; nil when not known or not asked for
	CreatorURL    *string        `json:"creatorUrl"`             // the page of the creator; nil when not known or not asked for
	ThumbnailURL  *string        `json:"thumbnailUrl"`           // the address of a picture; nil when not known or not asked for
	DurationSec   *int           `json:"durationSec"`            // the length of the media in seconds, rounded half up; nil when not known
	PublishedAt   *Time          `json:"publishedAt"`            // when it was published; nil when not known or not asked for
	Metadata      map[string]any `json:"metadata"`               // how the text was made; nil unless the caller asked for it
	Source        Origin         `json:"source"`                 // how the text was made
	Status        Status         `json:"status"`                 // always ready: the service returns no other transcripts
	Tags          []string       `json:"tags,omitempty"`         // the account's tags of the content; only reads and exports of its library include them
	Media         *Recording     `json:"media"`                  // the recording that the service keeps; nil if it keeps none, and in answers that do not include it
	Sound                        // what was heard of the recording; empty unless the text was recognized
	Segments      []Segment      `json:"segments"`  // the lines of the text, sorted by Start
	CreatedAt     Time           `json:"createdAt"` // when the transcript was first made
	UpdatedAt     Time           `json:"updatedAt"` // when the text was last made
}

// Recording is the file of an upload, which the service keeps for the account.
type Recording struct {
	ContentType string `json:"contentType"`       // the media type, such as "audio/mpeg"
	Bytes       int64  `json:"bytes" minimum:"0"` // its size
	Until       Time   `json:"until"`             // when the service deletes it
}

// Segment is a piece of text with its time in the media.
type Segment struct {
	Text     string  `json:"text"`                 // the text
	Start    float64 `json:"start" minimum:"0"`    // seconds from the start of the media
	Duration float64 `json:"duration" minimum:"0"` // how long it is, in seconds

	// Speaker and Confidence (0 to 1) are present only if the source provides them.
	Speaker    string   `json:"speaker,omitempty"`
	Confidence *float64 `json:"confidence,omitempty" minimum:"0" maximum:"1"`

	// Words are the words of the text with their times, if the source provides them.
	// Only reads of the library return them, on request.
	Words []Word `json:"words,omitempty"`
}

// End returns Start plus Duration, in seconds.
func (s Segment) End() float64 { return s.Start + s.Duration }
