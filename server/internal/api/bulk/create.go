package bulk

import (
	"context"
	"net/http"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/batcher"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

const createBatch = "createBatch"

func (b *Batches) createBatchRoute() edge.Route {
	return edge.Route{
		Method: http.MethodPost, Pattern: "/v1/batch",
		Operation: createBatch, Tag: "batches",
		Summary: "Make the transcripts of a list of links, a playlist or a channel.",
		Scope:   account.Batches, Handle: b.createBatch,
		Query:   new(batchRequest).csvQuery(),
		Body:    new(batchRequest).table(),
		CSV:     "A header row, then a row for each link. The column url has the links. Other columns are ignored.",
		Answers: []edge.Answer{{Status: http.StatusAccepted, Body: AcceptedBatch{}, Headers: []edge.Header{edge.HeaderLocation, edge.HeaderRetryAfter, edge.HeaderReplayed}}},
		Codes: []transcript.Code{
			transcript.InvalidRequest, transcript.CSVParseError, transcript.InvalidVideo, transcript.UnsupportedPlatform,
			transcript.BatchLimitExceeded, transcript.InsufficientCredits, transcript.NotFound,
			transcript.IdempotencyConflict, transcript.IdempotencyInProgress, transcript.NotImplemented,
		},
	}
}

// batchRequest has the fields of a request for a batch.
type batchRequest struct {
	urls              []string
	playlist, channel string
	languages         transcript.LanguageList // nil means that the request has none
	maxItems          int                     // 0 means all
}

// table is the table of the JSON body.
func (req *batchRequest) table() request.Table {
	playlist, channel := request.Text(1, resource.MaxURL), request.Text(1, resource.MaxURL)
	return request.Table{
		Name: "CreateBatchRequest",
		Fields: append([]*request.Field{
			request.New("urls", &req.urls, request.List(request.Text(1, resource.MaxURL), 1, batcher.MaxEntries)).
				About("Links, short links, and video ids."),
			request.New("playlistId", &req.playlist, playlist).About("The id of a playlist of the video site, or a link to it."),
			request.New("playlist", &req.playlist, playlist).About("The same as playlistId."),
			request.New("channelId", &req.channel, channel).About("The id of a channel of the video site, its @handle, or a link to it."),
			request.New("channel", &req.channel, channel).About("The same as channelId."),
		}, req.options()...),
		OneOf: [][]string{{"urls"}, {"playlistId"}, {"playlist"}, {"channelId"}, {"channel"}},
	}
}

// options are the fields that every batch may have.
func (req *batchRequest) options() []*request.Field {
	return []*request.Field{
		resource.LanguageField(&req.languages).ShowDefault(resource.DefaultLanguage),
		request.New("maxItems", &req.maxItems, request.Integer(1, batcher.MaxItems)).
			About("The largest number of items; the first ones are taken."),
	}
}

// csvQuery is the query of a request with a CSV body.
func (req *batchRequest) csvQuery() request.Table {
	return request.Table{Fields: request.WithoutDefaults(req.options())}
}

// createBatch is POST /v1/batch.
func (b *Batches) createBatch(w http.ResponseWriter, r *http.Request) error {
	var req batchRequest
	read := resource.JSONBody(req.table(), edge.LargestBody) // without a body, the answer names the missing fields
	switch media, present, err := edge.BodyType(r); {
	case err != nil:
		return err
	case edge.ContentType(r) == "text/csv":
		if present && !resource.DeclaresUTF8(r) {
			return edge.Unsupported("Send the CSV in UTF-8, as text/csv or text/csv; charset=utf-8.")
		}
		read = req.readCSV
	case present && media != "application/json":
		return edge.Unsupported("Send the body as application/json or text/csv, and say so in Content-Type.")
	}
	return b.Edge.Once(w, r, b.creation(r, &req, func() (map[string]any, error) { return read(w, r) }, new(*batch.Job)))
}

// creation is the operation that makes a batch once for each Idempotency-Key. read reads the
// request into req. creation stores the batch in made.
func (b *Batches) creation(r *http.Request, req *batchRequest, read func() (map[string]any, error), made **batch.Job) edge.Post {
	p := edge.Principal(r)
	var wanted batcher.Request
	reply := func(job *batch.Job, err error) (edge.Reply, error) {
		if err != nil {
			return edge.Reply{}, err
		}
		*made = job
		return b.batchReply(job)
	}
	return edge.Post{
		Read: func() (_ map[string]any, err error) {
			canonical, err := read()
			if err == nil {
				wanted, err = b.batchOf(req)
			}
			return canonical, err
		},
		Do: func(key *db.HeldKey) (edge.Reply, error) { return reply(b.create(r.Context(), p, wanted, key)) },
		Again: func(a db.Answer) (edge.Reply, error) {
			return reply(b.Pipeline.Batches.Get(r.Context(), p.Account, a.ID))
		},
	}
}

// create makes a batch. The batch is made even if the client disconnects.
func (b *Batches) create(ctx context.Context, p account.Principal, wanted batcher.Request, key *db.HeldKey) (*batch.Job, error) {
	wanted.Account, wanted.Plan, wanted.Key = p.Account, p.Plan, key
	wanted.Admit = b.Admit.Of(p, batchOperation(&wanted))
	return b.Pipeline.Batches.Create(context.WithoutCancel(ctx), wanted)
}

// readCSV reads the links from the body, and the other fields of the request from the
// query.
func (req *batchRequest) readCSV(w http.ResponseWriter, r *http.Request) (map[string]any, error) {
	query := req.csvQuery()
	if err := query.ReadQuery(r.URL.RawQuery); err != nil {
		return nil, err
	}
	body, err := edge.ReadBody(w, r, edge.LargestBody)
	if err != nil {
		return nil, err
	}
	if req.urls, err = linksOfCSV(body); err != nil {
		return nil, err
	}
	canonical := query.Canonical()
	canonical["urls"] = req.urls
	return canonical, nil
}

// batchOf converts a request into a batch, and looks its links up in the platform table.
// The error is about a playlist or a channel, because a link that names no content
// becomes a failed item.
func (b *Batches) batchOf(req *batchRequest) (wanted batcher.Request, err error) {
	wanted = batcher.Request{Mode: batch.Links, Languages: req.languages, MaxItems: req.maxItems}
	switch {
	case req.playlist != "":
		wanted.Mode = batch.Playlist
		wanted.List, err = listed(engine.PlaylistList, b.Sites.Playlist, req.playlist)
	case req.channel != "":
		wanted.Mode = batch.Channel
		wanted.List, err = listed(engine.ChannelList, b.Sites.Channel, req.channel)
	default:
		wanted.Entries = make([]batcher.Entry, len(req.urls))
		for i, link := range req.urls {
			wanted.Entries[i] = b.Pipeline.Batches.EntryOf(link)
		}
	}
	return wanted, err
}

func listed(kind engine.ListKind, find func(string) (site.Match, error), text string) (*engine.List, error) {
	match, err := find(text)
	list := resource.ListNamed(kind, match)
	return &list, err
}

// batchOperation is the operation that Config.Admit gets for a batch.
func batchOperation(b *batcher.Request) resource.Operation {
	op := resource.Operation{ID: createBatch, Items: len(b.Entries)}
	if b.List != nil {
		op.Platform, op.ExternalID = b.List.Platform, b.List.ID
	}
	return op
}
