package library

// RecordingCopy is which file of a kept recording is wanted. The zero value is the file as it was
// sent.
type RecordingCopy string

// PlayingCopy is the small copy that browsers play; while there is no copy, the file as it was
// sent.
const PlayingCopy RecordingCopy = "play"

// RecordingCopies returns the copies that can be asked for.
func RecordingCopies() []RecordingCopy { return []RecordingCopy{PlayingCopy} }
