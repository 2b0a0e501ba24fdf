package jobs

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// eventStream writes server-sent events (WHATWG HTML, 9.2).
type eventStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	data    []byte // reused
	out     []byte // reused
}

func newEventStream(w http.ResponseWriter) *eventStream {
	return &eventStream{w: w, control: http.NewResponseController(w)}
}

// begin sends the headers and the first bytes at once, so that a client knows
// that it is connected.
func (e *eventStream) begin() error {
	h := e.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	e.w.WriteHeader(http.StatusOK)
	return e.write([]byte("retry: 3000\n: connected\n\n"))
}

// Send writes an event. Only a transition has an id, so Last-Event-ID is always a
// sequence.
func (e *eventStream) Send(event view.Event) (err error) {
	segments, err := event.SegmentsJSON.Plain()
	if err != nil {
		return fmt.Errorf("server: rendering an event: %w", err)
	}
	e.data, err = wire.AppendEvent(e.data[:0], &event.Event, segments)
	if err == nil && len(e.data) > maxEventBytes {
		event.Job.Result = nil
		e.data, err = wire.AppendEvent(e.data[:0], &event.Event, nil)
	}
	if err != nil {
		return fmt.Errorf("server: rendering an event: %w", err)
	}
	e.out = append(e.out[:0], "event: "...)
	e.out = append(e.out, event.Type...)
	if event.ID != 0 {
		e.out = append(e.out, "\nid: "...)
		e.out = strconv.AppendInt(e.out, int64(event.ID), 10)
	}
	e.out = append(e.out, "\ndata: "...)
	e.out = append(e.out, e.data...)
	e.out = append(e.out, "\n\n"...)
	return e.write(e.out)
}

// Beat writes a comment.
func (e *eventStream) Beat() error { return e.write([]byte(": ping\n\n")) }

// Closing says that the server ends the stream while the job continues.
func (e *eventStream) Closing(c transcript.Closing) error {
	data, err := wire.AppendEvent(nil, &transcript.Event{Type: transcript.EventClosing, Closing: &c}, nil)
	if err != nil {
		return err
	}
	return e.write(fmt.Appendf(nil, "event: %s\ndata: %s\n\n", transcript.EventClosing, data))
}

// comeBack tells the client to connect again soon.
func comeBack(reason string) transcript.Closing {
	return transcript.Closing{Reason: reason, RetryMS: int(streamRetry / time.Millisecond)}
}

// write sends b. The edge disconnects a client that does not read it in time.
func (e *eventStream) write(b []byte) error {
	if _, err := e.w.Write(b); err != nil {
		return err
	}
	return e.control.Flush()
}
