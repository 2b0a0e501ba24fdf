package server

import (
	"context"
	"net/http"
	"regexp"
	"slices"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func (s *Server) libraryRoutes() []route {
	return slices.Concat(s.libraryListRoutes(), []route{
		{
			method: http.MethodGet, pattern: "/v1/library/transcripts/{platform}/{externalId}",
			operation: "getSavedTranscript", tag: "library",
			summary: "Read a saved transcript.",
			scope:   account.Transcripts, handle: s.getSavedTranscript,
			path: libraryPath(new(library.Key)), grammar: true, query: new(savedRead).query(),
			answers: []answer{
				{status: http.StatusOK, body: library.Saved{}, headers: []header{headerETag}},
				{status: http.StatusNotModified, headers: []header{headerETag}},
			},
			codes: []transcript.Code{transcript.InvalidRequest, transcript.NoTranscript, transcript.StateConflict},
		},
	}, s.libraryChangeRoutes())
}

// libraryPath is the path of the routes about a saved transcript. See
// [Server.libraryKey], which reads it.
func libraryPath(key *library.Key) request.Table {
	return request.Table{Fields: []*request.Field{
		request.New("platform", &key.Platform, request.Enum(transcript.Platforms())).Required().About("Where the content is."),
		request.New("externalId", &key.ExternalID, request.Text(1, maxExternalID)).Required().
			About("The platform's own id; of an upload what its transcript says."),
	}}
}

// languageOf is the language of a saved transcript, in a query.
func languageOf(key *library.Key) *request.Field {
	return request.New("language", &key.Language, request.Plain(1, maxTag))
}

// maxTag is how many characters the tag of a language has at most.
const maxTag = 200

// libraryKey reads what a path names. Where that is outside the grammar of the
// platform's ids, there is no such route.
func (s *Server) libraryKey(r *http.Request) (key library.Key, err error) {
	if !libraryPath(&key).ReadPath(r.PathValue) {
		return key, errUnknownRoute
	}
	if key.Platform == transcript.Upload {
		if !uploadID.MatchString(key.ExternalID) {
			return key, errUnknownRoute
		}
		return key, nil
	}
	if _, err := s.cfg.Sites.Content(key.Platform, key.ExternalID); err != nil {
		return key, errUnknownRoute
	}
	return key, nil
}

// uploadID is the grammar of the ids of uploads.
var uploadID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// savedRead is what GET /v1/library/transcripts/{platform}/{externalId} is asked for.
type savedRead struct {
	key     library.Key
	include library.Include
}

func (a *savedRead) query() request.Table {
	return request.Table{Fields: []*request.Field{
		languageOf(&a.key).About("The exact tag; without it, the newest."),
		request.New("include", &a.include, request.Enum([]library.Include{library.Words})).About("What is read beyond the usual."),
	}}
}

// getSavedTranscript is GET /v1/library/transcripts/{platform}/{externalId}.
func (s *Server) getSavedTranscript(w http.ResponseWriter, r *http.Request) error {
	var asked savedRead
	if err := asked.query().ReadQuery(r.URL.RawQuery); err != nil {
		return err
	}
	key, err := s.libraryKey(r)
	if err != nil {
		return err
	}
	key.Language = asked.key.Language
	saved, err := s.pipeline.Saved(r.Context(), principal(r).Account, key)
	if err != nil {
		return err
	}
	etag, err := savedTag(saved.Transcript, asked.include)
	if err != nil {
		return err
	}
	if unchanged(w, r, etag) {
		return nil
	}
	t, err := s.savedText(r.Context(), saved, asked.include)
	if err != nil {
		return err
	}
	if etag, err = savedTag(t, asked.include); err != nil { // it may have been made anew since
		return err
	}
	w.Header().Set("ETag", etag)
	body, err := wire.AppendTranscript(append(make([]byte, 0, len(t.SegmentsJSON)+2048), `{"transcript":`...), &t.Transcript, t.SegmentsJSON)
	if err != nil {
		return err
	}
	respond(w, http.StatusOK, append(body, `,"cached":true}`...))
	return nil
}

// savedText reads a text, with the words in its segments where they are asked for.
func (s *Server) savedText(ctx context.Context, saved *db.Saved, include library.Include) (*db.Transcript, error) {
	if include != library.Words {
		return s.pipeline.SavedText(ctx, saved)
	}
	t, err := s.pipeline.SavedTimedText(ctx, saved)
	if err != nil {
		return nil, err
	}
	t.SegmentsJSON, err = wire.WithWords(t.SegmentsJSON, t.WordsJSON)
	return t, err
}

// savedWriter changes with the form in which a saved transcript is written.
const savedWriter = 1

// savedTag is the ETag of a saved transcript.
func savedTag(t *db.Transcript, include library.Include) (string, error) {
	return tagOf(savedWriter, t.ID, t.UpdatedAt.UnixMicro(), include)
}
