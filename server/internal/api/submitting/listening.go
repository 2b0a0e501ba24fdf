package submitting

import (
	"errors"
	"strconv"

	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	mostTracks = 99
	longestTag = 35 // characters, as in a list of languages
)

// listeningFields are the fields of l, which say how a recording is heard.
func listeningFields(l *transcript.Listening) []*request.Field {
	return []*request.Field{
		request.New("audioTrack", &l.AudioTrack, audioTrack()).
			About("The audio track of a file with several: its number, or a language tag. Default: the track in the language of the request, else the file's default track."),
		request.New("channels", &l.Channels, request.Enum([]transcript.Channels{transcript.MixChannels, transcript.SeparateChannels, transcript.AutoChannels}).Default(transcript.MixChannels)).
			About("What to do with several channels. `separate` recognizes each channel by itself and names its speaker by the channel; `auto` does so if the channels are different voices."),
		request.New("speakers", &l.Speakers, speakers().Default(transcript.AutoSpeakers)).
			About("Whether to tell who speaks. `auto`: if the service can; `none`: not; a number: how many people speak."),
		request.New("requireWhole", &l.RequireWhole, request.Boolean().Default(false)).
			About("Refuses a recording that ends too early. Without it, the service transcribes what there is and says so in `cutOff`."),
	}
}

func audioTrack() request.Kind[string] {
	tag := func(s string) (string, error) {
		list, err := transcript.ParseLanguageList(s)
		if err != nil || len(list) != 1 || list[0].ASR || len(s) > longestTag {
			return "", errors.New("must be the number of an audio track or one language tag")
		}
		return list[0].Tag, nil
	}
	plain := func(track string) any {
		if n, err := strconv.Atoi(track); err == nil {
			return n
		}
		return track
	}
	return request.NumberOr(1, mostTracks, strconv.Itoa, tag, request.Schema{"maxLength": longestTag}, plain)
}

func speakers() request.Kind[transcript.Speakers] {
	words := []transcript.Speakers{transcript.AutoSpeakers, transcript.NoSpeakers}
	word := func(s string) (transcript.Speakers, error) {
		for _, v := range words {
			if s == v.String() {
				return v, nil
			}
		}
		return 0, errors.New("must be auto, none, or how many people speak")
	}
	plain := func(s transcript.Speakers) any {
		if s > 0 {
			return int(s)
		}
		return s.String()
	}
	return request.NumberOr(1, transcript.MaxSpeakers, func(n int) transcript.Speakers { return transcript.Speakers(n) },
		word, request.Schema{"enum": []any{"auto", "none"}}, plain)
}
