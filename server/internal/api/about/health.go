package about

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// readyTimeout limits the checks of /readyz, so that it answers within 5 s.
const readyTimeout = 4500 * time.Millisecond

// Probes says whether the process is alive, and whether it can take requests.
type Probes struct {
	*resource.Shared
	Version    string
	Unconfined func() error // why the kernel does not confine programs to the guard; nil means that it does
}

// Routes are the routes that say whether the service works.
func (h *Probes) Routes() []edge.Route {
	return []edge.Route{
		{
			Method: http.MethodGet, Pattern: "/healthz", Open: true, Always: true,
			Operation: "getHealth", Tag: "service", Summary: "Check that the process is alive.",
			Handle:  h.getHealth,
			Answers: []edge.Answer{{Status: http.StatusOK, Body: Health{}}},
		},
		{
			Method: http.MethodGet, Pattern: "/readyz", Open: true, Always: true,
			Operation: "getReadiness", Tag: "service", Summary: "Check whether the service can accept requests.",
			Handle: h.getReadiness,
			Answers: []edge.Answer{
				{Status: http.StatusOK, Body: Readiness{}},
				{Status: http.StatusServiceUnavailable, Body: Readiness{}},
			},
		},
	}
}

// Health is the body of /healthz.
type Health struct {
	Status  string `json:"status" enum:"ok"` // always ok
	Version string `json:"version"`          // the version of the program
}

// Readiness is the body of /readyz.
type Readiness struct {
	Status string            `json:"status" enum:"ready,draining,degraded"` // ready; or not ready, because the process is ending or because a part of it is not available
	Checks map[string]string `json:"checks" nullable:"false"`               // the checks, each with "ok", or with the fault and its remedy
}

// getHealth is GET /healthz: the process is alive. It touches nothing.
func (h *Probes) getHealth(w http.ResponseWriter, r *http.Request) error {
	return edge.RespondJSON(w, http.StatusOK, Health{Status: "ok", Version: h.Version})
}

// getReadiness is GET /readyz. The store and the free space on the disks decide. The
// service is degraded if the blobs or an engine do not work, if programs are not
// confined, if a platform blocks the service, or if no worker can do accepted work.
// Without its blobs, the service takes no uploads, but serves links and everything that
// is stored.
func (h *Probes) getReadiness(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	ready, status := Readiness{Status: "ready", Checks: map[string]string{"store": "ok"}}, http.StatusOK
	// Check the store first, so that a slow engine does not use up the time of the store.
	if err := h.Pipeline.Ping(ctx); err != nil {
		ready.Checks["store"] = unavailable(err)
		ready.Status, status = "degraded", http.StatusServiceUnavailable
		edge.LogCause(r, err)
	}
	ready.Checks["disk"] = "ok"
	if err := h.Pipeline.Disks.Room(0); err != nil {
		ready.Checks["disk"] = "unavailable: make room on the disks of the database, the blobs and the scratch files"
		ready.Status, status = "degraded", http.StatusServiceUnavailable
		edge.LogCause(r, err)
	}
	if err := h.Unconfined(); err != nil {
		ready.Checks["programs"] = "not confined: " + err.Error()
		ready.Status = "degraded"
	}
	for name, err := range h.Pipeline.Check(ctx) {
		ready.Checks[name] = "ok"
		if err != nil {
			ready.Checks[name] = fault(err)
			edge.LogCause(r, err)
		}
		if err != nil && !errors.Is(err, transcript.RateLimited) { // a busy part counts as working
			ready.Status = "degraded"
		}
	}
	if h.Lifetime.Draining() {
		ready.Status, status = "draining", http.StatusServiceUnavailable
	}
	w.Header().Set("Cache-Control", "no-store")
	return edge.RespondJSON(w, status, ready)
}

// unavailable says what the operator can do about a store that cannot work.
func unavailable(err error) string {
	if errors.Is(err, db.ErrNewer) {
		return "unavailable: a newer version has changed the tables so that this one cannot work on them: install the version that the log names"
	}
	return "unavailable: see to it that the database runs, and that it can be reached and written to"
}

// maxCure is the largest number of runes that /readyz shows of a check.
const maxCure = 1000

// fault is how /readyz describes a part that does not work: a word, and after a colon the
// remedy. If an error has no code, fault shows nothing of it, because its text may
// contain anything.
func fault(err error) string {
	word, cure := "unavailable", ""
	var coded *transcript.Error
	switch {
	case errors.Is(err, throttle.ErrOpen):
		word, cure = "open_circuit", engine.Cure(transcript.IPBlocked)
	case errors.Is(err, db.ErrUnavailable):
		cure = "see to it that the place of the blobs can be reached, written to and read; until then uploads are refused and recordings wait"
	case errors.Is(err, cluster.ErrNoWorkers):
		word, cure = "none", "start a process that works"
	case errors.Is(err, transcript.RateLimited) && errors.As(err, &coded):
		word, cure = "busy", clip.Line(coded.Message, maxCure)
	case errors.As(err, &coded):
		cure = clip.Line(coded.Message, maxCure)
	case errors.Is(err, context.DeadlineExceeded):
		cure = "it has not answered yet: ask again"
	case errors.Is(err, cluster.ErrMissing):
		cure = "set up an engine for it, where it is wanted"
	}
	if cure == "" {
		return word
	}
	return word + ": " + cure
}
