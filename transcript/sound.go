package transcript

import (
	"fmt"
	"strconv"
)

// Channels says how the service hears a recording with several channels.
type Channels string

// The ways to hear several channels. The empty value means MixChannels.
const (
	// MixChannels recognizes one mix of all channels.
	MixChannels Channels = "mix"
	// SeparateChannels recognizes each channel by itself, and names its speaker by the
	// channel.
	SeparateChannels Channels = "separate"
	// AutoChannels separates the channels if they are different voices, and else mixes them.
	AutoChannels Channels = "auto"
)

// Speakers says whether the service tells who speaks in a recording. A positive number is how
// many people speak, at most [MaxSpeakers].
type Speakers int

// The wishes about speakers that are no number.
const (
	AutoSpeakers Speakers = 0  // as many as the service finds; nothing if it has no diarizer
	NoSpeakers   Speakers = -1 // do not tell
)

// MaxSpeakers is the largest number of speakers that a request can name.
const MaxSpeakers = 20

// String returns the value of the member `speakers`: "auto", "none" or the number.
func (s Speakers) String() string {
	switch s {
	case AutoSpeakers:
		return "auto"
	case NoSpeakers:
		return "none"
	}
	return strconv.Itoa(int(s))
}

// Listening says how the service hears the sound of a recording. The zero value is the usual way.
// It does not change a text that comes from captions.
type Listening struct {
	// AudioTrack selects an audio track of a file with several: its number as digits, from
	// "1" to "99", or a language tag such as "de". Empty means the track in the language of
	// the request, else the default track.
	AudioTrack string `json:"audioTrack,omitempty"`
	// Channels says what to do with several channels. Empty means [MixChannels].
	Channels Channels `json:"channels,omitempty"`
	// Speakers says whether to tell who speaks.
	Speakers Speakers `json:"speakers,omitempty"`
	// RequireWhole refuses a file that ends too early with UPLOAD_INVALID. Otherwise the
	// service transcribes what there is, and says so in Sound.CutOff.
	RequireWhole bool `json:"requireWhole,omitempty"`
}

// Sound says what was heard of a recording. It is empty for a text that the service did not
// recognize.
type Sound struct {
	// AudioTracks are the audio tracks of the file, if it has more than one.
	AudioTracks []AudioTrack `json:"audioTracks,omitempty"`
	// CutOff is set if the file announces more sound than it holds.
	CutOff *CutOff `json:"cutOff"`
	// UnreadBytes is how many bytes behind the recording the service could not read.
	UnreadBytes int64 `json:"unreadBytes,omitempty" minimum:"0"`
	// Heard measures the speech in the recording. nil if the service has no voice detector.
	Heard *Heard `json:"heard"`
	// Diarizer is the program that told the speakers apart. nil if none did.
	Diarizer *Diarizer `json:"diarizer"`
}

// Track returns the number of the audio track that the text is from, or 0 if the file has only one.
func (s Sound) Track() int {
	for _, t := range s.AudioTracks {
		if t.Used {
			return t.Index
		}
	}
	return 0
}

// AudioTrack is an audio track of a recording.
type AudioTrack struct {
	Index    int     `json:"index" minimum:"1"` // its number among the audio tracks, from 1
	Language *string `json:"language"`          // its language tag; nil when unknown
	Title    *string `json:"title"`             // its title in the file; nil when it has none
	Default  bool    `json:"default"`           // whether the file marks it as the default
	Used     bool    `json:"used"`              // whether the text is from this track
}

// CutOff describes a recording that ends too early.
type CutOff struct {
	HeldSec      float64 `json:"heldSec" minimum:"0"`      // seconds of sound in the file
	AnnouncedSec float64 `json:"announcedSec" minimum:"0"` // seconds that the file announces
}

// String says it in a sentence.
func (c CutOff) String() string {
	return fmt.Sprintf("The file is cut off: it holds %.1f of the %.1f seconds it announces.", c.HeldSec, c.AnnouncedSec)
}

// Heard measures how much of the speech in a recording became text.
type Heard struct {
	HeardSec  float64 `json:"heardSec" minimum:"0"`  // seconds with words
	SpeechSec float64 `json:"speechSec" minimum:"0"` // seconds in which a voice detector hears speech
	SilentSec float64 `json:"silentSec" minimum:"0"` // seconds without any sound
}

// Diarizer is the program that told the speakers of a text apart.
type Diarizer struct {
	Name  string  `json:"name"`  // its name, such as "sherpa-onnx"
	Model *string `json:"model"` // the name of its model; nil if it has no name
}

// Wordless returns how many seconds of speech have no words, if they are more than a tenth of the
// speech. Else, and if h is nil, it returns 0.
func (h *Heard) Wordless() float64 {
	if h == nil || (h.SpeechSec-h.HeardSec)*10 <= h.SpeechSec {
		return 0
	}
	return h.SpeechSec - h.HeardSec
}

// Remarks returns what a reader of the text should know about the recording, in English sentences:
// the file is cut off, bytes were not read, much of the speech has no words, or the file has other
// audio tracks. It is empty if there is nothing to say.
func (s Sound) Remarks() (sentences []string) {
	add := func(format string, args ...any) { sentences = append(sentences, fmt.Sprintf(format, args...)) }
	if s.CutOff != nil {
		add("%s", s.CutOff)
	}
	if s.UnreadBytes > 0 {
		add("The service could not read the last %d bytes of the file.", s.UnreadBytes)
	}
	if sec := s.Heard.Wordless(); sec > 0 {
		add("%.0f s of %.0f s of speech have no words.", sec, s.Heard.SpeechSec)
	}
	for _, t := range s.AudioTracks {
		switch {
		case t.Used && t.Language != nil:
			add("The text is of audio track %d of %d (%s).", t.Index, len(s.AudioTracks), *t.Language)
		case t.Used:
			add("The text is of audio track %d of %d.", t.Index, len(s.AudioTracks))
		}
	}
	return sentences
}
