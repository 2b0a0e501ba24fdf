package discovery

import (
	"context"
	"net/http"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func (c *Captions) infoRoute() edge.Route {
	return edge.Route{
		Method: http.MethodGet, Pattern: "/v1/transcript/info",
		Operation: "getTranscriptInfo", Tag: "captions",
		Summary: "Describe a link, or a platform with its id, and list the available languages.",
		Handle:  c.getTranscriptInfo,
		Query:   infoQuery(new(resource.Source)),
		Answers: []edge.Answer{{Status: http.StatusOK, Body: transcript.Info{}}},
		Codes:   append(codesOfPlatforms(), transcript.UnsupportedPlatform),
	}
}

// infoQuery is the query of GET /v1/transcript/info.
func infoQuery(src *resource.Source) request.Table {
	return request.Table{Fields: src.Fields(), OneOf: resource.OneSource}
}

// getTranscriptInfo is GET /v1/transcript/info.
func (c *Captions) getTranscriptInfo(w http.ResponseWriter, r *http.Request) error {
	var src resource.Source
	if err := infoQuery(&src).ReadQuery(r.URL.RawQuery); err != nil {
		return err
	}
	info, err := c.info(r.Context(), edge.Principal(r), src)
	return resource.Respond(w, info, err)
}

// info describes the content of a source.
func (c *Captions) info(ctx context.Context, p account.Principal, src resource.Source) (*transcript.Info, error) {
	content, err := c.FindContent(ctx, src)
	if err != nil {
		return nil, err
	}
	return c.Pipeline.Ask.Info(ctx, ask.Question{Account: p.Account, Plan: p.Plan, Content: content})
}
