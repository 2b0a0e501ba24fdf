package saved

import (
	"context"
	"errors"
	"math"
	"net/http"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/corrections"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/labels"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func (l *Texts) editRoutes() []edge.Route {
	return []edge.Route{
		{
			Method: http.MethodPatch, Pattern: "/v1/library/transcripts/{platform}/{externalId}",
			Operation: "editTranscript", Tag: "library",
			Summary: "Change lines, names of speakers, the title and the tags of a saved transcript.",
			Scope:   account.Transcripts, Handle: l.editTranscript,
			Path: Path(new(library.Key)), Query: TextQuery(new(library.Key)), Header: ifMatchHeader(new(string)), Conditional: true,
			Body: editTable(new(library.Edit), new(library.Label)),
			Answers: []edge.Answer{
				{Status: http.StatusOK, Body: library.Saved{}, Headers: []edge.Header{edge.HeaderETag}},
				{Status: http.StatusNoContent},
			},
			Codes: []transcript.Code{transcript.InvalidRequest, transcript.NoTranscript, transcript.StateConflict},
		},
		l.importRoute(),
	}
}

// TextQuery is the query of the routes that change a text.
func TextQuery(key *library.Key) request.Table {
	return request.Table{Fields: []*request.Field{LanguageOf(key).About("The exact language tag. Without it, you get the newest transcript.")}}
}

// editTable is the table of the JSON body of an edit.
func editTable(e *library.Edit, l *library.Label) request.Table {
	segment := func(s *library.SegmentEdit) request.Table {
		return request.Table{Fields: []*request.Field{
			request.New("index", &s.Index, request.Integer(0, math.MaxInt32)).Required().About("The position of the line, from 0."),
			request.New("text", &s.Text, request.Optional(request.Text(1, corrections.MaxText))).About("The new text; without it, the text stays."),
			request.New("speaker", &s.Speaker, request.Optional(request.Text(0, corrections.MaxSpeaker))).
				About("The new speaker; empty: none; without it, the speaker stays."),
		}}
	}
	return request.Table{Name: "EditTranscriptRequest", Fields: []*request.Field{
		request.New("segments", &e.Segments, request.List(request.Object(segment), 0, corrections.MaxSegments)).About("The lines that change."),
		request.New("speakers", &e.Speakers, request.Texts(corrections.MaxSpeakers, corrections.MaxSpeaker)).
			About("New names of speakers, by their current names. An empty new name removes the current name."),
		request.New("title", &l.Title, request.Optional(request.Nullable(request.Text(1, labels.MaxTitle)))).
			About("Your title of the content, in all languages; null: back to the title that is known."),
		request.New("tags", &l.Tags, request.List(request.Text(1, labels.MaxTag), 0, labels.MaxTags)).
			About("The new tags of the content, in all languages."),
	}}
}

// editTranscript is PATCH /v1/library/transcripts/{platform}/{externalId}. A change of the title and
// the tags alone needs no If-Match.
func (l *Texts) editTranscript(w http.ResponseWriter, r *http.Request) error {
	if err := resource.CheckJSON(r); err != nil {
		return err
	}
	key, err := l.TextKey(r)
	if err != nil {
		return err
	}
	var e library.Edit
	var label library.Label
	if err := resource.ReadJSON(w, r, editTable(&e, &label)); err != nil {
		return err
	}
	if label, err = labels.Clean(label); err != nil {
		return err
	}
	owner := edge.Principal(r)
	if label.Title == nil && label.Tags == nil || e.Segments != nil || e.Speakers != nil {
		return l.editText(w, r, key, e, label)
	}
	if len(r.Header["If-Match"]) > 0 {
		expected, err := ifMatch(r)
		if err != nil {
			return err
		}
		if err := l.Pipeline.Corrections.Expect(r.Context(), owner.Account, key, expected); err != nil {
			return err
		}
	}
	if err := l.Pipeline.Library.Label(r.Context(), owner.Account, key, label); err != nil {
		return err
	}
	return l.respondLabeled(w, r, key)
}

// editText changes a text, and then its label.
func (l *Texts) editText(w http.ResponseWriter, r *http.Request, key library.Key, e library.Edit, label library.Label) error {
	owner, ctx := edge.Principal(r), context.WithoutCancel(r.Context())
	expected, err := ifMatch(r)
	if err != nil {
		return err
	}
	if _, err := l.Pipeline.Library.Saved(ctx, owner.Account, key); err != nil {
		return err
	}
	text, err := l.Pipeline.Corrections.Edit(ctx, owner, key, expected, e)
	if err != nil {
		return err
	}
	if label.Title != nil || label.Tags != nil {
		if err := l.Pipeline.Library.Label(ctx, owner.Account, key, label); err != nil {
			return err
		}
	}
	return l.respondText(w, r, http.StatusOK, text)
}

// respondLabeled answers a change of the title and the tags alone: with the text, or with nothing while
// there is no text.
func (l *Texts) respondLabeled(w http.ResponseWriter, r *http.Request, key library.Key) error {
	owner := edge.Principal(r).Account
	saved, err := l.Pipeline.Library.Saved(r.Context(), owner, key)
	if errors.Is(err, transcript.StateConflict) || errors.Is(err, transcript.NoTranscript) {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	if err != nil {
		return err
	}
	media, err := l.Pipeline.Library.Media(r.Context(), owner, key.Platform, key.ExternalID)
	if err != nil {
		return err
	}
	body, etag, err := l.readSaved(r.Context(), owner, key, saved, "", media)
	if err != nil {
		return err
	}
	w.Header().Set("ETag", etag)
	return edge.RespondPacked(w, r, edge.JSONType, http.StatusOK, body)
}

// TextKey returns the key of a route that changes a text.
func (l *Texts) TextKey(r *http.Request) (library.Key, error) {
	var asked library.Key
	if err := TextQuery(&asked).ReadQuery(r.URL.RawQuery); err != nil {
		return asked, err
	}
	key, err := l.libraryKey(r)
	key.Language = asked.Language
	return key, err
}

// respondText answers with a text as a read of the library does.
func (l *Texts) respondText(w http.ResponseWriter, r *http.Request, status int, text *corrections.Text) error {
	media, err := l.Pipeline.Library.Media(r.Context(), edge.Principal(r).Account, text.Platform, text.ExternalID)
	if err != nil {
		return err
	}
	label, err := l.entitle(r, text)
	if err != nil {
		return err
	}
	text.Media = media
	body, err := savedBody(text.Transcript, text.SegmentsJSON, text.Revision)
	if err != nil {
		return err
	}
	w.Header().Set("ETag", savedTag(&db.Saved{Revision: text.Revision, Label: label}, text.ID, text.ChangedAt, "", media))
	return edge.RespondPacked(w, r, edge.JSONType, status, body)
}

// entitle gives a text that was read for a change its title and its tags.
func (l *Texts) entitle(r *http.Request, text *corrections.Text) (labels.Label, error) {
	key := library.Key{Platform: text.Platform, ExternalID: text.ExternalID, Language: text.Lang}
	saved, err := l.Pipeline.Library.Saved(r.Context(), edge.Principal(r).Account, key)
	if err != nil {
		return labels.Label{}, err
	}
	view.Entitle(text.Transcript, saved.Label)
	return saved.Label, nil
}
