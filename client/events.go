package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/r3labs/sse/v2"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// streamFailures is how many connections in a row may fail, or bring no progress,
	// before a sequence of events gives up.
	streamFailures = 10
	// streamLasts is how long a connection stands that has not failed, also when the
	// job waits and there is nothing to tell.
	streamLasts = time.Minute
)

// Events yields a job's current state, then each transition and the progress between
// transitions, until the job ends. While the service recognizes speech, job.segments
// events hold the text of finished parts of the recording. The last event is the
// terminal event: completed, failed or cancelled. A failed job is an event, not an
// error.
//
// If a connection breaks, the sequence resumes after the last transition: it misses and
// repeats no transition, and it repeats no segment of job.segments. It resumes with
// growing pauses after 429, 502, 503 and broken or silent connections, and never with
// [NoRetry]. Any other failure ends the sequence with its error. If ten connections in
// a row last less than a minute each and the job makes no progress, the sequence ends
// with the error of the last connection. When ctx ends, the sequence ends with the
// error of ctx. If the key is revoked or expires while a stream is open, the sequence
// ends with an [*Error] with the status 401. A sequence that ends without an error has
// yielded the terminal event. There is one exception: with WithHeader("Last-Event-ID",
// n) the sequence begins after transition n, and is empty if n was the last transition.
//
// The client sends nothing before the caller ranges over the sequence. Each range
// starts from the beginning. Leaving the loop closes the connection.
func (s *JobService) Events(ctx context.Context, id string, opts ...RequestOption) iter.Seq2[transcript.Event, error] {
	opts = slices.Clone(opts)
	return func(yield func(transcript.Event, error) bool) {
		set, err := s.client.settings(opts)
		if err == nil {
			err = s.follow(ctx, id, set, yield)
		}
		if err != nil {
			yield(transcript.Event{}, err)
		}
	}
}

// follow reads connection after connection. It returns nil when the sequence has
// come to its end or the consumer has left.
func (s *JobService) follow(ctx context.Context, id string, set settings, yield func(transcript.Event, error) bool) error {
	path, err := jobPath(id)
	if err != nil {
		return err
	}
	transport, err := wrap(s.client.http.Transport, set.middleware)
	if err != nil {
		return err
	}
	st := &stream{client: s.client, settings: set, transport: transport, path: path + "/events", lastID: set.header.Get("Last-Event-ID")}
	w := &watcher{id: id, path: st.path, response: set.response, yield: yield}
	w.last, _ = strconv.Atoi(st.lastID) // 0 when it is no number: the service sends a snapshot then
	pauses := set.retry.pauses()
	for failures := 0; ; {
		st.attempt++
		w.connection = connection{}
		began := time.Now()
		err := st.read(ctx, w.take)
		if w.over || errors.Is(err, errNoContent) {
			return nil
		}
		if w.unauthorized {
			return st.unauthorized()
		}
		if w.malformed != nil && err == nil {
			return fmt.Errorf("client: GET %s: %w", st.path, w.malformed)
		}
		if w.malformed != nil {
			err = fmt.Errorf("%w; the last event could not be read: %w", err, w.malformed)
		}
		failures++
		if w.progress || time.Since(began) >= streamLasts {
			failures = 1
			pauses.reset()
		}
		wait, err := w.pause(ctx, &set, pauses, failures, err)
		if err != nil {
			return err
		}
		if err := sleep(ctx, wait); err != nil {
			return fmt.Errorf("client: GET %s: %w", st.path, err)
		}
		if w.last > 0 {
			st.lastID = strconv.Itoa(w.last)
		}
	}
}

// pause returns how long to wait before the next connection, or the error that ends the
// sequence. err is why the last one ended; nil when the service has closed it.
func (w *watcher) pause(ctx context.Context, set *settings, pauses *pauses, failures int, err error) (time.Duration, error) {
	if w.closing {
		err = &transportError{http.MethodGet, w.path, errClosing}
	}
	// Of a connection that breaks the caller learns no more before the deadline. A refusal
	// is told at once when the pause would not end before the deadline.
	until := ctx
	if refused := (*Error)(nil); !errors.As(err, &refused) {
		until = context.WithoutCancel(ctx)
	}
	wait, again := pauses.next(until, http.MethodGet, err)
	switch {
	case ctx.Err() != nil:
		return 0, fmt.Errorf("client: GET %s: %w", w.path, contextError(ctx))
	case !again, failures >= streamFailures, set.retry.Attempts == 1 && !w.closing:
		return 0, err
	case w.closing:
		return max(w.retry, wait), nil
	}
	set.tryingAgain(err, wait)
	return wait, nil
}

