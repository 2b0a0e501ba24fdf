package saved

import (
	"context"
	"math"
	"net/http"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/corrections"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func (l *Texts) editRoutes() []edge.Route {
	return []edge.Route{
		{
			Method: http.MethodPatch, Pattern: "/v1/library/transcripts/{platform}/{externalId}",
			Operation: "editTranscript", Tag: "library",
			Summary: "Correct lines and names of speakers in a saved transcript.",
			Scope:   account.Transcripts, Handle: l.editTranscript,
			Path: Path(new(library.Key)), Query: TextQuery(new(library.Key)), Header: ifMatchHeader(new(string)), Conditional: true,
			Body:    editTable(new(library.Edit)),
			Answers: []edge.Answer{{Status: http.StatusOK, Body: library.Saved{}, Headers: []edge.Header{edge.HeaderETag}}},
			Codes:   []transcript.Code{transcript.InvalidRequest, transcript.NoTranscript, transcript.StateConflict},
		},
		l.importRoute(),
	}
}

// TextQuery is the query of the routes that change a text.
func TextQuery(key *library.Key) request.Table {
	return request.Table{Fields: []*request.Field{LanguageOf(key).About("The exact language tag. Without it, you get the newest transcript.")}}
}

// editTable is the table of the JSON body of an edit.
func editTable(e *library.Edit) request.Table {
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
	}}
}

// editTranscript is PATCH /v1/library/transcripts/{platform}/{externalId}.
func (l *Texts) editTranscript(w http.ResponseWriter, r *http.Request) error {
	if err := resource.CheckJSON(r); err != nil {
		return err
	}
	key, err := l.TextKey(r)
	if err != nil {
		return err
	}
	expected, err := ifMatch(r)
	if err != nil {
		return err
	}
	var e library.Edit
	if err := resource.ReadJSON(w, r, editTable(&e)); err != nil {
		return err
	}
	owner := edge.Principal(r)
	if _, err := l.Pipeline.Library.Saved(r.Context(), owner.Account, key); err != nil {
		return err
	}
	text, err := l.Pipeline.Corrections.Edit(context.WithoutCancel(r.Context()), owner, key, expected, e)
	if err != nil {
		return err
	}
	return l.respondText(w, r, http.StatusOK, text)
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
	text.Media = media
	body, err := savedBody(text.Transcript, text.SegmentsJSON, text.Revision)
	if err != nil {
		return err
	}
	w.Header().Set("ETag", savedTag(text.Revision, text.ID, text.ChangedAt, "", media))
	return edge.RespondPacked(w, r, edge.JSONType, status, body)
}
