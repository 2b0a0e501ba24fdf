// Package mcp is the interface of the service for language models: tools of the Model
// Context Protocol over streamable HTTP, without sessions.
//
// A request passes four layers. The edge accepts the request. [Face] reads the message in the
// body and counts the request. The official SDK answers the protocol. A tool reads the arguments
// by a table and calls a function of package api.
package mcp

import (
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/transcriptkit/transcriptkit/server/internal/api"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
)

// Config is the configuration of a Face. Every member except TrustedProxies is required.
type Config struct {
	API            *api.API
	Edge           *edge.Edge
	Metrics        *metrics.Metrics
	Log            *slog.Logger
	Version        string         // of the program
	TrustedProxies []netip.Prefix // proxies on this machine may send any Host
}

// Face answers the requests of MCP clients. One SDK server serves all requests. A Face is
// safe for concurrent use.
type Face struct {
	api     *api.API
	edge    *edge.Edge
	log     *slog.Logger
	proxies []netip.Prefix
	tools   map[string]*tool
	server  *sdk.Server

	inJSON, asEvents http.Handler // the protocol, by the form of the answer
}

// jobWait is how long a tool waits for a job. Many clients cancel a call after 60 s.
const jobWait = 25 * time.Second

// New makes a Face.
func New(c Config) *Face {
	f := &Face{api: c.API, edge: c.Edge, log: c.Log, proxies: c.TrustedProxies, tools: map[string]*tool{}}
	about := &sdk.Implementation{Name: "transcriptkit", Title: "Transcripts", Version: c.Version}
	f.server = sdk.NewServer(about, &sdk.ServerOptions{
		Instructions: instructions,
		// No list changes while the process runs, and logging is deprecated.
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Extensions: map[string]any{tasksExtension: map[string]any{}}},
		SetCacheable: cacheable,
	})
	for _, t := range f.toolbox() {
		t.calls = c.Metrics.Tool(t.name)
		f.tools[t.name] = &t
		f.server.AddTool(t.definition(), f.handler(&t))
	}
	f.addTasks()
	f.inJSON, f.asEvents = f.protocol(true), f.protocol(false)
	return f
}

// protocol is the SDK's handler of the protocol. The Face has already checked the Host and
// limited the body.
func (f *Face) protocol(inJSON bool) http.Handler {
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return f.server }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: inJSON, PropagateRequestCancellation: true, DisableLocalhostProtection: true,
		MaxRequestBodyBytes: maxMessage,
	})
}

// Routes are the routes of the face.
func (f *Face) Routes() []edge.Route {
	return []edge.Route{{
		Method: http.MethodPost, Pattern: "/mcp", Operation: "mcp",
		CountsItself: true, Streams: true, Handle: f.serve,
	}}
}
