package transcript

// Recognizer is what has heard a text.
type Recognizer struct {
	Engine  string  `json:"engine"`  // its name, such as "whisper-cli"
	Model   *string `json:"model"`   // the name of its model; nil if the recognizer does not say
	Quality *string `json:"quality"` // how well it hears, in a few words for people; nil where it does not say
}
