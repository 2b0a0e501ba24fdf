package server

import (
	"context"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Operation describes the work that an account asks for, for Config.Admit.
type Operation struct {
	// ID is the operationId of the route in the OpenAPI document, "createTranscript" or
	// "createBatch", or "createTranscription" for a recording that came to [Server.OpenAI]. The server calls Admit once for a batch, and not for each item.
	ID string
	// Platform and ExternalID name the content, as the transcript will. The id of an upload
	// comes from its bytes. For a batch Platform and ExternalID name the playlist or the
	// channel, and are empty for a list of links.
	Platform   transcript.Platform
	ExternalID string
	// Items is how many links a batch is made from, repeated links included. It is 0 if
	// the request is no batch, or if the items of its list are not known yet.
	Items int
	// UploadBytes is the size of the file; 0: the content is a link.
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
