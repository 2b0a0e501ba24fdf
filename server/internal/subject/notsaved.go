package subject

import "github.com/transcriptkit/transcriptkit/transcript"

// NotSaved is the error of a request for a transcript that is not in the account's library.
// The code and the route in the message are fixed: see TestSpecification.
func NotSaved() *transcript.Error {
	return transcript.Errorf(transcript.NoTranscript, "Your library has no such transcript. POST /v1/transcript makes one.")
}
