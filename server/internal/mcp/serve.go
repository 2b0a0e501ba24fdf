package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// serve is POST /mcp.
func (f *Face) serve(w http.ResponseWriter, r *http.Request) error {
	if err := f.checkOrigin(r); err != nil {
		return err
	}
	m, body, err := f.read(w, r)
	class := db.PollingRequests // a call of the protocol is cheap
	if t, ok := f.tools[m.params.Name]; ok && !t.polls {
		class = db.MainRequests
	}
	if m.method == cancelTask {
		class = db.MainRequests
	}
	refused := f.edge.Count(w, r, class)
	if err == nil && m.ofTasks() {
		err = checkTask(r, m)
	}
	wrong := new(jsonrpc.Error)
	switch {
	case refused != nil && (err != nil || m.method != callTool):
		return refused
	case errors.As(err, &wrong):
		return answerWrong(w, &m, wrong)
	case err != nil:
		return err
	}
	c := &call{principal: edge.Principal(r), message: m, refused: refused, w: w, r: r}
	r = r.WithContext(context.WithValue(r.Context(), callKey{}, c))
	r.Body = io.NopCloser(bytes.NewReader(body))
	a := &reply{ResponseWriter: w}
	if m.progress {
		f.asEvents.ServeHTTP(a, r)
	} else {
		f.inJSON.ServeHTTP(a, r)
	}
	return a.send(r)
}

// read reads the message in the body of a request.
func (f *Face) read(w http.ResponseWriter, r *http.Request) (message, []byte, error) {
	media, present, err := edge.BodyType(r)
	if err != nil {
		return message{}, nil, err
	}
	if present && media != edge.JSONType {
		return message{}, nil, edge.Unsupported("Send the message as application/json, and say so in Content-Type.")
	}
	body, err := edge.ReadBody(w, r, maxMessage)
	if err != nil {
		return message{}, nil, err
	}
	m, err := readMessage(body)
	if err == nil && m.method == callTool && f.tools[m.params.Name] == nil {
		err = wrongf(jsonrpc.CodeInvalidParams, "There is no tool %s.", quoted(m.params.Name))
	}
	if err == nil && m.method == callTool && m.params.Name != createBatch && len(body) > maxCall {
		err = wrongf(jsonrpc.CodeInvalidRequest, "The call is larger than %d bytes.", maxCall)
	}
	return m, body, err
}

// call is one request while it is answered.
type call struct {
	message
	principal account.Principal
	refused   error // the window of the account is full
	w         http.ResponseWriter
	r         *http.Request // ends when the client goes away
	task      *task         // replaces the tool's result; nil means no replacement
}

type callKey struct{}

// callOf is the request that ctx belongs to.
func callOf(ctx context.Context) *call { return ctx.Value(callKey{}).(*call) }

// checkOrigin refuses requests of foreign web pages: an Origin that is not the server's own,
// and on a loopback address a Host that is not a loopback address.
func (f *Face) checkOrigin(r *http.Request) error {
	if http.NewCrossOriginProtection().Check(r) != nil {
		return transcript.Errorf(transcript.Forbidden, "A web page of another origin may not call this server.")
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok || !isLoopback(local.String()) || isLoopback(r.Host) || edge.FromProxy(r, f.proxies) {
		return nil
	}
	return transcript.Errorf(transcript.Forbidden,
		"The Host of the request is not of this machine. Let a proxy on this machine be a trusted proxy, or let it send the Host of this address.")
}

// isLoopback reports whether an address, with or without a port, belongs only to this
// machine.
func isLoopback(address string) bool {
	host := address
	if h, _, err := net.SplitHostPort(address); err == nil {
		host = h
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.Unmap().IsLoopback()
}
