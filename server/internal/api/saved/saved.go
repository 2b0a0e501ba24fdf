// Package saved has the routes of the library of an account: its saved texts, their corrections, files,
// pieces and recordings, and the search in them.
package saved

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Texts shows and changes the library of an account.
type Texts struct{ *resource.Shared }

// Routes are the routes of the saved transcripts of an account.
func (l *Texts) Routes() []edge.Route {
	return slices.Concat(l.libraryListRoutes(), []edge.Route{
		{
			Method: http.MethodGet, Pattern: "/v1/library/transcripts/{platform}/{externalId}",
			Operation: "getSavedTranscript", Tag: "library",
			Summary: "Read a saved transcript.",
			Scope:   account.Transcripts, Handle: l.getSavedTranscript,
			Path: Path(new(library.Key)), Query: new(savedRead).query(),
			Answers: resource.Tagged(edge.Answer{Status: http.StatusOK, Body: library.Saved{}}),
			Codes:   []transcript.Code{transcript.InvalidRequest, transcript.NoTranscript, transcript.StateConflict},
		},
	}, l.libraryChangeRoutes(), l.editRoutes(), l.revisionRoutes(), []edge.Route{l.chunksRoute(), l.searchRoute(), l.downloadRoute()})
}

// Path is the path of the routes about a saved transcript.
func Path(key *library.Key) request.Table {
	return request.Table{Fields: []*request.Field{
		request.New("platform", &key.Platform, request.Enum(transcript.Platforms())).Required().About("Where the content is."),
		request.New("externalId", &key.ExternalID, request.Text(1, resource.MaxExternalID)).Required().
			About("The platform's id. For an upload, the `externalId` of its transcript."),
	}}
}

// LanguageOf is the language of a saved transcript, in a query.
func LanguageOf(key *library.Key) *request.Field {
	return request.New("language", &key.Language, request.Plain(1, maxTag))
}

// maxTag is how many characters the tag of a language has at most.
const maxTag = 200

// libraryKey reads the key in a path. If the id is not valid for the platform, the route
// does not exist.
func (l *Texts) libraryKey(r *http.Request) (key library.Key, err error) {
	if !Path(&key).ReadPath(r.PathValue) {
		return key, edge.ErrUnknownRoute
	}
	if l.checkKey(key) != nil {
		return key, edge.ErrUnknownRoute
	}
	return key, nil
}

// checkKey checks the id of a key against the grammar of the platform.
func (l *Texts) checkKey(key library.Key) error {
	if key.Platform == transcript.Upload {
		if !resource.UploadID.MatchString(key.ExternalID) {
			return errors.New("server: it is no id of an upload")
		}
		return nil
	}
	_, err := l.Sites.Content(key.Platform, key.ExternalID)
	return err
}

// savedRead is the request of GET /v1/library/transcripts/{platform}/{externalId}.
type savedRead struct {
	key     library.Key
	include library.Include
}

func (a *savedRead) query() request.Table {
	return request.Table{Fields: []*request.Field{
		LanguageOf(&a.key).About("The exact language tag. Without it, you get the newest transcript."),
		request.New("include", &a.include, request.Enum([]library.Include{library.Words})).About("Further members of the answer."),
	}}
}

// getSavedTranscript is GET /v1/library/transcripts/{platform}/{externalId}.
func (l *Texts) getSavedTranscript(w http.ResponseWriter, r *http.Request) error {
	var asked savedRead
	if err := asked.query().ReadQuery(r.URL.RawQuery); err != nil {
		return err
	}
	key, err := l.libraryKey(r)
	if err != nil {
		return err
	}
	key.Language = asked.key.Language
	saved, err := l.Pipeline.Library.Saved(r.Context(), edge.Principal(r).Account, key)
	if err != nil {
		return err
	}
	media, err := l.Pipeline.Library.Media(r.Context(), edge.Principal(r).Account, key.Platform, key.ExternalID)
	if err != nil {
		return err
	}
	etag := savedTag(saved, saved.TranscriptID, saved.ChangedAt, asked.include, media)
	if edge.Unchanged(w, r, etag) {
		return nil
	}
	body, ok := l.Recent.Get(etag)
	if !ok {
		if body, etag, err = l.readSaved(r.Context(), edge.Principal(r).Account, key, saved, asked.include, media); err != nil {
			return err
		}
		w.Header().Set("ETag", etag)
	}
	return edge.RespondPacked(w, r, "application/json", http.StatusOK, body)
}

