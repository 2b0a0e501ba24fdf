package page

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// reading is a saved text with all that its page shows.
type reading struct {
	transcript.Transcript
	Recognizer *transcript.Recognizer
	Cached     bool // nothing was done for whoever came here to see it
	Stale      bool // its time is over, and the platform could not be asked
	How        provenance
	Text       text
	Languages  []string       // in which the account has the same content, this one among them
	Known      bool           // a user looks at it
	Starred    bool           // of a user
	Related    []library.Item // what a user has of the same channel
}

// Here is the page's path.
func (r reading) Here() string {
	path, _, _ := strings.Cut(pathOf(r.Platform, r.ExternalID, ""), "?")
	return path
}

// Path and Language are where the API has the text, Name what it is called, and Back
// its page: see parts/star.html.
func (r reading) Path() string { return "/library" + r.Here() }

// Language is a query, see Path.
func (r reading) Language() string { return "?language=" + url.QueryEscape(r.Lang) }

// Name is for people, see Path.
func (r reading) Name() string { return cmp.Or(deref(r.Title), r.ExternalID) }

// Back is a path with its query, see Path.
func (r reading) Back() string { return r.Here() + r.Language() }

// TextLang is the language for screen readers and fonts; empty where nobody knows it.
func (r reading) TextLang() string {
	if r.Lang == "und" {
		return ""
	}
	return r.Lang
}

// By is who made the content, or the channel that it is on.
func (r reading) By() string {
	return cmp.Or(deref(r.Channel), deref(r.CreatorName), deref(r.CreatorHandle))
}

// Creator is the page of who made the content; empty where there is none on the web.
func (r reading) Creator() string { return webLink(deref(r.CreatorURL)) }

// Original is the content's own page; empty where there is none on the web.
func (r reading) Original() string { return webLink(deref(r.SourceURL)) }

// webLink is a link if it is one of the web; a platform may say what it likes.
func webLink(link string) string {
	if u, err := url.Parse(link); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return link
}

// transcript shows a saved text; one that is on its way, its job.
func (p *pages) transcript(w http.ResponseWriter, r *http.Request) error {
	key := keyOf(r)
	saved, err := p.api.Library.Get(r.Context(), key)
	if err != nil {
		if job := jobOf(err); job != "" {
			http.Redirect(w, r, "/jobs/"+url.PathEscape(job), http.StatusSeeOther)
			return nil
		}
		return err
	}
	t := saved.Transcript
	key.Language = t.Lang
	shown := reading{
		Transcript: t, Recognizer: saved.Recognizer, Cached: r.FormValue("as") != string(asNew) && saved.Cached, Stale: r.FormValue("as") == string(asStale),
		How: provenanceOf(&t), Text: textOf(&t, p.Sites), Known: visitor.From(r.Context()).Known(),
	}
	if shown.Known {
		if err := p.shelve(r.Context(), &shown, key); err != nil {
			return err
		}
	}
	return p.show(w, r, http.StatusOK, "transcript", shown)
}

// keyOf is the text that the path and the query of a request name.
func keyOf(r *http.Request) library.Key {
	return library.Key{
		Platform: transcript.Platform(r.PathValue("platform")), ExternalID: r.PathValue("externalId"), Language: r.FormValue("language"),
	}
}

// jobOf is the job that makes a text which is on its way, as the API's error tells.
func jobOf(err error) string {
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Code != transcript.StateConflict {
		return ""
	}
	job, _ := refused.Details["jobId"].(string)
	return job
}

// shelve finds out what a user's library has beside a text: its star, the same in other
// languages, and more of its channel.
func (p *pages) shelve(ctx context.Context, shown *reading, key library.Key) error {
	list, err := p.api.Library.List(ctx, library.Query{
		Platform: library.PlatformFilter(key.Platform), ExternalID: key.ExternalID, PageSize: 100,
	})
	if err != nil {
		return err
	}
	for _, item := range list.Transcripts {
		if item.Kind == library.KindTranscript {
			shown.Languages = append(shown.Languages, item.Lang)
			shown.Starred = shown.Starred || item.Starred && item.Lang == key.Language
		}
	}
	slices.Sort(shown.Languages)
	shown.Related, err = p.api.Library.Related(ctx, key, mostRelated)
	return err
}

const mostRelated = 6

// arrival is how somebody came to a text, in the query of its page.
type arrival string

const (
	asNew    arrival = "new"
	asCached arrival = "cached"
	asStale  arrival = "stale"
)

// resultPath is the page of a text that was asked for, which tells whether anything was
// done for it.
func resultPath(r *transcript.Result) string {
	as := asNew
	switch {
	case r.Stale:
		as = asStale
	case r.Cached:
		as = asCached
	}
	return transcriptPath(r.Transcript) + "&as=" + string(as)
}

// pathOf is the page of a text by its parts.
func pathOf(p transcript.Platform, externalID, language string) string {
	return "/transcripts/" + url.PathEscape(string(p)) + "/" + url.PathEscape(externalID) + "?language=" + url.QueryEscape(language)
}

// inLanguage asks for the same content in another language, and leads to the text or to
// the job that makes it.
func (p *pages) inLanguage(w http.ResponseWriter, r *http.Request) error {
	key, wait := keyOf(r), atMost
	language, err := transcript.ParseLanguageList(strings.TrimSpace(key.Language))
	if err != nil {
		return transcript.Errorf(transcript.InvalidRequest, "%s", p.strings.text("transcript.badLanguage"))
	}
	asked := make([]string, len(language))
	for n, entry := range language {
		asked[n] = entry.String()
	}
	result, job, err := p.api.Transcripts.Submit(r.Context(), transcript.Request{
		Source: transcript.ID(key.Platform, key.ExternalID), Language: asked, SendMetadata: true, Wait: &wait,
	})
	if err != nil {
		return err
	}
	if result != nil {
		http.Redirect(w, r, resultPath(result), http.StatusSeeOther)
		return nil
	}
	content, _ := p.Sites.Content(key.Platform, key.ExternalID) // without one it has no link
	http.Redirect(w, r, jobPath(job.JobID, content.URL, asked), http.StatusSeeOther)
	return nil
}

// deref is the text that a pointer leads to; none without one.
func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
