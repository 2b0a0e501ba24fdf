package published

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/shares"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// sharedPath is the path of all shared texts.
const sharedPath = "/v1/shared/"

// OpenRoutes are the routes for everybody who has a link.
func (s *Shares) OpenRoutes() []edge.Route {
	return []edge.Route{{
		Method: http.MethodGet, Pattern: sharedPath + "{token}", Open: true, ByAddress: true,
		Operation: "getSharedTranscript", Tag: "library", Summary: "Read the transcript that a link shows.",
		Handle: s.readShared, Path: sharedTable(new(string)), Query: sharedQuery(new(library.Include)),
		Answers: resource.Tagged(edge.Answer{Status: http.StatusOK, Body: SharedTranscript{}}),
		Codes:   []transcript.Code{transcript.InvalidRequest, transcript.NotFound},
	}}
}

// SharedTranscript is the body of GET /v1/shared/{token}.
type SharedTranscript struct {
	Transcript library.SharedText `json:"transcript"` // the current text
}

// sharedTable is the path of a shared text.
func sharedTable(token *string) request.Table {
	return request.Table{Fields: []*request.Field{
		request.New("token", token, request.Text(1, maxToken)).Required().About("The secret part of the link."),
	}}
}

// sharedQuery is the query of a shared text.
func sharedQuery(include *library.Include) request.Table {
	return request.Table{Fields: []*request.Field{
		request.New("include", include, request.Enum([]library.Include{library.Words})).About("Further members of the answer."),
	}}
}

// readShared is GET /v1/shared/{token}.
func (s *Shares) readShared(w http.ResponseWriter, r *http.Request) error {
	var include library.Include
	if err := sharedQuery(&include).ReadQuery(r.URL.RawQuery); err != nil {
		return err
	}
	saved, err := s.at(w, r)
	if err != nil {
		return err
	}
	etag := resource.MadeOf(saved.TranscriptID, saved.ChangedAt, sharedWriter, string(include), saved.Mark())
	if edge.Unchanged(w, r, etag) {
		return nil
	}
	t, err := s.textOf(r, saved, include)
	if err != nil {
		return err
	}
	etag = resource.MadeOf(t.ID, t.ChangedAt, sharedWriter, string(include), saved.Mark()) // the text may have been made again since
	body, err := s.Recent.Remembered(etag, func() (*packed.Body, error) { return sharedBody(t, include) })
	if err != nil {
		return err
	}
	w.Header().Set("ETag", etag)
	return edge.RespondPacked(w, r, edge.JSONType, http.StatusOK, body)
}

// sharedWriter changes whenever the form of a shared transcript changes.
const sharedWriter = "shared2"

// errNoShare is the answer to every link that shows no text, for any reason.
func errNoShare() error {
	return transcript.Errorf(transcript.NotFound, "There is no text at this address.")
}

// shutOut reports whether an AccountChecker says that an account may not use the service. The
// addresses of the account then show nothing.
func shutOut(err error) bool {
	refusal, refused := edge.BusinessFailure(err)
	return errors.Is(err, account.ErrNotFound) || refused && refusal.HTTPStatus() < http.StatusInternalServerError
}

// at returns the text of the link in a request, if the account of the link may use the service.
// For any other token the error is NOT_FOUND.
func (s *Shares) at(w http.ResponseWriter, r *http.Request) (*db.Saved, error) {
	h := w.Header()
	h.Set("X-Robots-Tag", "noindex, nofollow")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox") // a browser may show the answer as a document of this origin
	var token string
	if !sharedTable(&token).ReadPath(r.PathValue) || !secretToken.MatchString(token) {
		return nil, errNoShare()
	}
	owner, saved, err := s.Links.At(r.Context(), token)
	if err == nil {
		err = s.Checker.CheckAccount(r.Context(), owner)
	}
	if errors.Is(err, shares.ErrNone) || shutOut(err) {
		return nil, errNoShare()
	}
	return saved, err
}

// textOf reads the text of a link.
func (s *Shares) textOf(r *http.Request, saved *db.Saved, include library.Include) (*db.Transcript, error) {
	read := s.Pipeline.Library.SavedText
	if include == library.Words {
		read = s.Pipeline.Library.SavedTimedText
	}
	t, err := read(r.Context(), saved)
	if errors.Is(err, transcript.NoTranscript) { // the text has just been deleted
		err = errNoShare()
	}
	return t, err
}

// sharedBody is the answer about a shared text.
func sharedBody(t *db.Transcript, include library.Include) (*packed.Body, error) {
	lines := t.SegmentsJSON
	if include == library.Words {
		var err error
		if lines, err = view.TimedSegments(t); err != nil {
			return nil, err
		}
	}
	return resource.Around(lines, func(dst, segments []byte) ([]byte, error) {
		shown := SharedTranscript{shownOf(t)}
		shown.Transcript.Segments = []transcript.Segment{} // around inserts the segments of the text
		return json.Marshal(shown)
	})
}

// shownOf returns the part of a text that a link shows, without its segments. The owner has
// chosen to show the text and its title. The origin of an upload, and how it was recognized,
// stay private.
func shownOf(t *db.Transcript) library.SharedText {
	shown := library.SharedText{
		Platform: t.Platform, Lang: t.Lang, Title: t.Title, Channel: t.Channel, CreatorName: t.CreatorName, CreatorHandle: t.CreatorHandle,
		CreatorURL: t.CreatorURL, DurationSec: t.DurationSec, PublishedAt: t.PublishedAt, Source: t.Source, UpdatedAt: t.UpdatedAt,
		Metadata: library.SharedMetadata{Chapters: t.Chapters()},
	}
	if t.Platform != transcript.Upload {
		shown.ExternalID, shown.SourceURL = t.ExternalID, t.SourceURL
	}
	return shown
}
