package mcp

import (
	"net/http"
	"slices"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// sessionless is the version of the protocol from which on headers repeat what the body asks for.
const sessionless = "2026-07-28"

// ofTasks reports whether the message has a method of tasks.
func (m message) ofTasks() bool {
	return slices.Contains([]string{getTask, updateTask, cancelTask}, m.method)
}

// checkTask refuses a request about a task if its key lacks the scope. It also refuses a
// request whose header names another task, because the SDK compares only the headers of
// its own methods. An invalid id gets the answer for an unknown task.
func checkTask(r *http.Request, m message) error {
	if !edge.Principal(r).Can(account.Transcripts) {
		return transcript.Errorf(transcript.Forbidden, "This needs the scope %q.", account.Transcripts).With("requiredScope", account.Transcripts)
	}
	mirrored := r.Header.Get("Mcp-Protocol-Version") >= sessionless
	if possible := uuid.Validate(m.params.TaskID) == nil; mirrored && possible && r.Header.Get("Mcp-Name") != m.params.TaskID {
		return wrongf(sdk.CodeHeaderMismatch, "The header Mcp-Name must be the taskId of the body.")
	}
	return nil
}
