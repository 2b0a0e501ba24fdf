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
	// mostVoices is how many known speakers the hosted model takes.
	mostVoices = 4
	// longestDiarized is the longest audio of one request for speakers: the hosted model
	// takes 1,400 seconds. The longer, the fewer parts of a recording have labels of
	// their own.
	longestDiarized = 20 * time.Minute
	// voicesRoom is what the voices take of an upload: ten seconds each at most, in base64.
	voicesRoom = mostVoices * 10 * bytesPerSecond * 4 / 3
)

// diarizes reports whether a model tells speakers by its name: the hosted one's has
// "diarize" in it.
func diarizes(model string) bool { return strings.Contains(model, "diarize") }

// longestFor is the longest audio of one request that leaves room for voices: where
// little may be sent, half of it.
func longestFor(maxBytes int64) time.Duration {
	room := maxBytes - headRoom
	sec := (room - min(room/2, voicesRoom)) / bytesPerSecond
	return min(max(time.Duration(sec)*time.Second, time.Second), longestDiarized)
}

// reference is a known speaker as the endpoint is told of it.
type reference struct{ name, clip string }

// references are the voices that fit into so many bytes of an upload.
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

// refusesVoices reports whether the endpoint takes no known speakers, or not these.
func refusesVoices(err error) bool {
	var refused *refusal
	return errors.As(err, &refused) && refused.badRequest() && refused.mentions("known_speaker", "known speaker")
}

// label is the name of a speaker: a string, or the number that some servers write. What
// is anything else is no name.
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
