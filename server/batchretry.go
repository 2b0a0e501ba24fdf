package server

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/pipeline"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// retryRequest is the body of POST /v1/batch/{batchId}/retry, which may be left out:
// then all items are made anew for which that may be of use.
type retryRequest struct {
	items []string
	codes []transcript.Code
}

func (req *retryRequest) table() request.Table {
	codes := transcript.Codes()
	return request.Table{
		Name: "RetryBatchRequest",
		Fields: []*request.Field{
			request.New("itemIds", &req.items, request.List(request.UUID(), 1, pipeline.MaxBatchItems)).
				About("Only these items, also where another try seems of no use."),
			request.New("codes", &req.codes, request.List(request.EnumOf("ErrorCode", codes), 1, len(codes))).
				About("Only items that failed with one of these."),
		},
	}
}

// retryBatch is POST /v1/batch/{batchId}/retry.
func (s *Server) retryBatch(w http.ResponseWriter, r *http.Request) error {
	if err := checkOptionalType(r); err != nil {
		return err
	}
	p := principal(r)
	var id string
	var req retryRequest
	return s.once(w, r, operation{
		read: func() (_ map[string]any, err error) {
			table := req.table()
			if err := readOptional(w, r, table); err != nil {
				return nil, err
			}
			id, err = batchID(r)
			return table.Canonical(), err
		},
		do: func(key *db.HeldKey) (reply, error) {
			return s.retriedReply(s.pipeline.RetryBatch(context.WithoutCancel(r.Context()), pipeline.BatchRetry{
				Account: p.Account, Plan: p.Plan, Batch: id, Items: req.items, Codes: req.codes, Key: key,
			}))
		},
		again: func(a db.Answer) (reply, error) {
			return s.retriedReply(s.pipeline.RetriedBatch(r.Context(), p.Account, a))
		},
	})
}

func (s *Server) retriedReply(retried *batch.Retried, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	body, err := json.Marshal(retried)
	return reply{response: response{http.StatusAccepted, s.batchHeader(retried.Batch.ID), plainBody(body)}}, err
}
