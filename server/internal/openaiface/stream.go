package openaiface

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/internal/api/jobs"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const mostSegments = 100 // in one delta, and in one write

// events writes the events of one request: only lines with data, without names and without an
// end mark.
type events struct {
	face    *Face
	ctx     context.Context // of the request
	account string
	asked   *form
	w       http.ResponseWriter
	control *http.ResponseController

	sent  int             // segments
	text  strings.Builder // of all deltas
	ended bool            // the last event was sent
}

// textDelta is an event with new text. An empty delta keeps the connection open, because some
// clients fail at a comment.
type textDelta struct {
	Type      string `json:"type"`
	Delta     string `json:"delta"`
	SegmentID string `json:"segment_id,omitempty"`
}

// textDone is the last event.
type textDone struct {
	Type      string         `json:"type"`
	Text      string         `json:"text"`
	Languages []languageCode `json:"languages"`
	Usage     doneUsage      `json:"usage"`
}

// doneUsage has the members of both kinds of usage. The service counts no tokens.
type doneUsage struct {
	usage
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
	TotalTokens  int `json:"total_tokens"`
}

// stream answers with events from the moment the job is accepted.
func (f *Face) stream(w http.ResponseWriter, r *http.Request, asked *form, out *intake.Outcome) error {
	ctx, leave := context.WithCancel(r.Context())
	defer leave()
	to := &events{face: f, ctx: ctx, account: edge.Principal(r).Account, asked: asked, w: w, control: http.NewResponseController(w)}
	if out.Result != nil {
		said, err := f.heard(ctx, to.account, asked, out.Result)
		if err != nil {
			return err
		}
		to.begin()
		_ = to.finish(said) // the client has disconnected, and can ask again
		return nil
	}
	watch, err := f.Pipeline.Jobs.Watch(ctx, to.account, out.Job.JobID, 0)
	if err != nil {
		return err
	}
	to.begin()
	defer edge.Waiting(ctx)()
	err = f.API.Jobs.Pump(ctx, leave, to, watch)
	if err != nil && !to.ended && r.Context().Err() == nil {
		_ = to.fail(edge.Unavailable()) // as above
	}
	return nil
}

// begin sends the headers at once, so that the client knows that the job is accepted.
func (e *events) begin() {
	h := e.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	e.w.WriteHeader(http.StatusOK)
	_ = e.control.Flush() // a writer without Flush sends the headers with the first event
}

// Send writes an event of the job in the form for this client.
func (e *events) Send(event view.Event) error {
	switch event.Type {
	case transcript.EventSegments:
		return e.add(event.Segments.Segments)
	case transcript.EventCompleted, transcript.EventFailed, transcript.EventCancelled:
		said, err := e.outcome(event)
		if err != nil {
			return e.fail(err)
		}
		return e.finish(said)
	}
	return nil
}

// outcome is the text of the job that has ended, or the reason why there is none.
func (e *events) outcome(event view.Event) (text, error) {
	job, err := e.face.Pipeline.Jobs.Job(e.ctx, e.account, event.Job.JobID, nil)
	if err != nil {
		return text{}, err
	}
	res, err := e.face.result(e.ctx, e.account, job)
	if err != nil {
		return text{}, err
	}
	return e.face.heard(e.ctx, e.account, e.asked, res)
}

// add sends further segments.
func (e *events) add(segments []transcript.Segment) error {
	for len(segments) > 0 {
		n := min(len(segments), mostSegments)
		if err := e.write(e.newEvents(segments[:n])...); err != nil {
			return err
		}
		segments = segments[n:]
	}
	return nil
}

// newEvents makes the events for some segments: one delta, or with speakers a delta and a
// segment for each.
func (e *events) newEvents(segments []transcript.Segment) []any {
	if e.asked.format != asDiarized {
		e.sent += len(segments)
		return []any{textDelta{Type: "transcript.text.delta", Delta: e.further(segments)}}
	}
	var all []any
	for i := range segments {
		one := text{segments: segments[i : i+1]}.diarized(e.sent)[0]
		e.sent++
		all = append(all, textDelta{"transcript.text.delta", e.further(segments[i : i+1]), one.ID}, one)
	}
	return all
}

// further is the text of segments that continues the previous deltas.
func (e *events) further(segments []transcript.Segment) string {
	said := joined(segments)
	if e.text.Len() > 0 && said != "" {
		said = " " + said
	}
	e.text.WriteString(said)
	return said
}

// finish sends the rest of the text, and then the whole text. The whole text is the result:
// it may differ from the deltas if a part of the recording was recognized again.
func (e *events) finish(said text) error {
	if rest := said.segments[min(e.sent, len(said.segments)):]; strings.HasPrefix(said.whole(), e.text.String()) {
		if err := e.add(rest); err != nil {
			return err
		}
	}
	e.ended = true
	return e.write(textDone{
		"transcript.text.done", said.whole(), said.languages(),
		doneUsage{usage: said.usage()},
	})
}

// Beat keeps the connection open.
func (e *events) Beat() error { return e.write(textDelta{Type: "transcript.text.delta"}) }

// Closing says why the stream ends before the job does.
func (e *events) Closing(c transcript.Closing) error {
	if c.Reason == transcript.ClosingUnauthorized {
		return e.fail(&transcript.Error{Code: transcript.InvalidCredential})
	}
	return e.fail(edge.Unavailable())
}

// fail ends the stream with an error.
func (e *events) fail(err error) error {
	e.ended = true
	coded, business := edge.BusinessFailure(err)
	switch {
	case business:
	case errors.Is(err, db.ErrUnavailable):
		coded = edge.Unavailable()
	default: // a fault of the service, or of the job
		coded = &transcript.Error{Code: transcript.Internal}
	}
	return e.write(failed{failureOf(coded)})
}

func (e *events) write(all ...any) error {
	var out []byte
	for _, event := range all {
		data, err := json.Marshal(event)
		if err != nil {
			return err
		}
		out = append(append(append(out, "data: "...), data...), "\n\n"...)
	}
	if _, err := e.w.Write(out); err != nil {
		return err
	}
	return e.control.Flush()
}

var _ jobs.Watcher = (*events)(nil)
