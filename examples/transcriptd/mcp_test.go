package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
)

// gatedSite is a video site that answers nothing while it is shut.
type gatedSite struct {
	link  string
	flags []string // that let the program read the site

	mu    sync.Mutex
	shut  chan struct{} // nil: open
	asked chan struct{} // gets an element for each request that waits
}

func newGatedSite(t *testing.T) *gatedSite {
	t.Helper()
	site := enginetest.NewSite(t)
	g := &gatedSite{asked: make(chan struct{}, 100)}
	var web *httptest.Server
	web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if shut := g.gate(); shut != nil {
			g.asked <- struct{}{}
			select {
			case <-shut:
			case <-r.Context().Done():
				return
			}
		}
		answer := httptest.NewRecorder()
		site.ServeHTTP(answer, r)
		maps.Copy(w.Header(), answer.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(answer.Code)
		_, _ = io.WriteString(w, strings.ReplaceAll(answer.Body.String(), site.URL, web.URL)) // the program may be gone
	}))
	t.Cleanup(web.Close)
	t.Cleanup(g.open)
	addr := strings.TrimPrefix(web.URL, "http://")
	links := settingsFile(t, `{"sites": {"video_site": {
		"hosts": [%[1]q], "shortHosts": [], "links": ["/watch?v={id}"], "canonical": "http://%[1]s/watch?v={id}"
	}}, "players": [{"name": "WEB", "version": "2.1", "captions": true}]}`, addr)
	g.link = web.URL + "/watch?v=" + site.Content(enginetest.CaptionTracks).ExternalID
	g.flags = []string{"--links", links, "--asr", "none", "--allow-egress", addr}
	return g
}

func (g *gatedSite) gate() chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shut
}

func (g *gatedSite) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = make(chan struct{})
}

func (g *gatedSite) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut != nil {
		close(g.shut)
		g.shut = nil
	}
}

// mcpProgram is a client of a running "transcriptd mcp".
type mcpProgram struct {
	t *testing.T
	*exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	said *strings.Builder // on standard error, whole after the end
	last int              // id of a request
}

func startMCP(t *testing.T, state string, flags ...string) *mcpProgram {
	t.Helper()
	p := &mcpProgram{t: t, Cmd: program(t, atHome(state), append([]string{"mcp"}, flags...)...), said: new(strings.Builder)}
	p.Stderr = p.said
	var err error
	p.in, err = p.StdinPipe()
	require.NoError(t, err)
	out, err := p.StdoutPipe()
	require.NoError(t, err)
	p.out = bufio.NewReader(out)
	require.NoError(t, p.Start())
	return p
}

// send sends a request and returns its id.
func (p *mcpProgram) send(method, params string) int {
	p.t.Helper()
	p.last++
	_, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", p.last, method, params)
	require.NoError(p.t, err)
	return p.last
}

// answer returns the result of the request. Each line of the output is a message.
func (p *mcpProgram) answer(id int) string {
	p.t.Helper()
	line, err := p.out.ReadString('\n')
	require.NoError(p.t, err)
	var m struct {
		JSONRPC string
		ID      int
		Result  json.RawMessage
		Error   json.RawMessage
	}
	require.NoError(p.t, json.Unmarshal([]byte(line), &m), line)
	require.Equal(p.t, "2.0", m.JSONRPC)
	require.Equal(p.t, id, m.ID, line)
	require.Empty(p.t, m.Error, line)
	return string(m.Result)
}

// ask sends a request and returns its result.
func (p *mcpProgram) ask(method, params string) string {
	p.t.Helper()
	return p.answer(p.send(method, params))
}

// transcript asks for the text behind a link.
func (p *mcpProgram) transcript(link string) string {
	p.t.Helper()
	return p.ask("tools/call", getTranscript(link))
}

func getTranscript(link string) string {
	return fmt.Sprintf(`{"name":"get_transcript","arguments":{"url":%q,"language":"de"}}`, link)
}

// end closes the input and waits for the end. It returns the exit code and what stood on both
// outputs.
func (p *mcpProgram) end() (code int, out, said string) {
	p.t.Helper()
	require.NoError(p.t, p.in.Close())
	rest, err := io.ReadAll(p.out)
	require.NoError(p.t, err)
	_ = p.Wait() // the state tells
	return p.ProcessState.ExitCode(), string(rest), p.said.String()
}

const initialize = `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`

