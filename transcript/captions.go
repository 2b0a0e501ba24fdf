package transcript

// CaptionReport is the answer of GET /v1/video_site/captions; see
// docs/guides/languages.md.
type CaptionReport struct {
	Status  string `json:"status" enum:"success,error"` // success when there is a transcript
	VideoID string `json:"videoId"`                     // the platform's own id of the video
	// CaptionAvailable is nil when it is not known, and when there are tracks in
	// other languages only.
	CaptionAvailable *bool   `json:"captionAvailable"`
	Tracks           []Track `json:"tracks"` // all caption tracks of the video

	TrackMetadataStatus TrackStatus `json:"trackMetadataStatus"` // how the tracks were found out
	// TrackMetadataError and TrackMetadataErrorCode say why the status is failed.
	TrackMetadataError     string `json:"trackMetadataError,omitempty"`
	TrackMetadataErrorCode Code   `json:"trackMetadataErrorCode,omitempty"`

	// Language is the tag of Transcript; empty without one.
	Language   string      `json:"language,omitempty"`
	Transcript *Transcript `json:"transcript,omitempty"` // the text, in the first language of the list that there are captions in
	Cached     bool        `json:"cached"`               // whether the platform was not asked
	// RequiresAsync reports whether only speech recognition can give a text: send the
	// request to POST /v1/transcript.
	RequiresAsync bool   `json:"requiresAsync"`
	Error         *Error `json:"error,omitempty"` // why there is no text; set exactly when Status is error
}
