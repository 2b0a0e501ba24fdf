package wire

import (
	"strconv"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Wishes are the members of a request except its source, by their names in the body of
// POST /v1/transcript. A member that equals the service's default is left out.
func Wishes(r transcript.Request) map[string]any {
	wishes := map[string]any{}
	if len(r.Language) > 0 {
		wishes["language"] = strings.Join(r.Language, ",")
	}
	if r.Format != "" {
		wishes["format"] = r.Format
	}
	if r.OmitTimestamp {
		wishes["includeTimestamp"] = false
	}
	if r.SendMetadata {
		wishes["sendMetadata"] = true
	}
	if r.Wait != nil {
		wishes["waitMs"] = r.Wait.Milliseconds()
	}
	if r.KeepMedia != 0 { // of a link, the service refuses it
		wishes["keepMediaSec"] = int64(r.KeepMedia / time.Second)
	}
	if r.RecordingOf != "" { // as KeepMedia
		wishes["recordingOf"] = r.RecordingOf
	}
	listeningWishes(r.Listening, wishes)
	return wishes
}

func listeningWishes(l transcript.Listening, wishes map[string]any) {
	if n, err := strconv.Atoi(l.AudioTrack); err == nil {
		wishes["audioTrack"] = n
	} else if l.AudioTrack != "" {
		wishes["audioTrack"] = l.AudioTrack
	}
	if l.Channels != "" {
		wishes["channels"] = l.Channels
	}
	switch {
	case l.Speakers > 0:
		wishes["speakers"] = int(l.Speakers)
	case l.Speakers != transcript.AutoSpeakers:
		wishes["speakers"] = l.Speakers.String()
	}
	if l.RequireWhole {
		wishes["requireWhole"] = true
	}
}
