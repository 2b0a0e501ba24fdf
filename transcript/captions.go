package transcript

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
	// RequiresAsync reports whether only speech recognition can give a text: send the
	// request to POST /v1/transcript.
	RequiresAsync bool   `json:"requiresAsync"`
	Error         *Error `json:"error,omitempty"` // set exactly when Status is error
}
