package saved

import (
	"context"
	"net/http"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func (l *Texts) libraryChangeRoutes() []edge.Route {
	change := func(method, below, operation, summary string, do changeOfLibrary) edge.Route {
		return edge.Route{
			Method: method, Pattern: "/v1/library/transcripts/{platform}/{externalId}" + below,
			Operation: operation, Tag: "library", Summary: summary,
			Scope: account.Transcripts, Handle: l.changeLibrary(do),
			Path: Path(new(library.Key)), Query: changeQuery(new(library.Key)),
			Answers: []edge.Answer{{Status: http.StatusNoContent}},
			Codes:   []transcript.Code{transcript.InvalidRequest, transcript.NoTranscript},
		}
	}
	star := func(starred bool) changeOfLibrary {
		return func(ctx context.Context, account string, key library.Key) error {
			return l.Pipeline.Library.Star(ctx, account, key, starred)
		}
	}
	changes := []edge.Route{
		change(http.MethodDelete, "", "deleteSavedTranscript", "Remove a transcript from the library of the account.",
			func(ctx context.Context, account string, key library.Key) error {
				return l.Pipeline.Library.Remove(ctx, account, key)
			}),
		change(http.MethodPut, "/star", "starTranscript", "Add a star to a saved transcript.", star(true)),
		change(http.MethodDelete, "/star", "unstarTranscript", "Remove the star of a saved transcript.", star(false)),
	}
	return append(changes, media{l.Shared}.routes()...)
}

// changeOfLibrary changes what a key names in the library of an account.
type changeOfLibrary func(ctx context.Context, account string, key library.Key) error

// changeQuery is the query of the routes that change a library.
func changeQuery(key *library.Key) request.Table {
	return request.Table{Fields: []*request.Field{
		LanguageOf(key).About("The exact language tag. Without it, all languages of the item."),
		request.New("row", &key.Row, request.UUID()).About("The `id` of a single row. Without it, all rows of the item."),
	}}
}

// changeLibrary is the handler of a route that changes a library.
func (l *Texts) changeLibrary(do changeOfLibrary) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		var asked library.Key
		if err := changeQuery(&asked).ReadQuery(r.URL.RawQuery); err != nil {
			return err
		}
		key, err := l.libraryKey(r)
		if err != nil {
			return err
		}
		key.Language, key.Row = asked.Language, asked.Row
		if err := do(r.Context(), edge.Principal(r).Account, key); err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}
