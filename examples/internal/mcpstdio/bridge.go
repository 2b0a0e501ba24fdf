// Package mcpstdio lets an MCP client that starts programs use an MCP server on HTTP. The client
// writes messages to the standard input of the program, a message a line, and reads the answers
// from its standard output.
package mcpstdio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

const (
	// maxMessage is how many bytes a message of the client may have.
	maxMessage = 4 << 20
	// atOnce is how many requests of the client may wait for an answer at the same time.
	atOnce = 64
)

// Bridge connects one client to a server.
type Bridge struct {
	// URL is the address of the MCP server, as in http://localhost/mcp.
	URL string
	// Transport sends the requests. It adds the key, and may choose another host.
	Transport http.RoundTripper
	// LastAnswers is how long requests may still be answered after the end of the input.
	LastAnswers time.Duration

	ctx context.Context
	out io.Writer

	mu      sync.Mutex
	writing sync.Mutex
	version string                        // of the protocol, from the answer to "initialize"; empty means none yet
	waiting map[string]context.CancelFunc // requests without an answer, by their ids
	broken  error                         // why out accepts no more answers
}

// Run serves the client until its input ends or ctx ends; then it returns nil. An error says that the input has a message
// above 4 MiB, or that the input or the output is broken.
func (b *Bridge) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	b.ctx, b.out, b.waiting = ctx, out, map[string]context.CancelFunc{}
	lines := make(chan []byte)
	ended := make(chan error, 1)
	go func() { ended <- read(ctx, in, lines) }() // stays in its read if ctx ends
	var requests sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for {
		select {
		case <-ctx.Done():
			return b.broke()
		case err := <-ended:
			b.finish(&requests)
			return errors.Join(err, b.broke())
		case line := <-lines:
			m := parse(line)
			if b.cancels(m) {
				continue
			}
			select {
			case places <- struct{}{}:
			case <-ctx.Done():
				return b.broke()
			}
			requests.Go(func() {
				defer func() { <-places }()
				if b.answer(m) != nil {
					stop() // the output is broken
				}
			})
		}
	}
}

// read sends each line that is not empty. It returns nil at the end of the input.
func read(ctx context.Context, in io.Reader, lines chan<- []byte) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, maxMessage)
	for scanner.Scan() {
		if len(bytes.TrimSpace(scanner.Bytes())) == 0 {
			continue
		}
		select {
		case lines <- bytes.Clone(scanner.Bytes()):
		case <-ctx.Done():
			return nil
		}
	}
	if errors.Is(scanner.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a message on the standard input has more than %d bytes: shorten it", maxMessage)
	}
	return scanner.Err()
}

// finish waits a moment for the last answers.
func (b *Bridge) finish(requests *sync.WaitGroup) {
	all := make(chan struct{})
	go func() {
		defer close(all)
		requests.Wait()
	}()
	select {
	case <-all:
	case <-time.After(b.LastAnswers):
	case <-b.ctx.Done():
	}
}

// cancels reports whether the message cancels a request, and cancels the request. A stateless
// server on HTTP detects a cancellation by the end of the connection.
func (b *Bridge) cancels(m message) bool {
	if m.Method != "notifications/cancelled" {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if cancel := b.waiting[string(m.Params.RequestID)]; cancel != nil {
		cancel()
	}
	return true
}

// begin returns the context of a request, and a function for the end of the request.
func (b *Bridge) begin(m message) (context.Context, func()) {
	ctx, cancel := context.WithCancel(b.ctx)
	if !m.wantsAnswer() {
		return ctx, cancel
	}
	id := string(m.ID)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting[id] = cancel
	return ctx, func() {
		cancel()
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.waiting, id)
	}
}

// write writes one message to the client.
func (b *Bridge) write(message []byte) error {
	var line bytes.Buffer
	if err := json.Compact(&line, message); err != nil {
		return Final{errors.New("the service answered with something else than a message")}
	}
	line.WriteByte('\n')
	b.writing.Lock()
	defer b.writing.Unlock()
	if b.broken == nil {
		if _, err := b.out.Write(line.Bytes()); err != nil {
			b.broken = fmt.Errorf("writing an answer: %w", err)
		}
	}
	return b.broken
}

// broke returns the error that broke the output, or nil.
func (b *Bridge) broke() error {
	b.writing.Lock()
	defer b.writing.Unlock()
	return b.broken
}
