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

// streamFailures is how many connections in a row may fail, or bring nothing,
// before a sequence of events gives up.
const streamFailures = 10

// Events follows a job from where it stands to its end: a snapshot first, then
// every transition, and progress between them. The last event is the terminal
// one (completed, failed, cancelled); a job that failed is an event, not an
// error.
//
// The sequence outlives its connections: it resumes after the last transition
// seen, misses none and repeats none. Only 429, 502, 503 and broken or silent
// connections are resumed after, ten in a row at most, and none with
// [NoRetry]. Anything else, and the end of ctx, is yielded as the error that
// ends the sequence; a key that is revoked or expires while a stream is open is an
// [*Error] with the status 401, as it would be at the next call. A sequence that
// ends without an error has seen the terminal event. The one exception: with
// WithHeader("Last-Event-ID", n) it begins after transition n, and is empty when
// that was the last.
//
// Nothing is sent before the sequence is ranged over; each range starts anew;
// leaving the loop releases the connection.
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
	st := &stream{client: s.client, settings: set, path: path + "/events", lastID: set.header.Get("Last-Event-ID")}
	w := &watcher{id: id, yield: yield}
	w.last, _ = strconv.Atoi(st.lastID) // 0 when it is no number: the service sends a snapshot then
	pauses := set.retry.pauses()
	for failures := 0; ; {
		st.attempt++
		w.connection = connection{}
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
		if w.moved || w.closing {
			failures = 0
			pauses.reset()
		}
		wait := max(w.retry, set.retry.MinWait)
		if !w.closing {
			failures++
			next, again := pauses.next(ctx, http.MethodGet, err)
			if !again || failures >= streamFailures || set.retry.Attempts == 1 {
				return err
			}
			wait = next
			set.tryingAgain(err, wait)
		}
		if err := sleep(ctx, wait); err != nil {
			return fmt.Errorf("client: GET %s: %w", st.path, err)
		}
		if w.last > 0 {
			st.lastID = strconv.Itoa(w.last)
		}
	}
}

// watcher turns the messages of successive connections into one sequence.
type watcher struct {
	id    string // of the job
	yield func(transcript.Event, error) bool
	last  int  // the highest transition that the consumer knows of
	over  bool // the terminal event was seen, or the consumer has left
	connection
}

// connection is what the watcher remembers of the running one.
type connection struct {
	moved        bool          // an event came
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
	return w.pass(event, string(m.ID))
}

// pass yields the event unless the consumer knows it. The parser gives an event
// without an id the last one, so an id counts only where it is the event's own
// sequence and new.
func (w *watcher) pass(event transcript.Event, id string) bool {
	sequence := event.Job.Sequence
	terminal := event.Type != transcript.EventSnapshot && event.Type != transcript.EventProgress
	switch {
	case terminal:
		event.ID = sequence
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
	w.moved = true
	if !w.yield(event, nil) || terminal {
		w.over = true
	}
	return !w.over
}
