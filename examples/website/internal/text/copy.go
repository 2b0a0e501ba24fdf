package text

import (
	"io"
	"net/http"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

// copied is a form in which a text is copied.
type copied string

const (
	asLines      copied = "lines"      // a line for each line of the page
	asParagraphs copied = "paragraphs" // an empty line between two paragraphs
	asDialog     copied = "speakers"   // paragraphs with the names of those who speak
	asTimed      copied = "times"      // a line for each line of the page, with its time
)

// Copies returns the forms in which the page copies the text, the usual one first.
func (r reading) Copies() []copied {
	if r.Text.Speakers {
		return []copied{asParagraphs, asDialog, asLines, asTimed}
	}
	return []copied{asParagraphs, asLines, asTimed}
}

// copy sends a saved text as its page copies it.
func (p texts) copy(r *web.Request) error {
	saved, err := p.API.Library.Get(r.Context(), keyOf(r))
	if err != nil {
		return err
	}
	writeCopy(r, &saved.Transcript, copied(r.FormValue("as")))
	return nil
}

// writeCopy sends a text in a form. An unknown form counts as paragraphs.
func writeCopy(r *web.Request, t *transcript.Transcript, as copied) {
	r.W.Header().Set("Content-Type", "text/plain; charset=utf-8")
	r.W.Header().Set("Cache-Control", "no-store")
	_, _ = io.WriteString(r.W, copyOf(t, as)) // a visitor who has gone needs no text
}

func copyOf(t *transcript.Transcript, as copied) string {
	switch as {
	case asTimed:
		return string(format.AppendText(nil, t.Segments, true))
	case asLines:
		return inRows(t.Segments, "\n")
	case asDialog:
		return inRows(format.NameSpeakers(paragraphsOf(t)), "\n\n")
	}
	return inRows(paragraphsOf(t), "\n\n")
}

// inRows returns the texts of segments, each in one line.
func inRows(segments []transcript.Segment, between string) string {
	var all []byte
	for n := range segments {
		text := format.AppendText(nil, segments[n:n+1], false)
		if len(text) > 0 && len(all) > 0 {
			all = append(all, between...)
		}
		all = append(all, text...)
	}
	return string(all)
}

// download sends a saved text as a file in the format of a button. Checkboxes select times
// and speakers: a browser sends only the checked ones.
func (p texts) download(r *web.Request) error {
	var told client.Response
	file, err := p.API.Library.Download(r.Context(), keyOf(r), client.DownloadParams{
		Format: library.DownloadFormat(r.FormValue("format")), OmitTimestamps: r.FormValue("times") == "", Speakers: r.FormValue("speakers") != "",
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
