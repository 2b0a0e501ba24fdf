package library

// Edit describes changes of a saved transcript: of lines, and of the names of speakers.
type Edit struct {
	// Segments are the lines that change: at most 2000.
	Segments []SegmentEdit `json:"segments,omitempty"`
	// Speakers maps current names of speakers to new ones: at most 100. If Segments
	// sets the speaker of a line, Speakers does not change it.
	Speakers map[string]string `json:"speakers,omitempty"`
}

// SegmentEdit changes a line of a saved transcript, splits it, or joins it to the line
// before. A line whose text changes keeps its times.
type SegmentEdit struct {
	Index   int     `json:"index"`             // the number of the line among all lines, from 0
	Text    *string `json:"text,omitempty"`    // the new text, of 1 to 5000 characters; nil keeps the text
	Speaker *string `json:"speaker,omitempty"` // the new speaker, of at most 100 characters; empty removes the speaker; nil keeps it
	// SplitAt makes two lines of the line: the second begins at this character
	// (Unicode code point) of the text, as it is after the change of Text. Both lines must
	// have text. The blanks between them go. nil does not split.
	SplitAt *int `json:"splitAt,omitempty"`
	// SpeakerAfter is the speaker of the second line, of at most 100 characters; nil
	// means the same as of the first.
	SpeakerAfter *string `json:"speakerAfter,omitempty"`
	// Join appends the line to the line before it, whose speaker stays. The joined line has
	// at most 5000 characters. Index names the lines as they were before the edit.
	Join bool `json:"join,omitempty"`
}
