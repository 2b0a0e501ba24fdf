package page

import (
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

// shared shows the text of a share link, to everyone who has the link.
func (p *pages) shared(w http.ResponseWriter, r *http.Request) error {
	t, err := p.sharedText(w, r)
	if err != nil {
		return err
	}
	shown := reading{
		Transcript: *t, At: "/shared/" + url.PathEscape(r.PathValue("token")), How: provenanceOf(t), Paragraphs: r.FormValue("view") == "paragraphs",
	}
	shown.Text = textOf(t, p.Sites, shown.Paragraphs)
	return p.showBare(w, r, "shared", shown)
}

// copyShared sends the text of a share link as its page copies it.
func (p *pages) copyShared(w http.ResponseWriter, r *http.Request) error {
	t, err := p.sharedText(w, r)
	if err != nil {
		return err
	}
	writeCopy(w, t, copied(r.FormValue("as")))
	return nil
}

// downloadShared sends the text of a share link as a file.
func (p *pages) downloadShared(w http.ResponseWriter, r *http.Request) error {
	t, err := p.sharedText(w, r)
	if err != nil {
		return err
	}
	as := library.DownloadFormat(r.FormValue("format"))
	if !slices.Contains(library.DownloadFormats(), as) {
		return transcript.Errorf(transcript.InvalidRequest, "%s", p.strings.text("shared.format"))
	}
	file, err := fileOf(t, as, r.FormValue("times") != "", r.FormValue("speakers") != "")
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": format.FileName(t) + "." + string(as)}))
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(file) // a visitor who has gone needs no file
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
	case library.MD:
		return format.AppendMarkdown(nil, t, times), nil
	}
	return format.AppendJSON(nil, t)
}

// sharedText reads the text of a share link. It keeps search engines from every answer to the
// link.
func (p *pages) sharedText(w http.ResponseWriter, r *http.Request) (*transcript.Transcript, error) {
	w.Header().Set("X-Robots-Tag", "noindex")
	answer, err := p.ask(r.Context(), http.MethodGet, "/v1/shared/"+url.PathEscape(r.PathValue("token")))
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	switch answer.StatusCode {
	case http.StatusOK:
	case http.StatusTooManyRequests:
		wait, _ := strconv.Atoi(answer.Header.Get("Retry-After")) // without one the visitor is told no time
		return nil, &transcript.Error{Code: transcript.RateLimited, RetryAfter: wait}
	case http.StatusBadRequest, http.StatusNotFound, http.StatusGone:
		return nil, transcript.Errorf(transcript.NotFound, "%s", p.strings.text("shared.gone"))
	default:
		return nil, fmt.Errorf("the API answers a share link with status %d", answer.StatusCode)
	}
	var shared struct{ Transcript transcript.Transcript }
	if err := json.NewDecoder(answer.Body).Decode(&shared); err != nil {
		return nil, fmt.Errorf("reading the text of a share link: %w", err)
	}
	return &shared.Transcript, nil
}

// ask asks the API as the visitor in the context. The caller closes the body.
func (p *pages) ask(ctx context.Context, method, path string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://website"+path, nil)
	if err != nil {
		return nil, err
	}
	return direct{p.API}.RoundTrip(r)
}
