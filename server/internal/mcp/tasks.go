package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// tasksExtension is the name by which servers and clients declare Tasks.
const tasksExtension = "io.modelcontextprotocol/tasks"

// The methods of tasks.
const (
	getTask    = "tasks/get"
	updateTask = "tasks/update"
	cancelTask = "tasks/cancel"
)

// addTasks lets the server answer about tasks. A client gets tasks only if each of its requests
// declares the extension.
func (f *Face) addTasks() {
	f.server.AddReceivingMiddleware(f.withTasks)
	for method, handle := range map[string]func(context.Context, *call, string) (sdk.Result, error){
		getTask: f.getTask, updateTask: f.updateTask, cancelTask: f.cancelTask,
	} {
		err := sdk.AddReceivingCustomMethod(f.server, method,
			func(ctx context.Context, _ *sdk.ServerSession, p *taskParams) (sdk.Result, error) {
				c := callOf(ctx)
				switch {
				case p == nil || uuid.Validate(p.TaskID) != nil:
					return nil, errNoTask
				case p.TaskID != c.params.TaskID:
					return nil, errTwice
				}
				res, err := handle(ctx, c, p.TaskID)
				if err != nil {
					return nil, f.taskError(ctx, err)
				}
				return res, nil
			})
		if err != nil {
			panic(err) // never fails: the SDK has no such method
		}
	}
}

// withTasks answers with the task that a tool has made, instead of the tool's result. It refuses
// methods of tasks to a client that does not declare the extension. It also refuses a method that
// the face did not read, because the face has checked the key and counted the request for a
// different method.
func (f *Face) withTasks(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if callOf(ctx).method != method {
			return nil, errTwice
		}
		switch method {
		case getTask, updateTask, cancelTask:
			if !declaresTasks(req.GetParams()) {
				return nil, errUndeclared()
			}
		case callTool:
			res, err := next(ctx, method, req)
			if made := callOf(ctx).task; made != nil && err == nil {
				return made, nil
			}
			return res, err
		}
		return next(ctx, method, req)
	}
}

// declaresTasks reports whether a request declares the extension. An earlier request of the client
// does not count.
func declaresTasks(p sdk.Params) bool {
	if p == nil {
		return false
	}
	capabilities, _ := p.GetMeta()[sdk.MetaKeyClientCapabilities].(map[string]any) // another type declares nothing
	extensions, _ := capabilities["extensions"].(map[string]any)
	_, declared := extensions[tasksExtension]
	return declared
}

// getTask is tasks/get.
func (f *Face) getTask(ctx context.Context, c *call, id string) (sdk.Result, error) {
	job, err := f.api.Jobs.Job(ctx, c.principal.Account, id)
	if err != nil {
		return nil, err
	}
	return f.taskOf(ctx, c, job)
}

// updateTask is tasks/update. A task never asks its client for anything, so nothing changes.
func (f *Face) updateTask(ctx context.Context, c *call, id string) (sdk.Result, error) {
	if _, err := f.api.Jobs.Job(ctx, c.principal.Account, id); err != nil {
		return nil, err
	}
	return &acknowledgment{ResultType: complete}, nil
}

// cancelTask is tasks/cancel. A job that has ended does not change.
func (f *Face) cancelTask(ctx context.Context, c *call, id string) (sdk.Result, error) {
	err := f.api.Jobs.Cancel(context.WithoutCancel(ctx), c.principal, id)
	if err != nil && !errors.Is(err, transcript.StateConflict) {
		return nil, err
	}
	return &acknowledgment{ResultType: complete}, nil
}

var errNoTask = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "There is no such task: a task is kept for 7 days after its end. Call get_transcript again."}

// errUndeclared tells the client which extension its request must declare.
func errUndeclared() error {
	needed := &sdk.ClientCapabilities{}
	needed.AddExtension(tasksExtension, nil)
	data, err := json.Marshal(sdk.MissingRequiredClientCapabilityData{RequiredCapabilities: needed})
	if err != nil {
		return err
	}
	return &jsonrpc.Error{Code: sdk.CodeMissingRequiredClientCapabilities, Message: "The request does not declare the extension " + tasksExtension + ".", Data: data}
}

// taskError converts an error of the API into an error of the protocol.
func (f *Face) taskError(ctx context.Context, err error) error {
	if errors.Is(err, transcript.NotFound) {
		return errNoTask
	}
	shown := f.edge.Coded(ctx, err)
	data, broken := json.Marshal(edge.ErrorEnvelope{Error: *shown})
	if broken != nil {
		return broken
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: words(shown), Data: data}
}
