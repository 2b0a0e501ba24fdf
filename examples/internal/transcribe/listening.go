package transcribe

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Listening has the flags that say how the service hears a recording.
type Listening struct {
	AudioTrack   string `verb:"" placeholder:"N|LANG" help:"The audio track of a file with several: its number or its language. Default: the track in the language of --language, else the default track of the file."`
	Channels     string `verb:"" enum:",mix,separate,auto" default:"" placeholder:"HOW" help:"separate: recognize each channel by itself and name its speaker by the channel; auto: do so if the channels are different voices. Default: mix."`
	Speakers     string `verb:"" placeholder:"N" help:"How many people speak, 1 to 20; auto: the service finds out; none: do not tell who speaks. Default: auto. txt and srt name the speakers only with this flag or --channels."`
	RequireWhole bool   `verb:"" help:"Refuse a recording that ends too early. Without this flag, the text is of what there is."`
}

const (
	mostTracks = 99
	auto       = "auto"
)

var errNotOneRecording = errors.New("--audio-track, --channels, --speakers and --require-whole are for recordings and single links: leave them out, or transcribe each link by a command of its own")

// listening returns what the flags say, or which of them is wrong.
func (l *Listening) listening() (transcript.Listening, error) {
	wish := transcript.Listening{AudioTrack: l.AudioTrack, Channels: transcript.Channels(l.Channels), RequireWhole: l.RequireWhole}
	if n, err := strconv.Atoi(l.AudioTrack); err == nil && (n < 1 || n > mostTracks) {
		return wish, fmt.Errorf("--audio-track: a number must be from 1 to %d", mostTracks)
	} else if err != nil && l.AudioTrack != "" {
		if list, err := transcript.ParseLanguageList(l.AudioTrack); err != nil || len(list) != 1 || list[0].ASR {
			return wish, errors.New("--audio-track: must be the number of an audio track or one language tag, such as 2 or de")
		}
	}
	switch strings.ToLower(l.Speakers) {
	case "", auto:
	case transcript.NoSpeakers.String():
		wish.Speakers = transcript.NoSpeakers
	default:
		n, err := strconv.Atoi(l.Speakers)
		if err != nil || n < 1 || n > transcript.MaxSpeakers {
			return wish, fmt.Errorf("--speakers: must be auto, none, or how many people speak, from 1 to %d", transcript.MaxSpeakers)
		}
		wish.Speakers = transcript.Speakers(n)
	}
	return wish, nil
}

// listens reports whether a flag is set.
func (l *Listening) listens() bool { return *l != Listening{} }

// namesSpeakers reports whether the caller asks who speaks.
func (l *Listening) namesSpeakers() bool {
	return l.Speakers != "" && l.Speakers != transcript.NoSpeakers.String() || l.Channels != "" && l.Channels != string(transcript.MixChannels)
}

// remark tells what the reader of a text should know about its recording.
func (w *work) remark(name string, s transcript.Sound) {
	for _, sentence := range s.Remarks() {
		w.tell(name, sentence)
	}
	if len(s.AudioTracks) > 1 && w.AudioTrack == "" {
		w.tell(name, "--audio-track chooses another track.")
	}
}
