package jobs

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"strconv"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/openapi"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Bounds of an event stream.
const (
	heartbeat     = 15 * time.Second
	maxStreamAge  = 30 * time.Minute
	streamRetry   = time.Second      // after which the client should connect again
	recheck       = 10 * time.Second // between two checks of the key, so that the stream of a revoked key ends within 15 s
	maxEventBytes = 256 << 10        // a larger event is sent without its transcript
)

func (j *Jobs) streamRoute() edge.Route {
	return edge.Route{
		Method: http.MethodGet, Pattern: "/v1/transcript/job/{id}/events",
		Operation: "streamTranscriptJob", Tag: "jobs",
		Summary: "Follow a job as server-sent events, after Last-Event-ID.",
		Scope:   account.Transcripts, Polls: true, Handle: j.streamTranscriptJob,
		Path: byID.Path(new(string)), Header: streamHeader(),
		Answers: []edge.Answer{
			{Status: http.StatusOK, Body: "", ContentType: "text/event-stream"},
			{Status: http.StatusNoContent},
		},
		Codes: []transcript.Code{transcript.NotFound},
		Events: map[transcript.EventType]any{
			transcript.EventSnapshot:  openapi.Job{},
			transcript.EventProgress:  wire.Progress{},
			transcript.EventSegments:  transcript.EarlySegments{},
			transcript.EventCompleted: openapi.Job{},
			transcript.EventFailed:    openapi.Job{},
			transcript.EventCancelled: openapi.Job{},
			transcript.EventClosing:   transcript.Closing{},
		},
	}
}

// streamHeader is the header of GET /v1/transcript/job/{id}/events, for the document. Any
// value of the header is accepted.
func streamHeader() request.Table {
	return request.Table{Fields: []*request.Field{request.New("Last-Event-ID", new(string), request.Text(0, 0)).
		About("The last id that the caller has seen: the stream continues after it.")}}
}

// streamTranscriptJob is GET /v1/transcript/job/{id}/events.
func (j *Jobs) streamTranscriptJob(w http.ResponseWriter, r *http.Request) error {
	p := edge.Principal(r)
	closed, err := j.OpenStream(r.Context(), p)
	if err != nil {
		return err
	}
	defer closed()
	id, err := byID.ID(r)
	if err != nil {
		return err
	}
	after, err := strconv.Atoi(r.Header.Get("Last-Event-ID"))
	if err != nil {
		after = 0 // not usable: the stream begins with a snapshot
	}
	ctx, leave := context.WithCancel(r.Context())
	defer leave()
	events, err := j.Pipeline.Jobs.Watch(ctx, p.Account, id, after)
	if errors.Is(err, view.ErrNothingMore) {
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	if err != nil {
		return err
	}
	stream := newEventStream(w)
	if err := stream.begin(); err != nil {
		return nil // the client has disconnected
	}
	defer edge.Waiting(ctx)()
	_ = j.pump(ctx, leave, stream, events, mayStay(ctx), maxStreamAge) // the client connects again with its Last-Event-ID
	return nil
}

// Watcher is told about the changes of a job. An error of a watcher means that its client
// has disconnected.
type Watcher interface {
	Send(e view.Event) error
	Beat() error // keeps the connection open while nothing happens
	// Closing says that the watch ends before the job does.
	Closing(c transcript.Closing) error
}

// Pump tells a watcher about the changes of a job until the job has ended, the server stops, the
// caller loses its permission, or the client disconnects. Pump ends the watch with leave, which
// cancels ctx. Pump returns an error if the events have failed.
func (j *Jobs) Pump(ctx context.Context, leave func(), to Watcher, events iter.Seq2[view.Event, error]) error {
	return j.pump(ctx, leave, to, events, mayStay(ctx), 0)
}

// OpenStream counts one of the event streams that an account may have open at once, until closed is
// called. If the account has no stream left, OpenStream refuses.
func (j *Jobs) OpenStream(ctx context.Context, p account.Principal) (closed func(), err error) {
	closed, ok := j.Streams.Take(ctx, p)
	if !ok {
		return nil, edge.RateLimited(5 * time.Second)
	}
	return closed, nil
}

// watched is the result of one turn of a watch.
type watched struct {
	event view.Event
	err   error
}

// pump is Pump for a watch of limited age; 0 means no limit.
func (j *Jobs) pump(ctx context.Context, leave func(), to Watcher, events iter.Seq2[view.Event, error], mayStay func() bool, age time.Duration) error {
	next := deliver(ctx, events)
	defer func() {
		leave()
		for range next { // until it is closed
		}
	}()
	beat, look := time.NewTicker(heartbeat), time.NewTicker(recheck)
	defer beat.Stop()
	defer look.Stop()
	var old <-chan time.Time // never, if the age is not limited
	if age > 0 {
		timer := time.NewTimer(age)
		defer timer.Stop()
		old = timer.C
	}
	for {
		var err error
		select {
		case turn, more := <-next:
			if !more {
				return nil // the terminal event was the last event
			}
			if turn.err != nil {
				if ctx.Err() == nil {
					j.Log.ErrorContext(ctx, "an event stream failed", "err", turn.err)
				}
				return turn.err
			}
			err = to.Send(turn.event)
		case <-beat.C:
			err = to.Beat()
		case <-look.C:
			if !mayStay() {
				_ = to.Closing(transcript.Closing{Reason: transcript.ClosingUnauthorized}) // a client that has disconnected needs no closing event
				return nil
			}
		case <-j.Lifetime.Ended():
			_ = to.Closing(comeBack(transcript.ClosingShutdown)) // a client that has disconnected needs no closing event
			return nil
		case <-old:
			_ = to.Closing(comeBack(transcript.ClosingMaxAge)) // a client that has disconnected needs no closing event
			return nil
		case <-ctx.Done():
			return nil
		}
		if err != nil {
			return nil //nolint:nilerr // the client is gone, or does not read
		}
	}
}

// mayStay asks whether the caller of ctx's request may continue to watch.
func mayStay(ctx context.Context) func() bool {
	return func() bool { return edge.MayStay(ctx, account.Transcripts) }
}

// deliver sends the turns of a watch through a channel, which is closed when the
// watch has ended.
func deliver(ctx context.Context, events iter.Seq2[view.Event, error]) <-chan watched {
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
	return next
}
