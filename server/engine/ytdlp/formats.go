package ytdlp

import (
	"encoding/json"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// format is one of the formats of a content.
type format struct {
	Protocol   text `json:"protocol"`
	AudioCodec text `json:"acodec"` // "none": no sound; empty if not known
	VideoCodec text `json:"vcodec"`
}

// UnmarshalJSON reads a value that is not an object as an unknown format.
func (f *format) UnmarshalJSON(data []byte) error {
	type plain format
	var p plain
	if json.Unmarshal(data, &p) == nil {
		*f = format(p)
	}
	return nil
}

// still reports whether a format consists of single pictures: previews of a recording. They are
// listed even if the recording itself is withheld.
func (f format) still() bool {
	return f.Protocol == "mhtml" || f.AudioCodec == "none" && f.VideoCodec == "none"
}

// playable returns an error if there is nothing to play. The program has given the reason as a
// warning. A content is not hidden if its formats merely cannot be fetched through the guard.
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

// audible returns an error if there is no sound. A content is known to be silent only if the
// program reports nothing that it left out.
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

// hides reports whether a code concerns the whole content, captions included. Other codes
// concern only the media, or the connection.
func hides(code transcript.Code) bool {
	return code != transcript.UpstreamFailed && code != transcript.ConfigError && code != transcript.POTokenRequired
}
