package server

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/pipeline"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Bounds of an event stream.
const (
	heartbeat     = 15 * time.Second
	maxStreamAge  = 30 * time.Minute
	streamRetry   = time.Second      // after which a client is to come back
	recheck       = 10 * time.Second // between two looks at the key: one that is revoked goes within 15 s
	eventTimeout  = 10 * time.Second // to write one event
	maxEventBytes = 256 << 10        // a larger one goes without its transcript

	defaultStreams = 20 // open at once, by account and process
)

// streamHeader is the header of GET /v1/transcript/job/{id}/events, for the
// document: a stream is opened whatever it says.
func streamHeader() request.Table {
	return request.Table{Fields: []*request.Field{request.New("Last-Event-ID", new(string), request.Text(0, 0))}}
}

// streamTranscriptJob is GET /v1/transcript/job/{id}/events.
func (s *Server) streamTranscriptJob(w http.ResponseWriter, r *http.Request) error {
	id, err := jobID(r)
	if err != nil {
		return err
	}
	p := principal(r)
	if !s.streams.open(p.Account, p.Plan.EventStreams) {
		return errTooManyStreams
	}
	defer s.streams.close(p.Account)

	after, err := strconv.Atoi(r.Header.Get("Last-Event-ID"))
	if err != nil {
		after = 0 // not usable: the stream begins with a snapshot
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	events, err := s.pipeline.Watch(ctx, p.Account, id, after)
	if errors.Is(err, pipeline.ErrNothingMore) {
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	if err != nil {
		return err
	}
	stream := newEventStream(w)
	if err := stream.begin(); err != nil {
		return nil // the client is gone
	}
	s.pump(ctx, stream, events, func() bool { return mayStay(ctx, account.Transcripts) })
	return nil
}

// watched is one turn of a watch.
type watched struct {
	event pipeline.Event
	err   error
}

// pump sends events until the job has ended, the stream is to close, the client
// may not stay, or is gone.
func (s *Server) pump(ctx context.Context, stream *eventStream, events iter.Seq2[pipeline.Event, error], mayStay func() bool) {
	next := make(chan watched)
	go func() {
		defer close(next)
		for event, err := range events {
			select {
			case next <- watched{event, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	beat, look, old := time.NewTicker(heartbeat), time.NewTicker(recheck), time.NewTimer(maxStreamAge)
	defer beat.Stop()
	defer look.Stop()
	defer old.Stop()
	for {
		var err error
		select {
		case turn, more := <-next:
			if !more {
				return // the terminal event was the last
			}
			if turn.err != nil {
				if ctx.Err() == nil {
					s.cfg.Log.ErrorContext(ctx, "an event stream failed", "err", turn.err)
				}
				return // the client comes back with its Last-Event-ID
			}
			err = stream.send(turn.event)
		case <-beat.C:
			err = stream.write([]byte(": ping\n\n"))
		case <-look.C:
			if !mayStay() {
				_ = stream.closing(transcript.Closing{Reason: transcript.ClosingUnauthorized})
				return
			}
		case <-s.serving.Done():
			_ = stream.closing(comeBack(transcript.ClosingShutdown)) // a client that is gone needs no goodbye
			return
		case <-old.C:
			_ = stream.closing(comeBack(transcript.ClosingMaxAge))
			return
		case <-ctx.Done():
			return
		}
		if err != nil {
			return // the client is gone, or does not read
		}
	}
}

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

// send writes an event. Only a transition has an id, so that Last-Event-ID is
// always a sequence.
func (e *eventStream) send(event pipeline.Event) (err error) {
	e.data, err = wire.AppendEvent(e.data[:0], &event.Event, event.SegmentsJSON)
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

// closing says that the server ends the stream, not the job.
func (e *eventStream) closing(c transcript.Closing) error {
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

// write sends b, or gives the client up that does not take it in time.
func (e *eventStream) write(b []byte) error {
	// A writer without deadlines (in a handler's own test) has no slow reader.
	_ = e.control.SetWriteDeadline(time.Now().Add(eventTimeout))
	if _, err := e.w.Write(b); err != nil {
		return err
	}
	return e.control.Flush()
}

// streamCounter counts the open streams of each account. The zero value is
// ready.
type streamCounter struct {
	mu      sync.Mutex
	streams map[string]int
}

// open counts a new stream, unless the account has as many as it may: limit 0
// is the default, a negative one no limit.
func (c *streamCounter) open(account string, limit int) bool {
	if limit == 0 {
		limit = defaultStreams
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if limit > 0 && c.streams[account] >= limit {
		return false
	}
	if c.streams == nil {
		c.streams = map[string]int{}
	}
	c.streams[account]++
	return true
}

func (c *streamCounter) close(account string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.streams[account]--; c.streams[account] <= 0 {
		delete(c.streams, account)
	}
}
