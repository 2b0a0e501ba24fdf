package engine

import (
	"context"
)

// Span is a stretch of a recording, in seconds from its start.
type Span struct {
	Start float64 `json:"start"`
	End   float64 `json:"end"`
}

// VoiceDetector finds the speech in a recording, whatever is said. It must find nothing in
// silence, tones and noise, and be safe for concurrent use. Its errors have codes.
type VoiceDetector interface {
	// Speech returns the stretches with speech, sorted and without overlap. audio may be
	// hours long. It returns soon after ctx is done, with the context's error.
	Speech(ctx context.Context, audio Audio) ([]Span, error)
}

// Diarizer tells who speaks when. It hears a whole recording at once, so its speakers are the
// same from the first minute to the last. It must be safe for concurrent use. Its errors have
// codes. The same audio and options must give the same turns: the service asks again after a
// crash.
type Diarizer interface {
	// Info describes the diarizer. It must be fast and always return the same.
	Info() DiarizerInfo
	// Diarize returns the turns of all speakers. audio may be hours long. It returns soon
	// after ctx is done, with the context's error.
	Diarize(ctx context.Context, audio Audio, o DiarizeOptions) ([]Turn, error)
}

// DiarizerInfo describes a diarizer.
type DiarizerInfo struct {
	Name  string // "sherpa-onnx"
	Model string // "pyannote-segmentation-3.0"; empty if there is only one
}

// DiarizeOptions are the options of one call.
type DiarizeOptions struct {
	// Speakers is how many people speak in the recording, 1 to [transcript.MaxSpeakers]. 0: find out.
	Speakers int
}

// Turn is a stretch in which one speaker speaks.
type Turn struct {
	Span
	// Speaker numbers the speakers in the order of their first turns, from 1.
	Speaker int `json:"speaker"`
}
