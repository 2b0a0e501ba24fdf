// Package delivery tells the endpoints of accounts about ended jobs, batches and follows. Each
// event for an endpoint is a delivery: a row that is written in the transaction that ends the job,
// the batch or the follow. Therefore a crash loses no delivery, and an event that was not
// committed has none.
//
// An endpoint with pending deliveries has one step in the queue. The step sends the
// deliveries in the order of their times, several at the same time. This limits the
// deliveries of an endpoint that are being sent, and accounts take turns. The steps of
// endpoints that answer slowly or fail wait in a separate queue, and delay no other
// endpoint. An account or a host has only some of the places in a queue (places.go).
//
// A host gets a limited number of requests a second for an account (rate.go), and only
// test events until its address has answered one (proof.go).
//
// A delivery arrives at least once: if a process dies during an attempt, the attempt is not
// recorded, and another process repeats it with the same id.
//
// The package has its own tables, which it uses in the transactions of package db. A
// transaction locks the rows of endpoints after those of jobs, batches and follows, in the
// order of their ids.
package delivery

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Config is what a Store works with, and its Sender. Store, Log and Client are required.
type Config struct {
	Store *db.Store
	Log   *slog.Logger
	// Client returns a client of the egress guard.
	Client func() *http.Client
	// Trust sends events to addresses that have not answered yet, and makes no test events by
	// itself: all endpoints count as verified.
	Trust bool
	Count Counts // nil members count nothing
	Times
}

// Counts are called with the values of the metrics, after the values are written.
type Counts struct {
	Attempted func(delivered bool)
	Disabled  func() // an endpoint was disabled
}

// Store keeps the endpoints of accounts and the deliveries to them. A Store is safe for
// concurrent use.
type Store struct {
	*outbox
	Sender *Sender // makes the deliveries
}

const (
	usualTimeout = 20 * time.Second
	usualTurn    = 2 * time.Second
	usualLook    = time.Hour
)

// New returns a Store for the configuration.
func New(c Config) *Store {
	c.Timeout = cmp.Or(c.Timeout, usualTimeout)
	c.Turn = cmp.Or(c.Turn, usualTurn)
	c.Look = cmp.Or(c.Look, usualLook)
	c.Window = cmp.Or(c.Window, usualWindow)
	if c.Now == nil {
		c.Now = c.Store.Now
	}
	if c.Count.Attempted == nil {
		c.Count.Attempted = func(bool) {}
	}
	if c.Count.Disabled == nil {
		c.Count.Disabled = func() {}
	}
	client := *c.Client() // a copy, because other callers follow redirects
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	o := &outbox{cfg: c, db: c.Store, log: c.Log}
	return &Store{o, &Sender{o, &client, newPlaces(), newPlaces()}}
}

// known converts the error of a question about an endpoint into the error for its
// account.
func known(err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return transcript.Errorf(transcript.NotFound, "There is no such webhook.")
	}
	return err
}

// knownDelivery converts the error of a question about a delivery into the error for its
// account.
func knownDelivery(err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return transcript.Errorf(transcript.NotFound, "There is no such delivery of this webhook.")
	}
	return err
}

// inactive is the error of a request that needs an active endpoint.
func inactive(e *endpoint) error {
	err := transcript.Errorf(transcript.StateConflict, "The webhook is %s.", e.Status).With("status", e.Status)
	err.Cure = "Make the webhook active first."
	return err
}