// readSaved makes the answer about a saved text, with its ETag.
func (l *Texts) readSaved(ctx context.Context, owner string, key library.Key, saved *db.Saved, include library.Include, media *transcript.Recording) (body *packed.Body, etag string, err error) {
	saved, t, err := l.textOf(ctx, owner, key, saved, include)
	if err != nil {
		return nil, "", err
	}
	t.Media = media
	etag = savedTag(saved, t.ID, t.ChangedAt, include, media)
	body, err = l.Recent.Remembered(etag, func() (*packed.Body, error) {
		segments := t.SegmentsJSON
		if include == library.Words {
			var err error
			if segments, err = view.TimedSegments(t); err != nil {
				return nil, err
			}
		}
		return savedBody(t, segments, saved.Revision)
	})
	return body, etag, err
}

// textOf reads a saved text. If the text has changed since it was found, textOf finds it again,
// so that the revision matches the text. After several attempts it returns the newer text,
// because a change with the older revision would be refused.
func (l *Texts) textOf(ctx context.Context, owner string, key library.Key, saved *db.Saved, include library.Include) (_ *db.Saved, t *db.Transcript, err error) {
	read := l.Pipeline.Library.SavedText
	if include == library.Words {
		read = l.Pipeline.Library.SavedTimedText
	}
	for range 5 {
		if t, err = read(ctx, saved); err != nil || t.ChangedAt.Equal(saved.ChangedAt) {
			return saved, t, err
		}
		if saved, err = l.Pipeline.Library.Saved(ctx, owner, key); err != nil {
			return nil, nil, err
		}
	}
	return saved, t, nil
}

// savedBody is the answer about a saved text.
func savedBody(t *db.Transcript, segments *packed.Bytes, revision int) (*packed.Body, error) {
	return resource.Around(segments, func(dst, segments []byte) ([]byte, error) {
		dst = append(dst, '{')
		if by := view.HeardBy(t); by != nil {
			b, _ := json.Marshal(by) // of strings, so it never fails
			dst = append(append(append(dst, `"recognizer":`...), b...), ',')
		}
		dst, err := wire.AppendTranscript(append(dst, `"transcript":`...), &t.Transcript, segments)
		return append(strconv.AppendInt(append(dst, `,"cached":true,"revision":`...), int64(revision), 10), '}'), err
	})
}

// savedWriter changes whenever the form of a saved transcript changes.
const savedWriter = "saved5"

// savedTag is the ETag of a saved transcript: its revision, a hash that distinguishes texts with
// the same revision, and a mark of its recording and its label if it has any.
func savedTag(of *db.Saved, id string, changed time.Time, include library.Include, media *transcript.Recording) string {
	tag, mark := textTag(of.Revision, id, changed, include), resource.MediaMark(media)+of.Mark()
	if mark == "" {
		return tag
	}
	return strings.TrimSuffix(tag, `"`) + besidesMark + mark + `"`
}

// textTag is the part of savedTag that identifies the text. It is also the ETag of a text with
// nothing besides.
func textTag(revision int, id string, changed time.Time, include library.Include) string {
	return `"` + strconv.Itoa(revision) + "-" + resource.MadeOf(id, changed, savedWriter, string(include))[1:]
}

// besidesMark begins the mark of the recording and the label in an ETag.
const besidesMark = "-m"
