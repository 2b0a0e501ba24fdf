package ytdlp

import (
	"encoding/json"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// format is one of the forms in which a content can be had.
type format struct {
	Protocol   text `json:"protocol"`
	AudioCodec text `json:"acodec"` // "none": there is no sound; empty: it is not known
	VideoCodec text `json:"vcodec"`
}

// UnmarshalJSON takes what is no object for a format of which nothing is known.
func (f *format) UnmarshalJSON(data []byte) error {
	type plain format
	var p plain
	if json.Unmarshal(data, &p) == nil {
		*f = format(p)
	}
	return nil
}

// still reports whether a format is made of single pictures: previews of a recording.
// They are listed also when the recording itself is withheld.
func (f format) still() bool {
	return f.Protocol == "mhtml" || f.AudioCodec == "none" && f.VideoCodec == "none"
}

// playable returns as an error why there is nothing to play. The program has said
// why, as a warning. Nothing hides a content whose formats merely are not to be had
// through the guard.
func (m *media) playable() error {
	if m.FormatID != "" {
		return nil
	}
	if e, ok := reason(m.content, m.exit); ok {
		return e
	}
	for _, f := range m.Formats {
		if !f.still() {
			return nil
		}
	}
	return m.fault()
}

func (m *media) fault() *transcript.Error { return fault(m.content, m.exit) }

// audible returns an error if there is nothing to hear. That a content has no
// sound is proven only where the program complains of nothing that it had to leave
// out.
func (m *media) audible() error {
	err := m.playable()
	silent := m.AudioCodec == "none" && m.VideoCodec != "none"
	if err != nil || m.FormatID != "" && !silent {
		return err
	}
	if e, ok := reason(m.content, m.exit); ok {
		return e
	}
	return unavailable("The content has no sound that can be downloaded.").Because(because(lastComplaint(m.exit.Stderr)))
}

// hides reports whether a code is about the whole content, its captions included.
// Other codes are about the media alone, or the way to it.
func hides(code transcript.Code) bool {
	return code != transcript.UpstreamFailed && code != transcript.ConfigError && code != transcript.POTokenRequired
}
