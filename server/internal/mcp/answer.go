package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// inBoth is an answer with a value both as structured content, and as text for clients that
// read only text.
func inBoth(value any) (*sdk.CallToolResult, error) {
	b, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("server: rendering an answer: %w", err)
	}
	return &sdk.CallToolResult{
		Content: []sdk.Content{&sdk.TextContent{Text: string(b)}}, StructuredContent: json.RawMessage(b),
	}, nil
}

// failure is the answer to a failed call: the error of the API, in words and as a value.
func (f *Face) failure(ctx context.Context, err error) *sdk.CallToolResult {
	shown := f.edge.Coded(ctx, err)
	b, err := json.Marshal(edge.ErrorEnvelope{Error: *shown})
	if err != nil { // an embedder's details may not be valid JSON
		f.log.ErrorContext(ctx, "a refusal could not be rendered", "err", err)
		shown = &transcript.Error{Code: transcript.Internal, Message: "The service failed."}
		b = []byte(`{"error":{"code":"INTERNAL"}}`)
	}
	return &sdk.CallToolResult{
		IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: words(shown)}}, StructuredContent: json.RawMessage(b),
	}
}

// words says what went wrong and what to do, for a model.
func words(e *transcript.Error) string {
	said := string(e.Code) + ": " + e.Message
	if cure := cmp.Or(e.Cure, e.Code.Cure()); cure != "" && !strings.Contains(e.Message, cure) {
		said += " " + cure
	}
	if e.RetryAfter > 0 {
		said += fmt.Sprintf(" Wait %d seconds before the next call.", e.RetryAfter)
	}
	return said
}
