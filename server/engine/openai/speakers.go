package openai

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// mostVoices is how many known speakers the hosted model accepts.
	mostVoices = 4
	// longestDiarized is the longest audio of one request for speakers: the hosted model
	// accepts 1,400 seconds. Longer requests mean fewer parts of a recording with labels of
	// their own.
	longestDiarized = 20 * time.Minute
	// voicesRoom is the share of an upload for voices: at most ten seconds each, in base64.
	voicesRoom = mostVoices * 10 * bytesPerSecond * 4 / 3
)

// diarizes reports whether a model tells speakers apart, by its name: the name of the hosted
// one contains "diarize".
func diarizes(model string) bool { return strings.Contains(model, "diarize") }

// longestFor returns the longest audio of one request that leaves room for voices. If the
// upload limit is low, voices get half of it.
func longestFor(maxBytes int64) time.Duration {
	room := maxBytes - headRoom
	sec := (room - min(room/2, voicesRoom)) / bytesPerSecond
	return min(max(time.Duration(sec)*time.Second, time.Second), longestDiarized)
}

// reference is a known speaker in the form that the endpoint expects.
type reference struct{ name, clip string }

// references returns the voices that fit into room bytes of an upload.
func references(voices []engine.Voice, room int64) ([]reference, error) {
	var all []reference
	for _, v := range voices[:min(mostVoices, len(voices))] {
		wav, err := os.ReadFile(v.Audio.Path)
		if err != nil {
			return nil, transcript.Errorf(transcript.Internal, "The clip of a voice cannot be read.").Because(err)
		}
		clip := "data:audio/wav;base64," + base64.StdEncoding.EncodeToString(wav)
		if room -= int64(len(clip)); room < 0 {
			break
		}
		all = append(all, reference{v.Name, clip})
	}
	return all, nil
}

// refusesVoices reports whether the endpoint refuses known speakers, or these speakers.
func refusesVoices(err error) bool {
	var refused *refusal
	return errors.As(err, &refused) && refused.badRequest() && refused.mentions("known_speaker", "known speaker")
}

// label is the name of a speaker: a string, or the number that some servers write. Any other
// value gives no name.
type label string

// UnmarshalJSON reads the label.
func (l *label) UnmarshalJSON(b []byte) error {
	var said any
	if err := json.Unmarshal(b, &said); err != nil {
		return err
	}
	switch said := said.(type) {
	case string:
		*l = label(said)
	case float64:
		*l = label(b)
	}
	return nil
}
