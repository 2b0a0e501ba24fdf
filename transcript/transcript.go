package transcript

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

// HasCaptions reports whether content on the platform may have caption tracks; all
// other content can only be recognized.
func (p Platform) HasCaptions() bool {
	return p == VideoSite || p == ShortVideoSite || p == ProfessionalSite
}

// Origin says what produced a transcript: the `source` member on the wire.
type Origin string

// The origins of a text; see server/API.md, Origin.
const (
	OriginCaptionAPI             Origin = "video_site_transcript_api"
	OriginDownloader             Origin = "video_site_downloader"
	OriginASR                    Origin = "asr"
	OriginProfessionalCaptions   Origin = "professional_site_captions"
	OriginShortVideoSiteCaptions Origin = "short_video_site_captions"
	OriginManual                 Origin = "manual"
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

// The states of metadata; see server/API.md, MetadataStatus.
const (
	MetadataComplete    MetadataStatus = "complete"
	MetadataPartial     MetadataStatus = "partial"
	MetadataPending     MetadataStatus = "pending"
	MetadataUnavailable MetadataStatus = "unavailable"
)

// Transcript is a timestamped text of one piece of content in one language.
// Nullable members are pointers; nil is sent as null. Nil Segments are an empty
// array wherever a [Result], a [Job] or package format writes them.
type Transcript struct {
	ID            string         `json:"id" format:"uuid"`
	Platform      Platform       `json:"platform"`
	ExternalID    string         `json:"externalId"`
	SourceURL     *string        `json:"sourceUrl" format:"uri"`
	Lang          string         `json:"lang"`
	Title         *string        `json:"title"`
	Channel       *string        `json:"channel"`
	CreatorName   *string        `json:"creatorName"`
	CreatorHandle *string        `json:"creatorHandle"`
	CreatorURL    *string        `json:"creatorUrl"`
	ThumbnailURL  *string        `json:"thumbnailUrl"`
	DurationSec   *int           `json:"durationSec"` // seconds, rounded half up
	PublishedAt   *Time          `json:"publishedAt"`
	Metadata      map[string]any `json:"metadata"`
	Source        Origin         `json:"source"`
	Status        Status         `json:"status"`
	Segments      []Segment      `json:"segments"` // sorted by Start
	CreatedAt     Time           `json:"createdAt"`
	UpdatedAt     Time           `json:"updatedAt"`
}

// Segment is a stretch of text with its place on the media clock.
type Segment struct {
	Text     string  `json:"text"`
	Start    float64 `json:"start" minimum:"0"`    // seconds from the start of the media
	Duration float64 `json:"duration" minimum:"0"` // seconds

	// Speaker and Confidence (0 to 1) are present only when the source gave them.
	Speaker    string   `json:"speaker,omitempty"`
	Confidence *float64 `json:"confidence,omitempty" minimum:"0" maximum:"1"`

	// Words are those of the text with their times, where the source gave them. Of the
	// service's answers only a library read has them, when it is asked to.
	Words []Word `json:"words,omitempty"`
}

// End is Start plus Duration, in seconds.
func (s Segment) End() float64 { return s.Start + s.Duration }
