package delivery

import (
	"encoding/binary"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/internal/webhooksign"
	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// endpoint is an address of an account.
type endpoint struct {
	bun.BaseModel `bun:"table:webhook_endpoints,alias:w"`

	ID             string `bun:",pk"`
	Account        string // "" means that the endpoint is deleted, and its rows will be deleted soon
	URL            string `bun:"url"`
	Events         []webhook.EventType
	Description    string
	Status         webhook.Status
	DisabledReason string

	SigningKey  []byte // see webhooksign.ParseKey
	PreviousKey []byte // also signs until PreviousUntil
	// PreviousUntil is nil if there is no PreviousKey.
	PreviousUntil *time.Time

	Failures     int        // attempts that have failed since the last success
	FailingSince *time.Time // the time of the first of them
	NotBefore    *time.Time // the receiver gets no attempt before this time
	Slow         bool       // the endpoint has not yet proved that it answers quickly

	Step   int64      // the number of the only step that may work on the endpoint
	StepAt *time.Time // when the step checks for deliveries; nil if there is nothing to check
	// CreatedAt and UpdatedAt are as in webhook.Endpoint.
	CreatedAt time.Time
	UpdatedAt time.Time

	VerifiedURL *string `bun:"verified_url"` // the address that has answered with 2xx; nil if none has

	OldestAt *time.Time `bun:",scanonly"` // of the oldest pending delivery, if it was requested; see oldest
}

// delivery is an event for an endpoint.
type delivery struct {
	bun.BaseModel `bun:"table:webhook_deliveries,alias:d"`

	ID         string `bun:",pk"` // UUIDv7 of CreatedAt
	EndpointID string
	Type       webhook.EventType
	Body       string // of the request: webhook.Event as JSON
	Status     webhook.DeliveryStatus
	Attempts   int
	LastStatus *int
	LastError  *string
	NextAt     *time.Time // of a pending delivery
	EndedAt    *time.Time // of another one
	CreatedAt  time.Time
	ResentAt   *time.Time // when the account last resent it
}

// newID returns a UUIDv7 for a time, so that the order of ids is the order of times by the
// clock of this package.
func newID(at time.Time) (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", err
	}
	setTime(&id, at)
	return id.String(), nil
}

// firstID returns an id that is not above the ids of a time and of all later times, and
// above all earlier ones.
func firstID(at time.Time) string {
	id := uuid.UUID{6: 0x70, 8: 0x80}
	setTime(&id, at)
	return id.String()
}

func setTime(id *uuid.UUID, at time.Time) {
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(max(at.UnixMilli(), 0)))
	copy(id[:6], ms[2:])
}

// keys returns the keys that sign at the given time, newest first.
func (e *endpoint) keys(now time.Time) ([]webhooksign.Key, error) {
	k, err := webhooksign.ParseKey(e.SigningKey)
	if err != nil {
		return nil, err
	}
	all := []webhooksign.Key{k}
	if e.PreviousUntil != nil && now.Before(*e.PreviousUntil) {
		if k, err = webhooksign.ParseKey(e.PreviousKey); err != nil {
			return nil, err
		}
		all = append(all, k)
	}
	return all, nil
}

// named are the types that an endpoint receives only if it names them, because they were added
// after endpoints that want all types.
var named = []webhook.EventType{webhook.FollowEnded}

// wants reports whether the endpoint receives events of a type.
func (e *endpoint) wants(t webhook.EventType) bool {
	if t == webhook.Test || slices.Contains(e.Events, t) {
		return true
	}
	return len(e.Events) == 0 && !slices.Contains(named, t)
}

// endpoint converts an endpoint for its account.
func (s *Store) endpoint(e *endpoint) (*webhook.Endpoint, error) {
	k, err := webhooksign.ParseKey(e.SigningKey)
	if err != nil {
		return nil, err
	}
	w := &webhook.Endpoint{
		ID: e.ID, URL: e.URL, Events: e.Events, Description: e.Description, Status: e.Status, PublicKey: k.Public(),
		Verified: s.cfg.Trust || e.verified(), CreatedAt: transcript.At(e.CreatedAt), UpdatedAt: transcript.At(e.UpdatedAt),
	}
	if e.OldestAt != nil {
		w.OldestWaitingAt = new(transcript.At(*e.OldestAt))
	}
	if e.Status == webhook.Disabled {
		w.DisabledReason = &e.DisabledReason
	}
	return w, nil
}

// shown converts a delivery of an endpoint for its account.
func (s *Store) shown(e *endpoint, d *delivery) (*webhook.Delivery, error) {
	var event webhook.Event
	if err := json.Unmarshal([]byte(d.Body), &event); err != nil {
		return nil, err
	}
	w := &webhook.Delivery{
		ID: d.ID, Type: d.Type, Status: d.Status, Attempts: d.Attempts, LastStatus: d.LastStatus, LastError: d.LastError,
		CreatedAt: transcript.At(d.CreatedAt),
	}
	if id := event.Data.JobID; id != "" {
		w.JobID = &id
	}
	if id := event.Data.BatchID; id != "" {
		w.BatchID = &id
	}
	if d.NextAt != nil && (d.Type == webhook.Test || !s.onlyTests(e)) {
		w.NextAt = new(transcript.At(*d.NextAt))
	}
	return w, nil
}

// begin makes a delivery pending and due at once, as if it had not been attempted.
func (d *delivery) begin(now time.Time) {
	d.Status, d.Attempts, d.NextAt, d.EndedAt = webhook.Pending, 0, new(sqldb.Moment(now)), nil
}
