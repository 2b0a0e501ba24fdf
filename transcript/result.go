package transcript

// Format is the form in which a transcript is returned.
type Format string

// The formats of POST /v1/transcript. The empty Format means JSON.
const (
	JSON Format = "json"
	Text Format = "text"
)

// Enum lists the values for schema reflection.
func (Format) Enum() []any { return enumOf([]Format{JSON, Text}) }

// Result is a finished extraction: every member of the 200 answer of
// POST /v1/transcript.
type Result struct {
	Format Format
	// Transcript is set when Format is JSON.
	Transcript *Transcript
	// Text is the transcript as plain text, set when Format is Text.
	Text string
	// Cached tells that no work was done for this answer.
	Cached bool
	// Stale tells that the text has expired but the platform could not be asked.
	Stale bool
	// Language is the tag of the text.
	Language       string
	MetadataStatus MetadataStatus
	LengthSeconds  *int    // nil when unknown
	LengthText     *string // M:SS or H:MM:SS; nil when unknown
	Metadata       map[string]any
}
