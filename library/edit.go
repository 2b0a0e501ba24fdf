package library

// Edit describes changes of a saved transcript: of lines, and of the names of speakers.
type Edit struct {
	// Segments are the lines that change: at most 2000.
	Segments []SegmentEdit `json:"segments,omitempty"`
	// Speakers maps current names of speakers to new ones: at most 100. If Segments
	// sets the speaker of a line, Speakers does not change it.
	Speakers map[string]string `json:"speakers,omitempty"`
}

// SegmentEdit changes a line of a saved transcript. It does not change the times of the
// line.
type SegmentEdit struct {
	Index   int     `json:"index"`             // the number of the line among all lines, from 0
	Text    *string `json:"text,omitempty"`    // the new text, of 1 to 5000 characters; nil keeps the text
	Speaker *string `json:"speaker,omitempty"` // the new speaker, of at most 100 characters; empty removes the speaker; nil keeps it
}
