package text

import (
	"bytes"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

// links are the pages of the text that a link shows.
type links struct{ *web.Site }

// show shows the text of a share link, to everyone who has the link.
func (p links) show(r *web.Request) error {
	t, err := p.textOf(r)
	if err != nil {
		return err
	}
	shown := reading{
		Transcript: *t, At: "/shared/" + url.PathEscape(r.PathValue("token")), How: provenanceOf(t), Paragraphs: r.FormValue("view") == "paragraphs",
	}
	shown.Text = textOf(t, p.Sites, shown.Paragraphs)
	return r.ShowBare(http.StatusOK, "shared", shown)
}

// copy sends the text of a share link as its page copies it.
func (p links) copy(r *web.Request) error {
	t, err := p.textOf(r)
	if err != nil {
		return err
	}
	writeCopy(r, t, copied(r.FormValue("as")))
	return nil
}

// download sends the text of a share link as a file.
func (p links) download(r *web.Request) error {
	as, read := library.DownloadFormat(r.FormValue("format")), p.API.Library.Shared
	if !slices.Contains(library.DownloadFormats(), as) {
		return r.Refuse(transcript.InvalidRequest, "shared.format")
	}
	if as == library.VTTWords {
		read = p.API.Library.SharedWithWords
	}
	shared, err := read(r.Context(), url.PathEscape(r.PathValue("token")))
	if err != nil {
		return err
	}
	t := shared.Transcript()
	file, err := fileOf(t, as, r.FormValue("times") != "", r.FormValue("speakers") != "")
	if err != nil {
		return err
	}
	r.W.Header().Set("Content-Type", as.MediaType())
	r.W.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": format.FileName(t) + "." + as.Extension()}))
	r.W.Header().Set("Cache-Control", "no-store")
	_, _ = r.W.Write(file) // a visitor who has gone needs no file
	return nil
}

// fileOf returns a text in a format.
func fileOf(t *transcript.Transcript, as library.DownloadFormat, times, speakers bool) ([]byte, error) {
	segments := t.Segments
	if speakers {
		segments = format.NameSpeakers(segments)
	}
	switch as {
	case library.TXT:
		return format.AppendText(nil, segments, times), nil
	case library.SRT:
		return format.AppendSRT(nil, segments), nil
	case library.VTT:
		return format.AppendVTT(nil, t.Segments), nil
	case library.VTTWords:
		return format.AppendWordVTT(nil, t.Segments), nil
	case library.Podcast:
		return format.AppendPodcast(nil, t.Segments), nil
	case library.LRC:
		return format.AppendLRC(nil, segments), nil
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

// ofLink wraps a page of a share link. It keeps search engines from every answer to the link. A
// link that shows no text any more gets a page that is the same for every reason.
func ofLink(answer web.Handler) web.Handler {
	return func(r *web.Request) error {
		r.W.Header().Set("X-Robots-Tag", "noindex")
		err := answer(r)
		if errors.Is(err, transcript.NotFound) {
			return r.ShowBare(http.StatusNotFound, "gone", nil)
		}
		return err
	}
}

// textOf reads the text of a share link.
func (p links) textOf(r *web.Request) (*transcript.Transcript, error) {
	shared, err := p.API.Library.Shared(r.Context(), url.PathEscape(r.PathValue("token")))
	if err != nil {
		return nil, err
	}
	return shared.Transcript(), nil
}
