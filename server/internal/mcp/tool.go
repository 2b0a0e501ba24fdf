package mcp

import (
	"context"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// tool is a tool of the face.
type tool struct {
	name, description string
	scope             account.Scope // empty means any valid key
	polls             bool          // counts as a polling request, as its route does
	reads             bool          // changes nothing
	repeats           bool          // a second equal call changes nothing
	open              bool          // reaches beyond the service
	calls             metrics.Tool
	// asked makes a request of the tool: the table that reads the arguments, and the function that
	// then answers.
	asked func() (request.Table, answer)
}

// answer answers a call whose arguments were read.
type answer func(ctx context.Context, c *call, req *sdk.CallToolRequest) (*sdk.CallToolResult, error)

// definition is the tool as tools/list shows it.
func (t *tool) definition() *sdk.Tool {
	table, _ := t.asked()
	return &sdk.Tool{
		Name: t.name, Description: t.description, InputSchema: schemaOf(t.name, table),
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: t.reads, IdempotentHint: t.repeats, OpenWorldHint: &t.open},
	}
}

// handler is the tool for the SDK. It counts the calls. An error of the tool is an answer with isError.
func (f *Face) handler(t *tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		c := callOf(ctx)
		if c.params.Name != t.name {
			return nil, errTwice
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(c.r.Context(), cancel)()
		res, err := f.answer(ctx, c, t, req)
		t.calls.Called(err != nil)
		if err != nil {
			return f.failure(ctx, err), nil
		}
		return res, nil
	}
}

// answer answers a call that the account may make, by the table of the tool.
func (f *Face) answer(ctx context.Context, c *call, t *tool, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if c.refused != nil {
		return nil, c.refused
	}
	if t.scope != "" && !c.principal.Can(t.scope) {
		return nil, transcript.Errorf(transcript.Forbidden, "This needs the scope %q.", t.scope).With("requiredScope", t.scope)
	}
	table, answer := t.asked()
	arguments := []byte(req.Params.Arguments)
	if len(arguments) == 0 {
		arguments = []byte("{}")
	}
	if err := table.ReadJSON(arguments); err != nil {
		return nil, err
	}
	return answer(ctx, c, req)
}

// listTTL is how long a client may cache the list of tools, which changes only with the
// program.
const listTTL = time.Hour

// cacheable says how long a client may cache a list, and that nobody else may cache it.
func cacheable(_ context.Context, _ sdk.Request, c *sdk.Cacheable) {
	c.TTLMs, c.CacheScope = int(listTTL.Milliseconds()), "private"
}
