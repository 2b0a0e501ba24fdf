package transcript

// Track is a caption track that a platform offers for one piece of content.
type Track struct {
	// ID is an id of the service, stable for the same language, kind and name. It is
	// not an address.
	ID             string    `json:"trackId"`
	Lang           string    `json:"lang"`           // the language, as a BCP 47 tag
	Name           string    `json:"name"`           // the name of the track for people; may be empty
	Kind           TrackKind `json:"kind"`           // how the track was made
	IsDefault      bool      `json:"isDefault"`      // whether the platform shows the track by default
	IsTranslatable bool      `json:"isTranslatable"` // whether the platform offers translations of the track
}

// TrackKind says who made a caption track.
type TrackKind string

// The kinds of tracks. A forced track has only texts that need a translation, such as
// signs and foreign words. It is never used for a transcript.
const (
	TrackManual TrackKind = "manual"
	TrackAuto   TrackKind = "auto"
	TrackForced TrackKind = "forced"
)

// TrackStatus says whether the platform has named the caption tracks of some content.
type TrackStatus string

// The values of TrackStatus. Only TracksEmpty means that there are no captions.
const (
	TracksOK      TrackStatus = "ok"      // the platform named its tracks
	TracksEmpty   TrackStatus = "empty"   // the platform says there are none
	TracksFailed  TrackStatus = "failed"  // the platform blocked the request, failed, or did not answer in time
	TracksSkipped TrackStatus = "skipped" // the platform was not asked
)
