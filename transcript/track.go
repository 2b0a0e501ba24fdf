package transcript

// Track is a caption track that a platform offers for one piece of content.
type Track struct {
	// ID is the service's own, stable for the same language, kind and name; it is
	// no address.
	ID             string    `json:"trackId"`
	Lang           string    `json:"lang"` // BCP 47
	Name           string    `json:"name"` // for people; may be empty
	Kind           TrackKind `json:"kind"`
	IsDefault      bool      `json:"isDefault"`
	IsTranslatable bool      `json:"isTranslatable"`
}

// TrackKind says who made a caption track.
type TrackKind string

// The kinds of track. A forced track holds only what needs a translation (a
// sign, a foreign word) and is never taken for the transcript.
const (
	TrackManual TrackKind = "manual"
	TrackAuto   TrackKind = "auto"
	TrackForced TrackKind = "forced"
)

// TrackStatus says how the question for a content's caption tracks was answered.
type TrackStatus string

// The answers. Only TracksEmpty means that there are no captions.
const (
	TracksOK      TrackStatus = "ok"      // the platform named its tracks
	TracksEmpty   TrackStatus = "empty"   // the platform says there are none
	TracksFailed  TrackStatus = "failed"  // blocked, a fault, no answer in time
	TracksSkipped TrackStatus = "skipped" // the platform was not asked
)

// CaptionReport is the answer of GET /v1/video_site/captions; see
// server/API.md, Captions.
type CaptionReport struct {
	Status  string `json:"status" enum:"success,error"` // success when Transcript is set
	VideoID string `json:"videoId"`
	// CaptionAvailable is nil when it is not known, and when there are tracks in
	// other languages only.
	CaptionAvailable *bool   `json:"captionAvailable"`
	Tracks           []Track `json:"tracks"`

	TrackMetadataStatus TrackStatus `json:"trackMetadataStatus"`
	// TrackMetadataError and its code say why the status is failed.
	TrackMetadataError     string `json:"trackMetadataError,omitempty"`
	TrackMetadataErrorCode Code   `json:"trackMetadataErrorCode,omitempty"`

	// Language is the tag of Transcript; empty without one.
	Language   string      `json:"language,omitempty"`
	Transcript *Transcript `json:"transcript,omitempty"`
	Cached     bool        `json:"cached"`
	// RequiresAsync tells that only speech recognition can give a text: send the
	// request to POST /v1/transcript.
	RequiresAsync bool   `json:"requiresAsync"`
	Error         *Error `json:"error,omitempty"` // set exactly when Status is error
}

// Info is the answer of GET /v1/transcript/info: what a source is and in which
// languages it can be had.
type Info struct {
	Status        string   `json:"status" enum:"success"`
	Platform      Platform `json:"platform"`
	ExternalID    string   `json:"externalId"`
	SourceURL     *string  `json:"sourceUrl" format:"uri"`
	Title         *string  `json:"title"`
	Channel       *string  `json:"channel"`
	CreatorName   *string  `json:"creatorName"`
	CreatorHandle *string  `json:"creatorHandle"`
	CreatorURL    *string  `json:"creatorUrl"`
	ThumbnailURL  *string  `json:"thumbnailUrl"`
	DurationSec   *int     `json:"durationSec"` // seconds, rounded half up
	PublishedAt   *Time    `json:"publishedAt"`

	CaptionAvailable    *bool       `json:"captionAvailable"` // nil when not known
	TrackMetadataStatus TrackStatus `json:"trackMetadataStatus"`
	Tracks              []Track     `json:"tracks"`
	// Languages are the distinct tags that can be had without speech recognition,
	// CachedLanguages those that are there already.
	Languages       []string       `json:"languages"`
	CachedLanguages []string       `json:"cachedLanguages"`
	ASR             ASRInfo        `json:"asr"`
	MetadataStatus  MetadataStatus `json:"metadataStatus"`
}

// ASRInfo says whether speech recognition can be had for a content.
type ASRInfo struct {
	Available bool  `json:"available"`
	Reason    *Code `json:"reason"` // why not; nil when it is
}
