package export

import (
	"io"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

// texts writes all texts as one, each under its title and link.
type texts struct {
	w          io.Writer
	timestamps bool
	buf        []byte
	begun      bool
}

func (x *texts) begin() error { return nil }
func (x *texts) end() error   { return nil }

func (x *texts) add(e Entry) error {
	t := e.Transcript
	if t == nil {
		return nil
	}
	x.buf = x.buf[:0]
	if x.begun {
		x.buf = append(x.buf, "\n\n---\n\n"...)
	}
	x.begun = true
	title := t.ExternalID
	if t.Title != nil && *t.Title != "" {
		title = *t.Title
	}
	x.buf = appendLine(append(x.buf, "# "...), title)
	x.buf = append(x.buf, '\n')
	if t.SourceURL != nil {
		x.buf = append(appendLine(x.buf, *t.SourceURL), '\n')
	}
	x.buf = format.AppendText(append(x.buf, '\n'), t.Segments, x.timestamps)
	_, err := x.w.Write(x.buf)
	return err
}

// appendLine appends s on one line, without control characters that would change a
// terminal.
func appendLine(dst []byte, s string) []byte {
	return format.AppendText(dst, []transcript.Segment{{Text: s}}, false)
}

// single writes the only text as a file of subtitles.
type single struct {
	w      io.Writer
	format batch.ExportFormat
}

func (s *single) begin() error { return nil }
func (s *single) end() error   { return nil }

func (s *single) add(e Entry) error {
	if e.Transcript == nil {
		return nil
	}
	if s.format == batch.SRT {
		return format.WriteSRT(s.w, e.Transcript.Segments)
	}
	return format.WriteVTT(s.w, e.Transcript.Segments)
}
