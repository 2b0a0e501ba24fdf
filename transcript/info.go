package transcript

// Info is the answer of GET /v1/transcript/info: what a source is and in which
// languages it can be had.
type Info struct {
	Status        string   `json:"status" enum:"success"`  // always success
	Platform      Platform `json:"platform"`               // where the content is
	ExternalID    string   `json:"externalId"`             // the platform's own id of the content
	SourceURL     *string  `json:"sourceUrl" format:"uri"` // the link in its plain form
	Title         *string  `json:"title"`                  // its title; nil when not known
	Channel       *string  `json:"channel"`                // the channel that it is on; nil when not known
	CreatorName   *string  `json:"creatorName"`            // the name of who made it; nil when not known
	CreatorHandle *string  `json:"creatorHandle"`          // the handle of who made it, as "@name"; nil when not known
	CreatorURL    *string  `json:"creatorUrl"`             // the page of the creator; nil when not known
	ThumbnailURL  *string  `json:"thumbnailUrl"`           // a picture for the content; nil when not known
	DurationSec   *int     `json:"durationSec"`            // the length of the media in seconds, rounded half up; nil when not known
	PublishedAt   *Time    `json:"publishedAt"`            // when it was published; nil when not known

	CaptionAvailable    *bool       `json:"captionAvailable"`    // whether there are captions; nil when not known, and when there are forced tracks only
	TrackMetadataStatus TrackStatus `json:"trackMetadataStatus"` // how the tracks were found out
	Tracks              []Track     `json:"tracks"`              // the caption tracks
	// Languages are the distinct tags that can be had without speech recognition,
	// CachedLanguages those that are there already.
	Languages       []string       `json:"languages"`
	CachedLanguages []string       `json:"cachedLanguages"`
	ASR             ASRInfo        `json:"asr"`            // whether speech recognition can be had
	MetadataStatus  MetadataStatus `json:"metadataStatus"` // how much is known about the content
}

// ASRInfo says whether speech recognition can be had for a content.
type ASRInfo struct {
	Available bool `json:"available"` // whether the caller may have the speech recognized
	// Reason is why not, by the length that the platform says it has: UPGRADE_REQUIRED,
	// NOT_IMPLEMENTED, MEDIA_TOO_LARGE, VIDEO_TOO_LONG or ASR_QUOTA_EXCEEDED, the first of
	// these that holds; nil when it is available.
	Reason *Code `json:"reason"`
}
