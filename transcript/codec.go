package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// resultBody is what the 200 body of POST /v1/transcript and a finished job have
// in common (contract 4). Its large member comes before the free-form one.
type resultBody struct {
	Format        Format          `json:"format"`
	Transcript    json.RawMessage `json:"transcript"` // an object, or a string when format is text
	Text          *string         `json:"text,omitempty"`
	Cached        bool            `json:"cached"`
	Stale         bool            `json:"stale,omitempty"`
	Language      string          `json:"language"`
	LengthSeconds *int            `json:"lengthSeconds"`
	LengthText    *string         `json:"lengthText"`
	Metadata      map[string]any  `json:"metadata"`
}

// resultWire is the 200 body of POST /v1/transcript.
type resultWire struct {
	Status         JobStatus      `json:"status"`
	MetadataStatus MetadataStatus `json:"metadataStatus"`
	resultBody
}

func (r *Result) body() (*resultBody, error) {
	b := &resultBody{
		Format: r.Format, Cached: r.Cached, Stale: r.Stale, Language: r.Language,
		LengthSeconds: r.LengthSeconds, LengthText: r.LengthText, Metadata: r.Metadata,
	}
	if b.Format == "" {
		b.Format = JSON
	}
	var large any = r.Transcript
	if r.Format == Text {
		large, b.Text = r.Text, &r.Text
	}
	var err error
	b.Transcript, err = json.Marshal(large)
	return b, err
}

// MarshalJSON returns the 200 body of POST /v1/transcript.
func (r Result) MarshalJSON() ([]byte, error) {
	body, err := r.body()
	if err != nil {
		return nil, err
	}
	return json.Marshal(resultWire{JobSuccess, r.MetadataStatus, *body})
}

// UnmarshalJSON reads the 200 body of POST /v1/transcript.
func (r *Result) UnmarshalJSON(b []byte) error {
	var w resultWire
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*r = Result{
		Format: w.Format, Cached: w.Cached, Stale: w.Stale,
		Language: w.Language, MetadataStatus: w.MetadataStatus,
		LengthSeconds: w.LengthSeconds, LengthText: w.LengthText, Metadata: w.Metadata,
	}
	switch {
	case isString(w.Transcript):
		return json.Unmarshal(w.Transcript, &r.Text)
	case len(w.Transcript) > 0:
		return json.Unmarshal(w.Transcript, &r.Transcript)
	case w.Text != nil:
		r.Text = *w.Text
	}
	return nil
}

func isString(b json.RawMessage) bool { return bytes.HasPrefix(bytes.TrimSpace(b), []byte{'"'}) }

// MarshalJSON returns the job with the members of its result beside its own.
func (j Job) MarshalJSON() ([]byte, error) {
	type plain Job
	if j.Result == nil {
		return json.Marshal(plain(j))
	}
	body, err := j.Result.body()
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		plain
		*resultBody
	}{plain(j), body})
}

// UnmarshalJSON reads a job, and its result where the body carries one.
func (j *Job) UnmarshalJSON(b []byte) error {
	type plain Job
	var head struct {
		plain
		Transcript json.RawMessage `json:"transcript"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return err
	}
	*j = Job(head.plain)
	if j.Status != JobSuccess || len(head.Transcript) == 0 {
		return nil
	}
	j.Result = new(Result)
	return json.Unmarshal(b, j.Result)
}

// progressWire is the data of a job.progress event (contract 6).
type progressWire struct {
	JobID          string         `json:"jobId"`
	Status         JobStatus      `json:"status"`
	Stage          Stage          `json:"stage"`
	Sequence       int            `json:"sequence"`
	Attempt        int            `json:"attempt"`
	Progress       *Progress      `json:"progress,omitempty"`
	MetadataStatus MetadataStatus `json:"metadataStatus,omitempty"`
	At             Time           `json:"at"`
}

// EventData is the data of e on the wire: one line of JSON.
func EventData(e Event) ([]byte, error) {
	if e.Type != EventProgress {
		return json.Marshal(e.Job)
	}
	return json.Marshal(progressWire{
		JobID: e.Job.JobID, Status: e.Job.Status, Stage: e.Job.Stage, Sequence: e.Job.Sequence,
		Attempt: e.Job.Attempt, Progress: e.Job.Progress, MetadataStatus: e.Job.MetadataStatus,
		At: e.Job.UpdatedAt,
	})
}

// DecodeEvent reads an event of a job's stream from its three fields. id may be
// empty. An event of a type that this version does not know, and
// stream.closing, which speaks of the stream and not of the job, are errors.
func DecodeEvent(name, id string, data []byte) (Event, error) {
	e := Event{Type: EventType(name)}
	if id != "" {
		n, err := strconv.Atoi(id)
		if err != nil || n < 1 {
			return Event{}, fmt.Errorf("transcript: id %q of a %s event is not a sequence", id, name)
		}
		e.ID = n
	}
	switch e.Type {
	case EventProgress:
		var w progressWire
		if err := json.Unmarshal(data, &w); err != nil {
			return Event{}, fmt.Errorf("transcript: data of a %s event: %w", name, err)
		}
		e.Job = Job{
			JobID: w.JobID, Status: w.Status, Stage: w.Stage, Sequence: w.Sequence, Attempt: w.Attempt,
			Progress: w.Progress, MetadataStatus: w.MetadataStatus, UpdatedAt: w.At,
		}
	case EventSnapshot, EventCompleted, EventFailed, EventCancelled:
		if err := json.Unmarshal(data, &e.Job); err != nil {
			return Event{}, fmt.Errorf("transcript: data of a %s event: %w", name, err)
		}
	default:
		return Event{}, fmt.Errorf("transcript: no event of a job is called %q", name)
	}
	return e, nil
}
