package text

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"slices"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

// Formats that the pages add to those of the API, for people who read and copy the text.
const (
	asParagraphs library.DownloadFormat = "paragraphs" // an empty line between two paragraphs
	asLines      library.DownloadFormat = "lines"      // a row for each line of the text
)

// Formats returns the formats in which the page hands on its text, the usual one first.
func (reading) Formats() []library.DownloadFormat {
	files := slices.DeleteFunc(library.DownloadFormats(), func(f library.DownloadFormat) bool { return f == library.TXT })
	return append([]library.DownloadFormat{asParagraphs, asLines}, files...)
}

// download sends a saved text as a file in a format. Checkboxes select times and speakers: a
// browser sends only the checked ones.
func (p texts) download(r *web.Request) error {
	as := library.DownloadFormat(r.FormValue("format"))
	if as == asParagraphs || as == asLines {
		saved, err := p.API.Library.Get(r.Context(), keyOf(r))
		if err != nil {
			return err
		}
		return writeFile(r, &saved.Transcript, as)
	}
	var told client.Response
	file, err := p.API.Library.Download(r.Context(), keyOf(r), client.DownloadParams{
		Format: as, OmitTimestamps: r.FormValue("times") == "", Speakers: r.FormValue("speakers") != "",
	}, client.WithResponse(&told))
	if err != nil {
		return err
	}
	defer file.Close()
	for _, name := range []string{"Content-Type", "Content-Disposition"} {
		r.W.Header().Set(name, told.Header.Get(name))
	}
	r.W.Header().Set("Cache-Control", "no-store")
	if _, err := io.Copy(r.W, file); err != nil {
		panic(http.ErrAbortHandler) // a truncated file must not look complete
	}
	return nil
}

// writeFile sends a text as a file in a format.
func writeFile(r *web.Request, t *transcript.Transcript, as library.DownloadFormat) error {
	file, err := fileOf(t, as, r.FormValue("times") != "", r.FormValue("speakers") != "")
	if err != nil {
		return err
	}
	kind := as
	if as == asParagraphs || as == asLines {
		kind = library.TXT
	}
	r.W.Header().Set("Content-Type", kind.MediaType())
	r.W.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": format.FileName(t) + "." + kind.Extension()}))
	r.W.Header().Set("Cache-Control", "no-store")
	_, _ = r.W.Write(file) // a visitor who has gone needs no file
	return nil
}

// fileOf returns a text in a format.
func fileOf(t *transcript.Transcript, as library.DownloadFormat, times, speakers bool) ([]byte, error) {
	named := func(segments []transcript.Segment) []transcript.Segment {
		if speakers {
			return format.NameSpeakers(segments)
		}
		return segments
	}
	switch as {
	case asParagraphs:
		return inRows(named(paragraphsOf(t)), "\n\n", times), nil
	case asLines:
		return inRows(named(t.Segments), "\n", times), nil
	case library.TXT:
		return format.AppendText(nil, named(t.Segments), times), nil
	case library.SRT:
		return format.AppendSRT(nil, named(t.Segments)), nil
	case library.VTT:
		return format.AppendVTT(nil, t.Segments), nil
	case library.VTTWords:
		return format.AppendWordVTT(nil, t.Segments), nil
	case library.Podcast:
		return format.AppendPodcast(nil, t.Segments), nil
	case library.LRC:
		return format.AppendLRC(nil, named(t.Segments)), nil
	case library.MD:
		return format.AppendMarkdown(nil, t, times), nil
	case library.HTML:
		return format.AppendHTML(nil, t, times), nil
	case library.DOCX:
		var file bytes.Buffer
		err := format.WriteDOCX(&file, t, times)
		return file.Bytes(), err
	}
	return format.AppendJSON(nil, t)
}

// inRows returns the texts of segments, each in one line.
func inRows(segments []transcript.Segment, between string, times bool) (all []byte) {
	for n := range segments {
		text := format.AppendText(nil, segments[n:n+1], times)
		if len(text) > 0 && len(all) > 0 {
			all = append(all, between...)
		}
		all = append(all, text...)
	}
	return all
}
