package transcript

// Format is the form in which POST /v1/transcript returns a transcript.
type Format string

// The formats. The empty Format means JSON.
const (
	JSON Format = "json"
	Text Format = "text"
)

// Result is the 200 answer of POST /v1/transcript: a transcript with its metadata. Its
// JSON object also has the status "success". The member `transcript` is an object or a
// string, depending on Format. The methods MarshalJSON and UnmarshalJSON write and read
// this JSON; the tags are only for schema reflection.
type Result struct {
	Format Format `json:"format"` // the form of the transcript; empty means JSON
	// Transcript is set when Format is JSON.
	Transcript *Transcript `json:"transcript"`
	// Text is the transcript as plain text, set when Format is Text. In JSON, the
	// member `transcript` is the same string.
	Text string `json:"text,omitempty"`
	// Cached reports whether the answer comes from the cache.
	Cached bool `json:"cached"`
	// Stale reports whether the text has expired but the platform could not be asked.
	Stale bool `json:"stale,omitempty"`
	// NothingHeard reports whether the recognizer found no speech in the whole
	// recording. Then the text is empty, and Language is only the language that the
	// recognizer expected.
	NothingHeard bool `json:"nothingHeard,omitempty"`
	// Language is the language tag of the text.
	Language       string         `json:"language"`
	MetadataStatus MetadataStatus `json:"metadataStatus"`       // how much is known about the content
	LengthSeconds  *int           `json:"lengthSeconds"`        // the length of the media in seconds, rounded half up; nil when unknown
	LengthText     *string        `json:"lengthText"`           // the same, as M:SS or H:MM:SS; nil when unknown
	Recognizer     *Recognizer    `json:"recognizer,omitempty"` // the recognizer that produced the text, or most of it; nil if the text was not recognized
	Sound                         // what was heard of the recording; empty unless the text was recognized
	Metadata       map[string]any `json:"metadata"` // how the text was made; nil unless the caller asked for it
}