// A client of an older version reads a text. Standard output has nothing but its answers.
func TestMCP(t *testing.T) {
	t.Parallel()
	site := newGatedSite(t)
	p := startMCP(t, t.TempDir(), site.flags...)
	assert.Contains(t, p.ask("initialize", initialize), `"protocolVersion":"2025-06-18"`)
	_, err := io.WriteString(p.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	require.NoError(t, err)
	assert.Contains(t, p.ask("tools/list", `{}`), `"get_transcript"`)
	assert.Contains(t, p.transcript(site.link), "hallo Welt")
	assert.JSONEq(t, `{}`, p.ask("ping", `{}`))
	code, out, said := p.end()
	assert.Equal(t, exitOK, code, said)
	assert.Empty(t, out)
	assert.Empty(t, said)
}

// A client of the newest version needs no beginning, and gets a task.
func TestMCPWithTasks(t *testing.T) {
	t.Parallel()
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`
	site := newGatedSite(t)
	site.close()
	p := startMCP(t, t.TempDir(), site.flags...)
	assert.Contains(t, p.ask("server/discover", `{`+meta+`}`), `"io.modelcontextprotocol/tasks"`)
	var task struct{ ResultType, TaskID, Status string }
	made := p.ask("tools/call", strings.TrimSuffix(getTranscript(site.link), "}")+","+meta+"}")
	require.NoError(t, json.Unmarshal([]byte(made), &task))
	require.Equal(t, "task", task.ResultType, made)
	site.open()
	var got string
	require.Eventually(t, func() bool {
		got = p.ask("tasks/get", fmt.Sprintf(`{"taskId":%q,%s}`, task.TaskID, meta))
		return strings.Contains(got, `"completed"`)
	}, time.Minute, 20*time.Millisecond)
	assert.Contains(t, got, "hallo Welt")
	code, out, said := p.end()
	assert.Equal(t, exitOK, code, said)
	assert.Empty(t, out)
}

// Two clients share one service. If the process with the service is killed in the middle of a
// call of the other, the call goes on there.
func TestMCPTwiceAtOnce(t *testing.T) {
	t.Parallel()
	site, state := newGatedSite(t), t.TempDir()
	site.close()
	first := startMCP(t, state, site.flags...)
	first.ask("initialize", initialize)
	second := startMCP(t, state, site.flags...)
	second.ask("initialize", initialize)
	id := second.send("tools/call", getTranscript(site.link))
	<-site.asked
	require.NoError(t, first.Process.Kill())
	_ = first.Wait() // reports the kill
	site.open()
	assert.Contains(t, second.answer(id), "hallo Welt")
	code, _, said := second.end()
	assert.Equal(t, exitOK, code, said)
	assert.Contains(t, said, "Another call runs the service")

	site.close() // the third client gets the text from the database
	third := startMCP(t, state, site.flags...)
	assert.Contains(t, third.transcript(site.link), "hallo Welt")
	code, _, said = third.end()
	assert.Equal(t, exitOK, code, said)
}

// The command asks "transcriptd serve" of this machine, and goes on without it.
func TestMCPAsksServe(t *testing.T) {
	t.Parallel()
	site, state := newGatedSite(t), t.TempDir()
	served := start(t, atHome(state), append(site.flags, "--db", newDatabase(t))...)
	p := startMCP(t, state)
	assert.Contains(t, p.transcript(site.link), "hallo Welt")
	assert.NoFileExists(t, filepath.Join(state, "transcriptd", "transcribe.db"), "the service did the work")
	stop(t, served)
	assert.Contains(t, p.ask("tools/list", `{}`), `"get_transcript"`)
	assert.FileExists(t, filepath.Join(state, "transcriptd", "transcribe.db"))
	code, _, said := p.end()
	assert.Equal(t, exitOK, code, said)
}

// The command ends in good order on a signal, also in the middle of a call.
func TestMCPEndsOnASignal(t *testing.T) {
	t.Parallel()
	site := newGatedSite(t)
	site.close()
	p := startMCP(t, t.TempDir(), site.flags...)
	p.send("tools/call", getTranscript(site.link))
	<-site.asked
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	out, err := io.ReadAll(p.out)
	require.NoError(t, err)
	_ = p.Wait() // the state tells
	assert.Equal(t, exitOK, p.ProcessState.ExitCode(), p.said.String())
	assert.Empty(t, out)
}
