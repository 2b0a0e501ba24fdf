package transcribe

import (
	"encoding/json"
	"io"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

// render writes a text in the requested format.
func (cmd *command) render(to io.Writer, t *transcript.Transcript) error {
	segments := t.Segments
	if cmd.namesSpeakers() {
		segments = format.NameSpeakers(segments)
	}
	switch cmd.Format {
	case "json":
		return writeJSON(to, t)
	case "srt":
		return format.WriteSRT(to, segments)
	case "vtt":
		return format.WriteVTT(to, t.Segments)
	case "md":
		return format.WriteMarkdown(to, t, cmd.Timestamps)
	case "docx":
		return format.WriteDOCX(to, t, cmd.Timestamps)
	case "html":
		_, err := to.Write(format.AppendHTML(nil, t, cmd.Timestamps))
		return err
	}
	text := format.AppendText(nil, segments, cmd.Timestamps)
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	_, err := to.Write(text)
	return err
}

func writeJSON(to io.Writer, value any) error {
	out := json.NewEncoder(to)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(value)
}
