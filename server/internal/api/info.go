package api

import (
	"net/http"

	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/pipeline"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// contentInfo tells what a link leads to, without a job.
type contentInfo struct {
	pipeline *pipeline.Pipeline
	contents *resource.Contents
}

func (c *contentInfo) Routes() []edge.Route {
	return []edge.Route{
		{
			Method: http.MethodGet, Pattern: "/v1/transcript/info",
			Operation: "getTranscriptInfo", Tag: "captions",
			Summary: "Tell what a link, or a platform with its id, leads to, and in which languages it can be had.",
			Handle:  c.getTranscriptInfo,
			Query:   infoQuery(new(resource.Source)),
			Answers: []edge.Answer{{Status: http.StatusOK, Body: transcript.Info{}}},
			Codes:   append(codesOfPlatforms(), transcript.UnsupportedPlatform),
		},
	}
}

// infoQuery is the query of GET /v1/transcript/info.
func infoQuery(src *resource.Source) request.Table {
	return request.Table{Fields: src.Fields(), OneOf: resource.OneSource}
}

// getTranscriptInfo is GET /v1/transcript/info.
func (c *contentInfo) getTranscriptInfo(w http.ResponseWriter, r *http.Request) error {
	var src resource.Source
	if err := infoQuery(&src).ReadQuery(r.URL.RawQuery); err != nil {
		return err
	}
	content, err := c.contents.Find(r.Context(), src)
	if err != nil {
		return err
	}
	p := edge.Principal(r)
	info, err := c.pipeline.Ask.Info(r.Context(), ask.Question{Account: p.Account, Plan: p.Plan, Content: content})
	if err != nil {
		return err
	}
	return edge.RespondJSON(w, http.StatusOK, info)
}
