package saved

import (
	"context"
	"math"
	"net/http"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func (l *Texts) revisionRoutes() []edge.Route {
	const pattern = "/v1/library/transcripts/{platform}/{externalId}/revisions"
	text := []edge.Answer{{Status: http.StatusOK, Body: library.Saved{}, Headers: []edge.Header{edge.HeaderETag}}}
	return []edge.Route{
		{
			Method: http.MethodGet, Pattern: pattern,
			Operation: "listRevisions", Tag: "library",
			Summary: "List the revisions of a saved transcript, newest first.",
			Scope:   account.Transcripts, Handle: l.listRevisions,
			Path: Path(new(library.Key)), Query: TextQuery(new(library.Key)),
			Answers: []edge.Answer{{Status: http.StatusOK, Body: RevisionList{}}},
			Codes:   []transcript.Code{transcript.InvalidRequest, transcript.NoTranscript},
		},
		{
			Method: http.MethodGet, Pattern: pattern + "/{revision}",
			Operation: "getRevision", Tag: "library",
			Summary: "Read a revision of a saved transcript.",
			Scope:   account.Transcripts, Handle: l.getRevision,
			Path: revisionPath(new(library.Key), new(int)), Query: TextQuery(new(library.Key)),
			Answers: []edge.Answer{{Status: http.StatusOK, Body: library.Saved{}}},
			Codes:   []transcript.Code{transcript.InvalidRequest, transcript.NoTranscript, transcript.NotFound},
		},
		{
			Method: http.MethodPost, Pattern: pattern + "/{revision}/restore",
			Operation: "restoreRevision", Tag: "library",
			Summary: "Restore a revision of a saved transcript.",
			Scope:   account.Transcripts, Handle: l.restoreRevision,
			Path: revisionPath(new(library.Key), new(int)), Query: TextQuery(new(library.Key)),
			Header: ifMatchHeader(new(string)), Conditional: true,
			Answers: text,
			Codes:   []transcript.Code{transcript.InvalidRequest, transcript.NoTranscript, transcript.NotFound},
		},
	}
}

// RevisionList is the history of a saved transcript.
type RevisionList struct {
	Revisions []library.Revision `json:"revisions"` // the first revision and the last 50, newest first
}

// revisionPath is the path of the routes about a revision.
func revisionPath(key *library.Key, number *int) request.Table {
	path := Path(key)
	path.Fields = append(path.Fields, request.New("revision", number, request.Integer(1, math.MaxInt32)).Required().About("The number of the revision."))
	return path
}

// listRevisions is GET /v1/library/transcripts/{platform}/{externalId}/revisions.
func (l *Texts) listRevisions(w http.ResponseWriter, r *http.Request) error {
	key, err := l.TextKey(r)
	if err != nil {
		return err
	}
	all, err := l.Pipeline.Corrections.Revisions(r.Context(), edge.Principal(r).Account, key)
	return resource.Respond(w, RevisionList{all}, err)
}

// revisionKey is the key in a path with the number of a revision. Revisions are numbered from
// 1.
func (l *Texts) revisionKey(r *http.Request) (key library.Key, number int, err error) {
	if key, err = l.TextKey(r); err != nil {
		return key, 0, err
	}
	if !revisionPath(new(library.Key), &number).ReadPath(r.PathValue) {
		return key, 0, transcript.Errorf(transcript.NotFound, "There is no such revision.")
	}
	return key, number, nil
}

// getRevision is GET /v1/library/transcripts/{platform}/{externalId}/revisions/{revision}.
func (l *Texts) getRevision(w http.ResponseWriter, r *http.Request) error {
	key, number, err := l.revisionKey(r)
	if err != nil {
		return err
	}
	text, err := l.Pipeline.Corrections.Revision(r.Context(), edge.Principal(r).Account, key, number)
	if err != nil {
		return err
	}
	if _, err := l.entitle(r, text); err != nil {
		return err
	}
	body, err := savedBody(text.Transcript, text.SegmentsJSON, text.Revision)
	if err != nil {
		return err
	}
	return edge.RespondPacked(w, r, edge.JSONType, http.StatusOK, body)
}

// restoreRevision is POST /v1/library/transcripts/{platform}/{externalId}/revisions/{revision}/restore.
func (l *Texts) restoreRevision(w http.ResponseWriter, r *http.Request) error {
	if err := edge.CheckOptionalType(r); err != nil {
		return err
	}
	key, number, err := l.revisionKey(r)
	if err != nil {
		return err
	}
	expected, err := ifMatch(r)
	if err != nil {
		return err
	}
	if err := edge.ReadEmpty(w, r); err != nil {
		return err
	}
	text, err := l.Pipeline.Corrections.Restore(context.WithoutCancel(r.Context()), edge.Principal(r), key, expected, number)
	if err != nil {
		return err
	}
	return l.respondText(w, r, http.StatusOK, text)
}
