// Package engine has the interfaces through which a server gets captions, recordings
// and recognized speech: a [CaptionSource] reads the captions of a link, an
// [AudioSource] downloads its sound, a [MediaTool] reads media files, and a
// [Recognizer] turns speech into text. A server gives each engine a [Host]: the
// engine's only access to the network and to other programs, with a directory for its
// files.
//
// An [Engine] is a struct of these interfaces; a nil field is a missing capability. Authors of
// an engine run the suite in server/engine/enginetest against it.
//
// A recognizer need not cut audio into chunks, skip silence or adjust the times of
// chunks. The service does that for every recognizer.
package engine

import (
	"context"
	"io"
	"time"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Engine is what a service can do. A nil field is a capability that the service lacks.
type Engine struct {
	// Captions are asked for the captions of a link, in this order. If none of them can read a
	// platform, its links go directly to speech recognition.
	Captions []CaptionSource
	// Lists reads playlists and channels. Without it, batches of playlists and channels end in
	// NOT_IMPLEMENTED.
	Lists ListSource
	// Discovery finds videos, channels and playlists. Without it, the searching routes below
	// /v1/video_site answer NOT_IMPLEMENTED.
	Discovery Discovery
	// Audio downloads the sound of links without captions. Without it, such links end in
	// NOT_IMPLEMENTED.
	Audio AudioSource
	// Direct reads the links that belong to no platform: to a media file, to the page of an
	// episode, or to an item of a feed. Without it, requests for such links end in
	// NOT_IMPLEMENTED.
	Direct DirectSource
	// Media reads uploaded and downloaded files. Without it, such files end in NOT_IMPLEMENTED.
	Media MediaTool
	// Recognizer turns speech into text. Without it, work that needs speech recognition ends in
	// NOT_IMPLEMENTED.
	Recognizer Recognizer
	// Voices detects speech. Without it, texts do not say how much speech the recording has.
	Voices VoiceDetector
	// Diarizer tells who speaks. Without it, texts name only the speakers that the recognizer
	// reports, or that have their own channels.
	Diarizer Diarizer
}

// Checker is an optional interface of engines. Check reports whether the engine can
// work: whether its program, model or endpoint is available. The server calls Check at
// start and for /readyz. The error names what is missing and how to get it. The server
// also checks a [Recognizer] before it sends a recording. If Check returns
// UPSTREAM_FAILED, which means that the recognizer cannot be reached, the recording
// waits.
type Checker interface {
	Check(ctx context.Context) error
}

// MediaTool reads media files. Its errors carry codes: UPLOAD_INVALID for a file that cannot be
// decoded or has no sound, CONFIG_ERROR for a missing program. It reads the named file and
// nothing else, even if the file refers to other files. It is safe for concurrent use.
type MediaTool interface {
	// Probe returns what the file's header says, without decoding the file.
	Probe(ctx context.Context, path string) (MediaInfo, error)
	// Normalize decodes an audio track of the file at in and writes it to out as a [WAV]: 16
	// kHz, mono, 16 bit, sample 0 at the start of the media. Formats without timestamps of
	// their own (MP3, ADTS, FLAC, WAV and similar) are decoded by their samples. A file that
	// contains several recordings one after another is decoded as one recording. The result
	// of Normalize says what was not decoded, and why: see [Sound].
	Normalize(ctx context.Context, in, out string, o NormalizeOptions) (Sound, error)
}

// NormalizeOptions are the options of one call of [MediaTool].Normalize.
type NormalizeOptions struct {
	// Max is the longest sound to decode. Normalize stops at Max, even if the file is
	// longer, and then returns a Sound of this length. To find out that a file is too long,
	// ask for slightly more than the bound.
	Max time.Duration
	// Track is the number of the audio track, from 1. If the file has no such track, the
	// error is UPLOAD_INVALID and lists the tracks. 0 lets Normalize choose: a track in
	// Language, otherwise the default track unless it is a commentary, otherwise the first
	// track that is no commentary. If a chosen track is completely silent, Normalize uses
	// the next track that is not.
	Track int
	// Language is the language tag of the wanted track; empty means any.
	Language string
	// Channels says what to do with several channels; empty means [transcript.MixChannels].
	Channels transcript.Channels
	// Whole refuses a file that is cut off with UPLOAD_INVALID.
	Whole bool
	// Progress, if set, is called with the length of sound written so far.
	Progress func(time.Duration)
}

// Sound is what Normalize has decoded.
type Sound struct {
	// Audio is the mix of all channels. If the channels cancel each other out, the mix is
	// the louder channel.
	Audio
	// Channels are the channels of the recording, if they are separated: each as long as
	// Audio, in files next to it. nil means that they are not.
	Channels []Audio
	// Tracks are all audio tracks of the file, if it has more than one.
	Tracks []transcript.AudioTrack
	// CutOff is set if the file announces clearly more sound than it holds.
	CutOff *transcript.CutOff
	// Unread is how many bytes after the recording Normalize could not read. 0 means none.
	Unread int64
}

// ArrivingMedia is an optional interface of a [MediaTool] that can read a file during
// its upload. The service then begins to recognize an upload before its last byte.
type ArrivingMedia interface {
	// NormalizeArriving is like Normalize for a file that it reads from in, up to the
	// end of in. It writes the sound to out while it reads. Until the end, the header
	// of out may have an unknown length (0xFFFFFFFF). It takes the first track, and mixes
	// its channels. After an error, the service calls Normalize with the whole file.
	NormalizeArriving(ctx context.Context, in io.Reader, out string, max time.Duration) (Audio, error)
	// Verify compares the whole file at in with found, the length of the sound that
	// NormalizeArriving has written. The error is UPLOAD_INVALID if Normalize would decode
	// more or other sound, up to max: a file that is cut off or has several tracks, or
	// several recordings.
	Verify(ctx context.Context, in string, found, max time.Duration) error
}

// PlayingMedia is an optional interface of a [MediaTool] that can make small copies of
// recordings for browsers. Without it, browsers play the files as they were uploaded.
type PlayingMedia interface {
	// PlayingCopy reads the file in and writes an audio track to the file out, as Opus in
	// WebM. track is the number of the track, from 1; 0 means the track that Normalize would
	// choose. Players can seek to each second of the copy. PlayingCopy stops at max. The
	// times of the copy are those of Normalize. After an error, the file out does not exist.
	PlayingCopy(ctx context.Context, in, out string, track int, max time.Duration) error
}

// MediaInfo is what a media file says about itself.
type MediaInfo struct {
	Format   string        // the container, as the tool names it
	Duration time.Duration // 0 if the file does not say
	HasAudio bool
}

// Audio is a normalized recording on disk: a WAV of 16 kHz, mono, 16 bit.
type Audio struct {
	Path     string
	Duration time.Duration // measured by its samples
}

// Recognizer turns speech into text. Its errors have codes. The service retries after
// INTERNAL, UPSTREAM_FAILED and RATE_LIMITED. If the recognizer does not know the
// language, the code is NOT_IMPLEMENTED, with the recognizer's name and the tag as the
// details "engine" and "language". A Recognizer must be safe for concurrent use.
type Recognizer interface {
	// Info describes the recognizer. It must be fast and always return the same.
	Info() RecognizerInfo
	// Recognize returns the speech in the audio, with times in seconds from the start
	// of the audio. For silence, it returns an empty result and no error. It returns
	// soon after ctx is done, with the context's error.
	Recognize(ctx context.Context, audio Audio, opts RecognizeOptions) (Recognition, error)
}

// RecognizerInfo describes a recognizer.
type RecognizerInfo struct {
	Name  string // "pocketsphinx"
	Model string // "en-us"
	// ModelSHA256 is the hash of the model's file, in lower-case hex; empty if not known. Each
	// transcript that the recognizer made names it.
	ModelSHA256 string
	Quality     string // a note for people: "low: …"; may be empty
	// Languages are the tags that a caller can ask for; nil means any.
	Languages []string
	// Detects reports whether the recognizer can detect the language. A recognizer that cannot
	// uses Languages[0] if a call names no language.
	Detects bool
	// Chunk is the best length of audio for one call: minutes for a program that loads a large
	// model each time. 0 leaves the length to the caller.
	Chunk time.Duration
	// MaxChunk is the longest audio of one call; 0 means no bound.
	MaxChunk time.Duration
	// Window is the length of the windows in which the model works: the model pads the
	// last window of a call, so that the call takes as long as for a whole window. 0
	// means that the time of a call depends only on the length of the audio.
	Window time.Duration
	// Prompts reports whether the recognizer uses RecognizeOptions.Prompt.
	Prompts bool
	// Speakers reports whether the recognizer tells speakers apart, in
	// transcript.Segment.Speaker. Its labels hold within one call: speaker "A" of one call may
	// be speaker "B" of the next call.
	Speakers bool
	// Voices is how many RecognizeOptions.Voices the recognizer uses; 0 means that it
	// ignores them. With voices, its labels hold across all chunks of a recording, so these
	// chunks are recognized one after another.
	Voices int
}

// Voice is a sample of a speaker from earlier in the recording.
type Voice struct {
	// Name consists of letters, digits and "_", in a form that no recognizer invents.
	Name string
	// Audio is 2 to 10 seconds long and contains only this speaker.
	Audio Audio
}

// RecognizeOptions are the options of one call.
type RecognizeOptions struct {
	// Language is the tag to recognize; empty means that the recognizer detects the
	// language, or uses its only one.
	Language string
	// Prompt holds names and words that are likely to be said, in one line of at most 800
	// characters without control characters; empty means that none are known. The prompt
	// belongs to the account: no log and no error may show it. A recognizer without prompts
	// ignores it.
	Prompt string
	// Voices are voice samples of people who spoke earlier in the recording: at most
	// RecognizerInfo.Voices of them, ordered by how much they spoke, most first. If the
	// recognizer recognizes a voice, its segments have the voice's Name as speaker. A
	// recognizer without voices ignores them.
	Voices []Voice
	// Progress may be nil. The recognizer calls it at least once with the length of the
	// finished audio. The length never decreases and never exceeds the audio's duration.
	Progress func(done time.Duration)
}

// Recognition is the recognized speech of one piece of audio.
type Recognition struct {
	// Segments are sorted by start; times are seconds from the start of the audio.
	Segments []transcript.Segment
	Language string // the tag of the heard language; empty if not known
	// Prompted reports that the recognizer used the prompt of the call.
	Prompted bool
	// By describes the recognizer that heard the speech, if a recognizer passes its calls on to
	// others; nil means the recognizer itself.
	By *RecognizerInfo
	// KnowsVoices reports that the recognizer used the voices of the call, or would have used
	// them. If it is false, waiting for voices is of no use.
	KnowsVoices bool
}
