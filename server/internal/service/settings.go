package service

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/delivery"
	"github.com/transcriptkit/transcriptkit/server/internal/follower"
	"github.com/transcriptkit/transcriptkit/server/internal/work"
)

// Settings are the times and bounds of a server that no operator sets. The zero value of a member
// means its usual value.
type Settings struct {
	// ProgressInterval is the shortest time between two progress reports of a job; 0 means 1
	// s.
	ProgressInterval time.Duration
	// LookupBudget is how long a GET waits for a platform; 0 means 10 s.
	LookupBudget time.Duration
	// DiscoveryBudget is how long a GET waits for an answer of the video site; 0 means 50 s.
	DiscoveryBudget time.Duration
	// Connections is how many connections the process keeps open; 0 means
	// edge.MaxConnections.
	Connections int
	// AnswerBytes limits the bytes of large answers; 0 means 64 MiB.
	AnswerBytes int64
	// Patience is how long each call of the store may take in a request; 0 means four
	// seconds.
	Patience time.Duration
	// RequestGrace is how long requests have to end when the server stops; 0 means 5 s.
	RequestGrace time.Duration
	// Retention is how long ended work is kept; the zero value means work.DefaultRetention.
	Retention work.Retention
	// Follows is how often followed addresses are checked.
	Follows follower.Times
	// Webhooks is how deliveries are sent.
	Webhooks delivery.Times
	// Timeout limits a POST that waits for its job, and the resolution of a short link; nil
	// means context.WithTimeout.
	Timeout func(context.Context, time.Duration) (context.Context, context.CancelFunc)
}

// Inside keeps Settings in a public configuration. Only the packages of this module can call
// [SettingsOf].
type Inside struct{ settings Settings }

func (i *Inside) inside() *Settings { return &i.settings }

// SettingsOf returns the settings in a public configuration.
func SettingsOf(public interface{ inside() *Settings }) *Settings { return public.inside() }
