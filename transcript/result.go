package transcript

// Format is the form in which a transcript is returned.
type Format string

// The formats of POST /v1/transcript. The empty Format means JSON.
const (
	JSON Format = "json"
	Text Format = "text"
)

// Result is a finished extraction: every member of the 200 answer of POST
// /v1/transcript. Its JSON form also has the status "success". The `transcript` member
// is an object or a string, as Format says. (The methods write and read this JSON; the
// tags are there for schema reflection.)
type Result struct {
	Format Format `json:"format"` // the form of Transcript; JSON when empty
	// Transcript is set when Format is JSON.
	Transcript *Transcript `json:"transcript"`
	// Text is the transcript as plain text, set when Format is Text. The
	// `transcript` member holds the same string.
	Text string `json:"text,omitempty"`
	// Cached reports whether no work was done for this answer.
	Cached bool `json:"cached"`
	// Stale reports whether the text has expired but the platform could not be asked.
	Stale bool `json:"stale,omitempty"`
	// NothingHeard reports whether the recognizer has heard no speech in the whole recording.
	// Then the text is empty, and Language says only what was listened for.
	NothingHeard bool `json:"nothingHeard,omitempty"`
	// Language is the tag of the text.
	Language       string         `json:"language"`
	MetadataStatus MetadataStatus `json:"metadataStatus"`       // how much is known about the content
	LengthSeconds  *int           `json:"lengthSeconds"`        // the length of the media in seconds, rounded half up; nil when unknown
	LengthText     *string        `json:"lengthText"`           // the same, as M:SS or H:MM:SS; nil when unknown
	Recognizer     *Recognizer    `json:"recognizer,omitempty"` // what has heard the text, of several what has heard most of it; nil where none was recognized
	Metadata       map[string]any `json:"metadata"`             // how the text was made; nil unless the caller asked for it
}
