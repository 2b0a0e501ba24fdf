package transcript

// Recognizer is the speech recognizer that produced a text.
type Recognizer struct {
	Engine  string  `json:"engine"`  // the recognizer's name, such as "whisper-cli"
	Model   *string `json:"model"`   // the name of the model; nil if the recognizer does not report it
	Quality *string `json:"quality"` // how accurate it is, in a few words for people; nil if the recognizer does not report it
}
