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

// Shared is what the rooms work with. Every member is required but Admit.
type Shared struct {
	Edge        *edge.Edge
	Lifetime    *edge.Lifetime
	Pipeline    *service.Service
	Log         *slog.Logger
	Sites       *site.Table
	ShortLinks  *shortlink.Follower
	DirectMedia bool                                              // links of no platform name a recording
	Judge       func(ctx context.Context, job, link string) error // refuses an address where no request may go
	Checker     edge.AccountChecker                               // says whether an account may use the service now
	Admit       Admit                                             // has the last word on new work; nil means that the plan decides
	BasePath    string                                            // the start of the paths in answers; empty means the root
	Timeout     WithTimeout
	Recent      *RecentAnswers // made of texts a moment ago
	Streams     *StreamCounter // of event streams, and of the waits that take their place
}

// WithTimeout is context.WithTimeout. A test replaces it if the test must not depend on the
// speed of its machine.
type WithTimeout func(context.Context, time.Duration) (context.Context, context.CancelFunc)
