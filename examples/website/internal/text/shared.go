package text

import (
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
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
		Transcript: *t, At: "/shared/" + url.PathEscape(r.PathValue("token")), How: provenanceOf(t), Lines: r.FormValue("view") == "lines",
	}
	shown.Text = textOf(t, p.Sites)
	return r.ShowBare(http.StatusOK, "shared", shown)
}

// download sends the text of a share link as a file.
func (p links) download(r *web.Request) error {
	as, read := library.DownloadFormat(r.FormValue("format")), p.API.Library.Shared
	if !slices.Contains(append(reading{}.Formats(), library.TXT), as) {
		return r.Refuse(transcript.InvalidRequest, "shared.format")
	}
	if as == library.VTTWords {
		read = p.API.Library.SharedWithWords
	}
	shared, err := read(r.Context(), url.PathEscape(r.PathValue("token")))
	if err != nil {
		return err
	}
	return writeFile(r, shared.Transcript(), as)
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
