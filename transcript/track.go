package transcript

// Track is a caption track that a platform offers for one piece of content.
type Track struct {
	// ID is the service's own, stable for the same language, kind and name; it is
	// no address.
	ID             string    `json:"trackId"`
	Lang           string    `json:"lang"`           // the language, as BCP 47 has it
	Name           string    `json:"name"`           // its name for people; may be empty
	Kind           TrackKind `json:"kind"`           // how it was made
	IsDefault      bool      `json:"isDefault"`      // whether the platform shows it unasked
	IsTranslatable bool      `json:"isTranslatable"` // whether the platform offers to translate it
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
