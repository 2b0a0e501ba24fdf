package library

// Edit changes lines of a saved transcript, and names of speakers.
type Edit struct {
	// Segments are the lines that change: at most 2000.
	Segments []SegmentEdit `json:"segments,omitempty"`
	// Speakers gives speakers other names, by their present names: at most 100. A line whose
	// speaker Segments sets keeps that speaker.
	Speakers map[string]string `json:"speakers,omitempty"`
}

// SegmentEdit changes a line of a saved transcript. The times of the line stay.
type SegmentEdit struct {
	Index   int     `json:"index"`             // the place of the line among all lines, from 0
	Text    *string `json:"text,omitempty"`    // the new text, of 1 to 5000 characters; nil: the text stays
	Speaker *string `json:"speaker,omitempty"` // the new speaker, of at most 100 characters; empty: none; nil: the speaker stays
}
