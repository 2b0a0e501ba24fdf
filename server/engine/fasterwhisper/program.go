package fasterwhisper

import (
	"bytes"
	"context"
	_ "embed" // the server's text
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine"
)

//go:embed server.py
var server string

const (
	// longestRun exceeds the hour after which the server takes no more requests, and the longest
	// request.
	longestRun = 4 * time.Hour
	// mostMemory is far more than the model needs, which is 250 MB.
	mostMemory = 4 << 30
	mostOutput = 1 << 20
	maxReason  = 200 // characters
)

// start starts the server. The connection is its standard input and output.
func (r *Recognizer) start(ctx context.Context, _, _ string) (net.Conn, error) {
	requests, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, answers, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, requests.Close(), in.Close())
	}
	// The server also takes later requests, so the end of this request does not end the server.
	ctx, end := context.WithCancel(context.WithoutCancel(ctx))
	c := &connection{in: in, out: out, end: end, ended: make(chan struct{})}
	go func() {
		defer close(c.ended)
		c.reason = r.run(ctx, requests, answers)
		_ = requests.Close() // the program has its own copies
		_ = answers.Close()
		end()
	}()
	return c, nil
}

// run runs the server to its end, and returns the reason of the end.
func (r *Recognizer) run(ctx context.Context, requests io.Reader, answers io.Writer) error {
	exit, err := r.host.Programs.Run(ctx, engine.Command{
		Program: r.python,
		Args:    []string{"-I", "-B", "-c", server},
		Reads:   []string{filepath.Dir(filepath.Dir(r.python))},
		Stdin:   requests,
		Stdout:  answers,
		Limits: engine.Limits{
			Wall: longestRun, CPU: longestRun * time.Duration(runtime.NumCPU()+1), Memory: mostMemory, FileSize: mostOutput,
		},
	})
	if err != nil {
		return err
	}
	lines := bytes.Split(bytes.TrimSpace(exit.Stderr), []byte("\n"))
	return fmt.Errorf("%s ended with exit code %d: %s", name, exit.Code, clip.Line(string(lines[len(lines)-1]), maxReason))
}

// connection is the way to a running server. It implements [net.Conn].
type connection struct {
	in, out *os.File
	end     context.CancelFunc
	ended   chan struct{} // closed when the server has ended
	reason  error         // why it has ended
}

// Read reads answers. After the server's end the error has the reason.
func (c *connection) Read(b []byte) (int, error) {
	n, err := c.out.Read(b)
	if errors.Is(err, io.EOF) {
		<-c.ended
		err = c.reason
	}
	return n, err
}

// Write writes requests. Its error after the server's end has the reason too.
func (c *connection) Write(b []byte) (int, error) {
	n, err := c.in.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		<-c.ended
		err = c.reason
	}
	return n, err
}

// Close ends the server, even while it works.
func (c *connection) Close() error {
	c.end()
	return errors.Join(c.in.Close(), c.out.Close())
}

func (c *connection) LocalAddr() net.Addr  { return pipe{} }
func (c *connection) RemoteAddr() net.Addr { return pipe{} }
func (c *connection) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}
func (c *connection) SetReadDeadline(t time.Time) error  { return c.out.SetReadDeadline(t) }
func (c *connection) SetWriteDeadline(t time.Time) error { return c.in.SetWriteDeadline(t) }

// pipe is the address of both ends.
type pipe struct{}

func (pipe) Network() string { return "pipe" }
func (pipe) String() string  { return name }
