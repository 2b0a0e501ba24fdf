package text

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// reading is a saved text with everything that its page shows.
type reading struct {
	transcript.Transcript
	At         string // the path of the page; empty: that of the user's own text
	Recognizer *transcript.Recognizer
	Cached     bool // the text was already there when the visitor requested it
	Stale      bool // the cached text is too old, and the platform could not be asked
	How        provenance
	Text       text
	Languages  []string       // in which the account has the same content, including this one
	Recording  recording      // empty: none is kept
	Adding     *web.Keeping   // for how long a recording that is added is kept; nil: none can be added
	Passed     *web.Passed    // what was passed over in the pasted text; nil: nothing
	Lines      bool           // whether each line is shown in a row of its own
	Known      bool           // whether the visitor is a user
	Account    string         // of the visitor
	Starred    bool           // whether the user has starred it
	Related    []library.Item // the user's other texts of the same channel
}

// Here returns the page's path.
func (r reading) Here() string {
	if r.At != "" {
		return r.At
	}
	path, _, _ := strings.Cut(web.TextPath(r.Platform, r.ExternalID, ""), "?")
	return path
}

// Path returns the text's path in the API. Path, Language, Name and Back are the fields that
// parts/star.html needs.
func (r reading) Path() string { return "/library" + r.Here() }

// Language returns the query with the text's language; see Path.
func (r reading) Language() string { return "?language=" + url.QueryEscape(r.Lang) }

// Name returns the name for people; see Path.
func (r reading) Name() string { return web.FirstOf(r.Title, &r.ExternalID) }

// Back returns the text's page; see Path.
func (r reading) Back() string { return r.Here() + r.Language() }

// TextLang returns the language for screen readers and fonts; empty if not known.
func (r reading) TextLang() string {
	if r.Lang == "und" {
		return ""
	}
	return r.Lang
}

// By returns the creator of the content, or its channel.
func (r reading) By() string { return web.FirstOf(r.Channel, r.CreatorName, r.CreatorHandle) }

// Creator returns the creator's page; empty if there is none on the web.
func (r reading) Creator() string { return webLink(web.FirstOf(r.CreatorURL)) }

// Original returns the content's own page; empty if there is none on the web.
func (r reading) Original() string { return webLink(web.FirstOf(r.SourceURL)) }

// webLink returns link if it is an http or https link, because a platform can send anything.
func webLink(link string) string {
	if u, err := url.Parse(link); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return link
}

// texts are the pages that show and send a text.
type texts struct{ *web.Site }

// show shows a saved text. If the text is still in progress, it redirects to the job.
func (p texts) show(r *web.Request) error {
	key := keyOf(r)
	saved, err := p.API.Library.Get(r.Context(), key)
	if err != nil {
		if job := jobOf(err); job != "" {
			return r.Redirect("/jobs/" + url.PathEscape(job))
		}
		return err
	}
	t := saved.Transcript
	key.Language = t.Lang
	shown := reading{
		Transcript: t, Recognizer: saved.Recognizer, Cached: r.FormValue("as") != web.AsNew && saved.Cached, Stale: r.FormValue("as") == web.AsStale,
		How: provenanceOf(&t), Lines: r.FormValue("view") == "lines", Known: r.Visitor().Known(), Account: r.Visitor().Account, Passed: web.PassedOver(r),
	}
	shown.Text = textOf(&t, p.Sites)
	if shown.Known {
		if err := p.shelve(r.Context(), &shown, key); err != nil {
			return err
		}
		shown.Recording, shown.Adding = recordingOf(&t), p.addingTo(r.Context(), &t)
	}
	return r.Show(http.StatusOK, "transcript", shown)
}

// keyOf returns the text that the request's path and query name.
func keyOf(r *web.Request) library.Key {
	return library.Key{
		Platform: transcript.Platform(r.PathValue("platform")), ExternalID: r.PathValue("externalId"), Language: r.FormValue("language"),
	}
}

// jobOf returns the job of a text that is in progress, from the API's error.
func jobOf(err error) string {
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Code != transcript.StateConflict {
		return ""
	}
	job, _ := refused.Details["jobId"].(string)
	return job
}

// shelve reads related rows of a user's library: the text's star, the same content in other
// languages, and other texts of the channel.
func (p texts) shelve(ctx context.Context, shown *reading, key library.Key) error {
	list, err := p.API.Library.List(ctx, library.Query{
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
	shown.Related, err = p.API.Library.Related(ctx, key, mostRelated)
	return err
}

const mostRelated = 6

// provenance is the part of a text's metadata about its making. A value of another type counts
// as missing.
type provenance struct {
	TrackKind   transcript.TrackKind
	TrackName   string
	LostCues    int
	Prompted    bool
	Recognizers []recognizer // if several took part
	Tried       []tried
	Gaps        int
}

type recognizer struct{ Engine, Model, Quality, Language string }

type tried struct {
	Source transcript.Origin
	Code   transcript.Code
	Reason string
}

func provenanceOf(t *transcript.Transcript) provenance {
	var p provenance
	for member, value := range t.Metadata {
		into := map[string]any{
			"trackKind": &p.TrackKind, "trackName": &p.TrackName, "lostCues": &p.LostCues, "prompted": &p.Prompted,
			"recognizers": &p.Recognizers, "tried": &p.Tried,
		}[member]
		if told, err := json.Marshal(value); into != nil && err == nil {
			_ = json.Unmarshal(told, into) // see provenance
		}
	}
	p.Gaps = len(gapsOf(t))
	return p
}
