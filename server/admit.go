package server

import (
	"context"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Operation describes requested work, for [Config.Admit].
type Operation struct {
	// ID is the operationId of the route in the OpenAPI document, "createTranscript" or
	// "createBatch", or "createTranscription" for a recording that came to [Server.OpenAI]. The server calls Admit once for a batch, and not for each item.
	ID string
	// Platform and ExternalID name the content, as in its transcript. The id of an
	// upload is derived from its bytes. For a batch, they name the playlist or the
	// channel, and are empty for a list of links.
	Platform   transcript.Platform
	ExternalID string
	// Items is the number of links in a batch, including repeated links. It is 0 if the
	// request is not a batch, or if the items of its list are not known yet.
	Items int
	// UploadBytes is the size of the uploaded file; 0 for a link.
	UploadBytes int64
}

// admit is Admit with the operations of the API.
func (c Config) admit() resource.Admit {
	if c.Admit == nil {
		return nil
	}
	return func(ctx context.Context, p account.Principal, op resource.Operation) error {
		return c.Admit(ctx, p, Operation(op))
	}
}
