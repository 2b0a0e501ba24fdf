package transcript

import (
	"encoding/json"
	"fmt"
)

// resultMembers are the members that both the 200 of POST /v1/transcript and a finished
// job have.
type resultMembers struct {
	Format        Format      `json:"format"`
	Text          *string     `json:"text,omitempty"`
	Cached        bool        `json:"cached"`
	Stale         bool        `json:"stale,omitempty"`
	NothingHeard  bool        `json:"nothingHeard,omitempty"`
	Language      string      `json:"language"`
	LengthSeconds *int        `json:"lengthSeconds"`
	LengthText    *string     `json:"lengthText"`
	Recognizer    *Recognizer `json:"recognizer,omitempty"`
	Sound
	Metadata map[string]any `json:"metadata"`
	// Transcript is a *Transcript, a string or nil when it is encoded, and an *eitherText
	// when it is decoded. It must stay the last member, because package format renders the
	// transcript separately and inserts it at the end.
	Transcript any `json:"transcript"`
}

type resultWire struct {
	Status         JobStatus      `json:"status"`
	MetadataStatus MetadataStatus `json:"metadataStatus"`
	resultMembers
}

type plainJob Job // without the methods

type jobWire struct {
	plainJob
	resultMembers
}

// MarshalJSON returns the body of a 200 answer of POST /v1/transcript.
func (r Result) MarshalJSON() ([]byte, error) {
	return json.Marshal(resultWire{JobSuccess, r.MetadataStatus, r.members()})
}

// UnmarshalJSON reads the body of a 200 answer of POST /v1/transcript and replaces all
// of r. It ignores unknown members.
func (r *Result) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	var text eitherText
	w := resultWire{resultMembers: resultMembers{Transcript: &text}}
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("transcript: result: %w", err)
	}
	*r = w.result(text, w.MetadataStatus)
	return nil
}

// MarshalJSON returns a JSON object with the job's members and, if j has a Result,
// those of the result.
func (j Job) MarshalJSON() ([]byte, error) {
	if j.Result == nil {
		return json.Marshal(plainJob(j))
	}
	if j.MetadataStatus == "" {
		j.MetadataStatus = j.Result.MetadataStatus
	}
	return json.Marshal(jobWire{plainJob(j), j.Result.members()})
}

// UnmarshalJSON reads a job and replaces all of j. It sets Result if the status is
// success and the JSON contains the text. It ignores unknown members.
func (j *Job) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	var text eitherText
	w := jobWire{resultMembers: resultMembers{Transcript: &text}}
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("transcript: job: %w", err)
	}
	*j = Job(w.plainJob)
	if j.Status == JobSuccess && text.present() {
		r := w.result(text, j.MetadataStatus)
		j.Result = &r
	}
	return nil
}

func (r *Result) members() resultMembers {
	m := resultMembers{
		Format: JSON, Cached: r.Cached, Stale: r.Stale, NothingHeard: r.NothingHeard, Language: r.Language,
		LengthSeconds: r.LengthSeconds, LengthText: r.LengthText, Recognizer: r.Recognizer, Sound: r.Sound, Metadata: r.Metadata,
	}
	switch {
	case r.Format == Text:
		m.Format, m.Text, m.Transcript = Text, &r.Text, r.Text
	case r.Transcript != nil:
		t := *r.Transcript
		if t.Segments == nil {
			t.Segments = []Segment{} // a required member is never null
		}
		m.Transcript = &t
	}
	return m
}

func (m *resultMembers) result(text eitherText, s MetadataStatus) Result {
	r := Result{
		Format: m.Format, Transcript: text.transcript, Cached: m.Cached, Stale: m.Stale, NothingHeard: m.NothingHeard, Language: m.Language,
		MetadataStatus: s, LengthSeconds: m.LengthSeconds, LengthText: m.LengthText,
		Recognizer: m.Recognizer, Sound: m.Sound, Metadata: m.Metadata,
	}
	switch {
	case text.text != nil:
		r.Text = *text.text
	case m.Text != nil:
		r.Text = *m.Text
	}
	return r
}

// eitherText is the `transcript` member: an object or the text itself.
type eitherText struct {
	transcript *Transcript
	text       *string
}

func (e *eitherText) present() bool { return e.transcript != nil || e.text != nil }

// UnmarshalJSON distinguishes the two by the first byte, which is never white space here.
func (e *eitherText) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, &e.text)
	}
	return json.Unmarshal(data, &e.transcript)
}