// errClosing is how a connection ended that the service has announced to close.
var errClosing = errors.New("the service closes each connection before there is progress")

// watcher turns the messages of successive connections into one sequence.
type watcher struct {
	id       string    // of the job
	path     string    // of its events
	response *Response // the caller asked for it; nil: no
	yield    func(transcript.Event, error) bool
	last     int     // the highest transition that the consumer knows of
	told     int     // the highest sequence that the consumer was told of
	over     bool    // the terminal event was seen, or the consumer has left
	share    float64 // of the recognition that is done, as far as told
	texts    int     // early segments that the consumer was told of
	job      transcript.Job
	connection
}

// connection is what the watcher remembers of the running one.
type connection struct {
	progress     bool          // the job went on
	closing      bool          // the service announced that it will end the stream
	retry        time.Duration // and when to come back
	unauthorized bool          // or that the key is no longer good
	malformed    error         // the last message could not be read
}

// take handles one message and reports whether to go on reading.
func (w *watcher) take(m *sse.Event) bool {
	if w.malformed != nil {
		return false // what follows proves that it was not just cut off
	}
	// The id is not the decoder's to judge: see pass.
	event, err := wire.DecodeEvent(string(m.Event), "", m.Data)
	switch {
	case err != nil:
		w.malformed = err
		return true
	case event.Closing != nil:
		w.closing = true
		w.unauthorized = event.Closing.Reason == transcript.ClosingUnauthorized
		w.retry = time.Duration(min(max(event.Closing.RetryMS, 0), 60_000)) * time.Millisecond
		return false
	case event.Job.JobID == "":
		return true // an event of a later version
	case !strings.EqualFold(event.Job.JobID, w.id): // the service reads an id in capitals too
		w.malformed = errors.New("it is of another job")
		return true
	}
	if event.Segments != nil {
		return w.early(event, m.Data)
	}
	return w.pass(event, string(m.ID), m.Data)
}

// early yields the segments of finished chunks that the consumer does not know. Each
// connection begins with all of them.
func (w *watcher) early(event transcript.Event, data []byte) bool {
	e := event.Segments
	if known := w.texts - e.From; known > 0 {
		known = min(known, len(e.Segments))
		e.From, e.Segments = e.From+known, e.Segments[known:]
	}
	if len(e.Segments) == 0 {
		return true
	}
	w.texts, w.progress = e.From+len(e.Segments), true
	if w.job.JobID != "" {
		event.Job = w.job
	}
	w.over = !w.tell(event, data)
	return !w.over
}

// tell yields an event, and says what it was read from.
func (w *watcher) tell(event transcript.Event, data []byte) bool {
	w.response.read(data, wire.EventData(event.Type))
	return w.yield(event, nil)
}

// pass yields the event unless the consumer knows it. The parser gives an event
// without an id the last one, so an id counts only where it is the event's own
// sequence and new.
func (w *watcher) pass(event transcript.Event, id string, data []byte) bool {
	sequence := event.Job.Sequence
	terminal := event.Type != transcript.EventSnapshot && event.Type != transcript.EventProgress
	switch {
	case terminal:
		event.ID = sequence
	case event.Type == transcript.EventSnapshot && sequence == w.told:
		return true // the consumer has been told of it
	case event.Type == transcript.EventSnapshot:
		// A snapshot stands for every transition before it. That of a job which
		// has ended does not: its terminal event is still to come.
		if !event.Job.Status.Terminal() {
			w.last = max(w.last, sequence)
		}
	case sequence < w.last:
		return true
	case sequence > w.last && id == strconv.Itoa(sequence):
		event.ID = sequence
		w.last = sequence
	}
	w.notice(event.Job)
	w.job = event.Job
	if !w.tell(event, data) || terminal {
		w.over = true
	}
	return !w.over
}

// notice notes whether the job went on since the consumer was told of it last.
func (w *watcher) notice(job transcript.Job) {
	share := 0.0
	if job.Progress != nil {
		share = job.Progress.Fraction
	}
	if job.Sequence > w.told || job.Sequence == w.told && share > w.share {
		w.told, w.share, w.progress = job.Sequence, share, true
	}
}
