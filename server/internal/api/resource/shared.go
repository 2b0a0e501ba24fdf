package resource

import (
	"context"
	"log/slog"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/shortlink"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// Shared has what all rooms work with. Every member except Admit is required.
type Shared struct {
	Edge        *edge.Edge
	Lifetime    *edge.Lifetime
	Pipeline    *service.Service
	Log         *slog.Logger
	Sites       *site.Table
	ShortLinks  *shortlink.Follower
	DirectMedia bool                                              // links of no platform may name a recording
	Judge       func(ctx context.Context, job, link string) error // refuses an address to which the service sends no requests
	Checker     edge.AccountChecker                               // says whether an account may use the service now
	Admit       Admit                                             // makes the final decision about new work; nil means that the plan decides
	BasePath    string                                            // the start of the paths in answers; empty means the root
	Timeout     WithTimeout
	Recent      *RecentAnswers // recent answers, made from texts
	Streams     *StreamCounter // of event streams, and of the waits that count as streams
}

// WithTimeout is context.WithTimeout. A test replaces the clock if it must not depend on
// the speed of its machine.
type WithTimeout func(context.Context, time.Duration) (context.Context, context.CancelFunc)
