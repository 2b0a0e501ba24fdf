package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// unit does what systemd does for a service: it holds the socket, and hears from the process.
type unit struct {
	socket *os.File
	addr   string
	words  *net.UnixConn
	env    []string
}

func newUnit(t *testing.T, network, addr string, env ...string) *unit {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), network, addr)
	require.NoError(t, err)
	u := unitOf(t, l, env...)
	u.addr = l.Addr().String()
	return u
}

// socket is what a listener and a UDP connection have in common.
type socket interface {
	File() (*os.File, error)
	Close() error
}

// unitOf is a unit with a socket of any kind.
func unitOf(t *testing.T, l any, env ...string) *unit {
	t.Helper()
	own := l.(socket)
	file, err := own.File()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "notify")
	words, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = own.Close() // no process accepts from it
		_ = file.Close()
		_ = words.Close()
	})
	return &unit{socket: file, words: words, env: append(env, "NOTIFY_SOCKET="+path)}
}

// prepare returns the program as systemd starts it. The shell becomes the program, so that the
// program has the number that LISTEN_PID names.
func (u *unit) prepare(t *testing.T, sockets int, args ...string) *exec.Cmd {
	t.Helper()
	cmd := program(t, append(u.env, "LISTEN_FDS="+strconv.Itoa(sockets)), args...)
	cmd.Args = append([]string{"sh", "-c", `LISTEN_PID=$$ exec "$0" "$@"`}, cmd.Args...)
	cmd.Path = "/bin/sh"
	for range sockets {
		cmd.ExtraFiles = append(cmd.ExtraFiles, u.socket)
	}
	return cmd
}

// hear returns the next word of the process.
func (u *unit) hear(t *testing.T) string {
	t.Helper()
	require.NoError(t, u.words.SetReadDeadline(time.Now().Add(time.Minute)))
	word := make([]byte, 512)
	n, err := u.words.Read(word)
	require.NoError(t, err)
	return string(word[:n])
}

// A connection that comes between two processes waits for the second one. The address of --listen
// counts for nothing.
func TestServeTakesTheSocketOfSystemd(t *testing.T) {
	t.Parallel()
	u := newUnit(t, "tcp", "127.0.0.1:0", "TRANSCRIPTD_DB="+newDatabase(t), "TRANSCRIPTD_LISTEN=192.0.2.1:1")
	first := await(t, u.prepare(t, 1, "serve"))
	assert.Equal(t, u.addr, first.addr)
	assert.Equal(t, "READY=1", u.hear(t))
	assert.Equal(t, http.StatusOK, get(t, "http://"+u.addr+"/healthz"))
	require.NoError(t, first.Process.Signal(syscall.SIGTERM))
	assert.Equal(t, "STOPPING=1\nEXTEND_TIMEOUT_USEC=22000000", u.hear(t), "20 s for requests and work, and 2 s for a scrape")
	code, log := first.end(t)
	require.Equal(t, exitOK, code, log)

	between, err := new(net.Dialer).DialContext(t.Context(), "tcp", u.addr)
	require.NoError(t, err, "no process runs, and the connection waits")
	defer between.Close()
	_, err = fmt.Fprintf(between, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", u.addr)
	require.NoError(t, err)
	second := await(t, u.prepare(t, 1, "serve"))
	assert.Equal(t, "READY=1", u.hear(t))
	answer, err := bufio.NewReader(between).ReadString('\n')
	require.NoError(t, err)
	assert.Contains(t, answer, "200 OK")
	stop(t, second)
}

// A socket that the service cannot use ends it. The exit code says that no repetition helps, and the
// message names the setting to change.
func TestServeRefusesSocketsOfSystemd(t *testing.T) {
	t.Parallel()
	tcp := newUnit(t, "tcp", "127.0.0.1:0")
	packets, err := new(net.ListenConfig).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	require.NoError(t, err)
	for name, row := range map[string]struct {
		unit    *unit
		sockets int
		args    []string
		says    string
	}{
		"two":    {tcp, 2, nil, `transcriptd.socket: systemd hands over "2" sockets, and the service takes one: leave one ListenStream=`},
		"none":   {tcp, 0, nil, `"0" sockets`},
		"unix":   {newUnit(t, "unix", filepath.Join(t.TempDir(), "s")), 1, nil, "a socket of unix: name an address by ListenStream=HOST:PORT"},
		"udp":    {unitOf(t, packets), 1, nil, "cannot be used"},
		"worker": {tcp, 1, []string{"--role", "worker", "--db", "postgres://nowhere.invalid/x"}, "systemctl mask --now transcriptd.socket"},
	} {
		code, _, stderr := finish(row.unit.prepare(t, row.sockets, append([]string{"serve"}, row.args...)...))
		assert.Equal(t, exitUsage, code, "%s: %s", name, stderr)
		assert.Contains(t, stderr, row.says, name)
	}

	// The socket of another process is not ours.
	cmd := program(t, append(tcp.env, "LISTEN_FDS=1", "LISTEN_PID=1"), "serve", "--listen", "127.0.0.1:0")
	p := await(t, cmd)
	assert.NotEqual(t, tcp.addr, p.addr)
	stop(t, p)
}
