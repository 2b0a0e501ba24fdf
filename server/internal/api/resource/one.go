package resource

import (
	"context"
	"net/http"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// One is a kind of resource that paths name by an id.
type One struct {
	Param string // the parameter of the path
	About string // the description of the parameter in the document
	None  string // the answer to an id that names nothing
}

// Path is the path of the routes of one resource.
func (o One) Path(id *string) request.Table {
	return request.Table{Fields: []*request.Field{request.New(o.Param, id, request.UUID()).Required().About(o.About)}}
}

// ID is the id in the path. An id that is not a UUID names nothing: the error is
// NOT_FOUND.
func (o One) ID(r *http.Request) (id string, err error) {
	if !o.Path(&id).ReadPath(r.PathValue) {
		return "", transcript.Errorf(transcript.NotFound, "%s", o.None)
	}
	return id, nil
}

// Delete is the handler of a DELETE. The resource is removed even if the client
// disconnects.
func (o One) Delete(remove func(ctx context.Context, owner, id string) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		id, err := o.ID(r)
		if err != nil {
			return err
		}
		if err := remove(context.WithoutCancel(r.Context()), edge.Principal(r).Account, id); err != nil {
			return err
		}
		edge.RespondEmpty(w, nil)
		return nil
	}
}

// Post is a POST about one resource that runs once for each Idempotency-Key. T is the resource in
// its answer.
type Post[T any] struct {
	Body  Body                                                                    // NoBody, OptionalBody or JSONBody
	Do    func(ctx context.Context, owner, id string, key *db.HeldKey) (T, error) // in a context that outlives the request
	Again func(ctx context.Context, owner string, of db.Answer) (T, error)        // for a repeated request
	Reply func(T) (edge.Reply, error)
}

// Answer answers a POST about one of these resources.
func (p Post[T]) Answer(e *edge.Edge, of One, w http.ResponseWriter, r *http.Request) error {
	if err := edge.CheckOptionalType(r); err != nil {
		return err
	}
	owner, id := edge.Principal(r).Account, ""
	return e.Once(w, r, edge.Post{
		Read: func() (map[string]any, error) {
			canonical, err := p.Body(w, r)
			if err == nil {
				id, err = of.ID(r)
			}
			return canonical, err
		},
		Do: func(key *db.HeldKey) (edge.Reply, error) {
			return p.reply(p.Do(context.WithoutCancel(r.Context()), owner, id, key))
		},
		Again: func(a db.Answer) (edge.Reply, error) { return p.reply(p.Again(r.Context(), owner, a)) },
	})
}

func (p Post[T]) reply(shown T, err error) (edge.Reply, error) {
	if err != nil {
		return edge.Reply{}, err
	}
	return p.Reply(shown)
}
