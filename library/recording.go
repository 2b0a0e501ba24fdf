package library

// RecordingCopy selects a file of a kept recording. The zero value is the file as it
// was uploaded.
type RecordingCopy string

// PlayingCopy is the small copy for browsers. If there is no such copy yet, it is the
// file as it was uploaded.
const PlayingCopy RecordingCopy = "play"

// RecordingCopies returns all copies, without the zero value.
func RecordingCopies() []RecordingCopy { return []RecordingCopy{PlayingCopy} }
