package transcript

// Chunk is a piece of a transcript of a size that a language model takes.
type Chunk struct {
	// ID tells chunks apart, and stays the same when a transcript is made anew and says
	// the same at the same place.
	ID       string  `json:"id"`
	Index    int     `json:"index" minimum:"0"`    // among all chunks of the transcript
	Start    float64 `json:"start" minimum:"0"`    // seconds from the start of the media
	Duration float64 `json:"duration" minimum:"0"` // seconds
	Text     string  `json:"text"`
	Chapter  string  `json:"chapter,omitempty"` // its title, where the platform gives chapters
	// URL leads to the place, on platforms that know such links; nil elsewhere.
	URL *string `json:"url" format:"uri"`
}
