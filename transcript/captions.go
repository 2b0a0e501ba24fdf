package transcript

// CaptionReport is the answer of GET /v1/video_site/captions; see
// docs/guides/languages.md.
type CaptionReport struct {
	Status  string `json:"status" enum:"success,error"` // success if there is a transcript
	VideoID string `json:"videoId"`                     // the platform's own id of the video
	// CaptionAvailable is nil if it is not known, and if there are tracks only in other
	// languages.
	CaptionAvailable *bool   `json:"captionAvailable"`
	Tracks           []Track `json:"tracks"` // all caption tracks of the video

	TrackMetadataStatus TrackStatus `json:"trackMetadataStatus"` // whether the platform named its tracks
	// TrackMetadataError and TrackMetadataErrorCode say why TrackMetadataStatus is
	// failed.
	TrackMetadataError     string `json:"trackMetadataError,omitempty"`
	TrackMetadataErrorCode Code   `json:"trackMetadataErrorCode,omitempty"`

	// Language is the language tag of Transcript; empty if there is no Transcript.
	Language   string      `json:"language,omitempty"`
	Transcript *Transcript `json:"transcript,omitempty"` // the captions in the first language of the list for which there are any
	Cached     bool        `json:"cached"`               // whether the answer comes from the cache, without a request to the platform
	// RequiresAsync reports whether the text needs speech recognition. If it does, send
	// the request to POST /v1/transcript.
	RequiresAsync bool   `json:"requiresAsync"`
	Error         *Error `json:"error,omitempty"` // why there is no text; set exactly when Status is error
}
