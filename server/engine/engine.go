// Package engine says what the outside world can do for the service, as small
// interfaces: a [CaptionSource] reads the captions of a link, an [AudioSource]
// downloads its sound, a [MediaTool] reads media files, a [Recognizer] turns
// speech into text. What a server gives an engine in return is a [Host]: the
// only way to the network and to other programs, and a directory of its own.
//
// An [Engine] is a struct of these interfaces; a nil field is a missing
// capability. Whoever writes an engine runs the suite in
// server/engine/enginetest against it.
//
// Cutting audio into chunks, skipping silence and putting the pieces back on
// the media clock are not an engine's business: package server/speech does it once,
// around any recognizer.
package engine

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Engine is what a service can do. A nil member is a capability it lacks.
type Engine struct {
	// Captions are asked in this order for the captions of a link. Platforms that
	// none of them can read go straight to speech recognition.
	Captions []CaptionSource
	// Lists reads playlists and channels. Without it batches of these end in
	// NOT_IMPLEMENTED.
	Lists ListSource
	// Discovery finds videos, channels and playlists. Without it the routes below
	// /v1/video_site that find something answer NOT_IMPLEMENTED.
	Discovery Discovery
	// Audio downloads what has no captions. Without it such links end in
	// NOT_IMPLEMENTED.
	Audio AudioSource
	// Media reads uploaded and downloaded files. Without it these end in
	// NOT_IMPLEMENTED.
	Media MediaTool
	// Recognizer turns speech into text. Without it whatever needs speech
	// recognition ends in NOT_IMPLEMENTED.
	Recognizer Recognizer
}

// Checker is implemented by engines that can say whether they are fit for work:
// that their program, model or endpoint is there. It is asked at start and by
// /readyz. The error names what is missing and how to get it. A [Recognizer] is also
// asked before it gets a recording: what it is needed for waits while that is an
// UPSTREAM_FAILED, which says that it cannot be reached.
type Checker interface {
	Check(ctx context.Context) error
}

// MediaTool reads media files. Its errors carry codes:
// UPLOAD_INVALID for what cannot be decoded or has no sound, CONFIG_ERROR for a
// missing program. It reads the named file and nothing else, whatever the file
// asks for. Safe for concurrent use.
type MediaTool interface {
	// Probe says what the file claims to be, without decoding it.
	Probe(ctx context.Context, path string) (MediaInfo, error)
	// Normalize decodes the first audio stream of the file at in and writes it to
	// out as a [WAV]: 16 kHz, mono, 16 bit, sample 0 at the start of the media. It
	// stops decoding at max, whatever the file claims, and then returns an Audio
	// that is max long: to find out that a file is too long, ask for a little more
	// than the bound. progress may be nil; it is called with how much audio has been
	// written.
	Normalize(ctx context.Context, in, out string, max time.Duration, progress func(time.Duration)) (Audio, error)
}

// MediaInfo is what a media file claims about itself.
type MediaInfo struct {
	Format   string        // the container, as the tool names it
	Duration time.Duration // 0 when the file does not say
	HasAudio bool
}

// Audio is a normalized recording on disk: a WAV of 16 kHz, mono, 16 bit.
type Audio struct {
	Path     string
	Duration time.Duration // measured by its samples
}

// Recognizer turns speech into text. Its errors carry codes; one
// that is worth another try is INTERNAL, UPSTREAM_FAILED or RATE_LIMITED. A
// language that it does not know is NOT_IMPLEMENTED, with its name and the tag as
// details "engine" and "language". Safe for concurrent use.
type Recognizer interface {
	// Info describes the recognizer. It is cheap and never changes.
	Info() RecognizerInfo
	// Recognize returns what was said in the audio, with times in seconds from
	// the start of the audio. Silence is an empty result and no error. It returns
	// soon after ctx is done, with the context's error.
	Recognize(ctx context.Context, audio Audio, opts RecognizeOptions) (Recognition, error)
}

// RecognizerInfo describes a recognizer.
type RecognizerInfo struct {
	Name  string // "pocketsphinx"
	Model string // "en-us"
	// ModelSHA256 is the hash of the model's file, in lower case hex, told with each text
	// that it has heard; empty where it is not known.
	ModelSHA256 string
	Quality     string // a note for people: "low: …"; may be empty
	// Languages are the tags it can be asked for; nil means any.
	Languages []string
	// Detects reports whether it can detect the language. One that does not
	// recognizes Languages[0] when it is asked for none.
	Detects bool
	// Chunk is the best length of audio for one call: minutes for a program that
	// loads a large model each time. 0 leaves it to the caller.
	Chunk time.Duration
	// MaxChunk is the longest audio of one call; 0 means that there is no such bound.
	MaxChunk time.Duration
	// Window is the length of audio that is paid for whole, however little of it there
	// is: a model that works in windows pads the last one of a call. 0: a call costs as
	// much as there is audio.
	Window time.Duration
	// Prompts reports whether it heeds RecognizeOptions.Prompt.
	Prompts bool
	// Speakers reports whether it tells who speaks, in transcript.Segment.Speaker. Its
	// labels hold within one call: whoever is "A" in one may be "B" in the next.
	Speakers bool
	// Voices is how many of RecognizeOptions.Voices it heeds; 0: none. With them its
	// labels hold over all chunks of a recording, which are therefore recognized one
	// after the other.
	Voices int
}

// Voice is how somebody sounds who has spoken before in the recording.
type Voice struct {
	// Name is of letters, digits and "_", and of a form that no recognizer makes up.
	Name string
	// Audio are 2 to 10 seconds in which nobody else speaks.
	Audio Audio
}

// RecognizeOptions are the wishes of one call.
type RecognizeOptions struct {
	// Language is the tag to recognize; empty: detect, or the only one there is.
	Language string
	// Prompt are names and words that are likely to be said, in one line of at most 800
	// characters without control characters; empty: none are known. They are the
	// account's own: no log and no error may show them. One that takes no prompt
	// ignores it.
	Prompt string
	// Voices are those of people who have spoken before in the recording, at most
	// RecognizerInfo.Voices, first of whoever has spoken most. Who is recognized by one
	// has its Name as speaker. One that takes no voices ignores them.
	Voices []Voice
	// Progress may be nil. It is called, once at least, with how much of the audio is done; it
	// never goes back and never exceeds the audio's duration.
	Progress func(done time.Duration)
}

// Recognition is what was said in one piece of audio.
type Recognition struct {
	// Segments are sorted by start; times are seconds from the start of the audio.
	Segments []transcript.Segment
	Language string // the tag of what was heard; empty when not known
	// Prompted reports that the prompt of the call was heeded.
	Prompted bool
	// KnowsVoices reports that the voices of the call were heeded, or would have been had
	// there been any. False tells that it is of no use to wait for voices.
	KnowsVoices bool
}
