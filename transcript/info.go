package transcript

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
	Available bool `json:"available"`
	// Reason is why not, by the length that the platform says it has: UPGRADE_REQUIRED,
	// NOT_IMPLEMENTED, MEDIA_TOO_LARGE, VIDEO_TOO_LONG or ASR_QUOTA_EXCEEDED, the first of
	// these that holds; nil when it is available.
	Reason *Code `json:"reason"`
}
