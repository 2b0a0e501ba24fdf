package transcript

// Info is the answer of GET /v1/transcript/info: what is behind a link or an id, and in
// which languages there are transcripts.
type Info struct {
	Status        string   `json:"status" enum:"success"`  // always success
	Platform      Platform `json:"platform"`               // where the content is
	ExternalID    string   `json:"externalId"`             // the platform's own id of the content
	SourceURL     *string  `json:"sourceUrl" format:"uri"` // the link in its plain form
	Title         *string  `json:"title"`                  // its title; nil when not known
	Channel       *string  `json:"channel"`                // the name of its channel; nil when not known
	CreatorName   *string  `json:"creatorName"`            // the creator's name; nil when not known
	CreatorHandle *string  `json:"creatorHandle"`          // the creator's handle, such as "@name"; nil when not known
	CreatorURL    *string  `json:"creatorUrl"`             // the page of the creator; nil when not known
	ThumbnailURL  *string  `json:"thumbnailUrl"`           // the address of a picture; nil when not known
	DurationSec   *int     `json:"durationSec"`            // the length of the media in seconds, rounded half up; nil when not known
	PublishedAt   *Time    `json:"publishedAt"`            // when it was published; nil when not known

	CaptionAvailable    *bool       `json:"captionAvailable"`    // whether there are captions; nil when not known, and when there are only forced tracks
	TrackMetadataStatus TrackStatus `json:"trackMetadataStatus"` // whether the platform named its tracks
	Tracks              []Track     `json:"tracks"`              // the caption tracks
	// Languages are the tags of the languages that are available without speech
	// recognition. CachedLanguages are those that the service already has.
	Languages       []string       `json:"languages"`
	CachedLanguages []string       `json:"cachedLanguages"`
	ASR             ASRInfo        `json:"asr"`            // whether speech recognition is available
	MetadataStatus  MetadataStatus `json:"metadataStatus"` // how much is known about the content
}

// ASRInfo says whether speech recognition is available for some content.
type ASRInfo struct {
	Available bool `json:"available"` // whether the caller may request speech recognition
	// Reason says why recognition is not available, judged by the length that the
	// platform reports: the first that applies of UPGRADE_REQUIRED, NOT_IMPLEMENTED,
	// MEDIA_TOO_LARGE, VIDEO_TOO_LONG and ASR_QUOTA_EXCEEDED. It is nil if recognition
	// is available.
	Reason *Code `json:"reason"`
}
