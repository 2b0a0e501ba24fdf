package mcpstdio

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/examples/internal/plain"
	"github.com/transcriptkit/transcriptkit/examples/internal/progress"
)

// The codes of JSON-RPC that the bridge itself answers with.
const (
	parseError    = -32700
	internalError = -32603
)

// patience is how long a request is sent again whose connection ends before the answer, or which
// the service puts off. The service may have ended with its process; then the transport finds or
// starts another.
const patience = 30 * time.Second

// The pauses between two attempts.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 2 * time.Second
)

// maxAnswer is how many bytes of an answer the bridge reads.
const maxAnswer = 64 << 20

// Final is an error of a transport after which another attempt does not help.
type Final struct{ Err error }

func (f Final) Error() string { return f.Err.Error() }

// Unwrap returns the error.
func (f Final) Unwrap() error { return f.Err }

var errUnanswered = errors.New("the connection to the service ended before the answer")

// answer sends a message until it is answered, and writes the answer. The error says that
// the output is broken.
func (b *Bridge) answer(m message) error {
	if m.bad {
		return b.write(failure(nil, parseError, "The line is no JSON: write one message a line."))
	}
	ctx, end := b.begin(m)
	defer end()
	err := b.attempts(ctx, m)
	if err == nil || ctx.Err() != nil || b.broke() != nil || !m.wantsAnswer() {
		return b.broke()
	}
	return b.write(failure(m.ID, internalError, progress.OneLine(plain.Words(err))))
}

// attempts sends a message until it is answered. All attempts have the same key, so that a batch
// is created once.
func (b *Bridge) attempts(ctx context.Context, m message) error {
	key, end := rand.Text(), time.Now().Add(patience)
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := b.send(ctx, m, key)
		var final Final
		if err == nil || errors.As(err, &final) || b.broke() != nil || time.Now().Add(pause).After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// send sends a message and writes what comes back.
func (b *Bridge) send(ctx context.Context, m message, key string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, b.URL, bytes.NewReader(m.line))
	if err != nil {
		return Final{err}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if m.Method == "tools/call" {
		r.Header.Set("Idempotency-Key", key)
	}
	b.mu.Lock()
	m.mirror(r.Header, b.version)
	b.mu.Unlock()
	res, err := b.Transport.RoundTrip(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body := io.LimitReader(res.Body, maxAnswer)
	if kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); kind == "text/event-stream" { // an unknown media type does not count as a stream
		return b.stream(m, body)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return errUnanswered
	}
	return b.single(m, res.StatusCode, text)
}

// single writes an answer that is one message. Any other text is an answer of the service that
// has not read the message, for example to a wrong key.
func (b *Bridge) single(m message, status int, text []byte) error {
	var answer struct {
		Version string `json:"jsonrpc"`
	}
	if json.Unmarshal(text, &answer) == nil && answer.Version != "" { // any other text has another form
		return b.deliver(m, text)
	}
	if !m.wantsAnswer() {
		return nil
	}
	err := fmt.Errorf("the service answered with status %d: %s", status, bytes.TrimSpace(text[:min(len(text), 300)]))
	if status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
		return err
	}
	return Final{err}
}

// stream writes the messages of a stream of events. The last one is the answer.
func (b *Bridge) stream(m message, body io.Reader) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxAnswer)
	var data strings.Builder
	for lines.Scan() {
		if text, is := strings.CutPrefix(lines.Text(), "data:"); is {
			data.WriteString(strings.TrimPrefix(text, " "))
			continue
		}
		if lines.Text() != "" || data.Len() == 0 {
			continue
		}
		event := []byte(data.String())
		data.Reset()
		if err := b.deliver(m, event); err != nil {
			return err
		}
		if parse(event).answers(m) {
			return nil
		}
	}
	if m.wantsAnswer() {
		return errUnanswered
	}
	return nil
}

// deliver writes a message of the server, and keeps the version that "initialize" agrees on.
func (b *Bridge) deliver(m message, text []byte) error {
	if m.Method == "initialize" {
		b.mu.Lock()
		b.version = parse(text).Result.Version
		b.mu.Unlock()
	}
	return b.write(text)
}
