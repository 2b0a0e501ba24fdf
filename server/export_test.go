package server

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/netip"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/work"
)

// ExportVersion is the version of the format of an export.
const ExportVersion = exportVersion

// Route is a line of the route table.
type Route struct {
	Method, Pattern string
	Formerly        string // an earlier pattern; empty: none
	Operation       string
	Answers         []int // the statuses of its successes
}

// Routes is the route table of the whole API.
func Routes(s *Server) (all []Route) {
	for _, rt := range s.api.Routes() {
		shown := Route{Method: rt.Method, Pattern: rt.Pattern, Formerly: rt.Formerly, Operation: rt.Operation}
		for _, a := range rt.Answers {
			shown.Answers = append(shown.Answers, a.Status)
		}
		all = append(all, shown)
	}
	return all
}

// MayStay reports whether an open stream of the request that ctx belongs to goes
// on.
func MayStay(ctx context.Context) bool { return edge.MayStay(ctx, account.Transcripts) }

// PatientBody is what stands between a connection and whoever reads a request.
func PatientBody(body io.ReadCloser, w http.ResponseWriter) io.ReadCloser {
	return edge.NewPatientBody(body, http.NewResponseController(w))
}

// BodyInMemory is PatientBody of a body that is kept in memory.
func BodyInMemory(body io.ReadCloser, w http.ResponseWriter) io.ReadCloser {
	b := edge.NewPatientBody(body, http.NewResponseController(w))
	b.InMemory()
	return b
}

// Failed counts a failed authentication of a client.
func Failed(s *Server, client netip.Addr, now time.Time) time.Duration {
	return s.edge.CountFailure(client, now)
}

// Unconfine makes a server that serves no requests yet one on a system that does
// not hold programs.
func Unconfine(s *Server, why error) { s.unconfined = why }

// SettingsOf are the settings of a server that is to be made.
func SettingsOf(c *Config) *service.Settings { return service.SettingsOf(c) }

// SetRetention sets how long what has ended is kept: jobs, the answers of idempotency
// keys and the queue's rows, of which it sweeps every so often.
func SetRetention(c *Config, keep, every time.Duration) {
	service.SettingsOf(c).Retention = work.Retention{Jobs: keep, Answers: keep, Finished: keep, Audio: keep, Every: every, Stranded: every}
}

// SetAudio sets how long the audio of a job stays after its end.
func SetAudio(c *Config, stays time.Duration) {
	keep := &service.SettingsOf(c).Retention
	*keep = cmp.Or(*keep, work.DefaultRetention())
	keep.Audio = stays
}

// SetStranded sets the time between two looks for work that is missing from every queue.
func SetStranded(c *Config, every time.Duration) {
	service.SettingsOf(c).Retention = work.DefaultRetention()
	service.SettingsOf(c).Retention.Stranded = every
}

// SmallPath is the path of Small.
const SmallPath = "/v1/small"

// Small is the API with one route, whose handler is h: all that stands before a
// handler and nothing behind it.
func Small(s *Server, h http.HandlerFunc) http.Handler {
	return s.edge.Handler([]edge.Route{{
		Method: http.MethodGet, Pattern: SmallPath, Scope: account.Transcripts,
		Handle: func(w http.ResponseWriter, r *http.Request) error { h(w, r); return nil },
	}})
}

// GoOnWithRemovals does what the sweep does about removed accounts.
func GoOnWithRemovals(ctx context.Context, s *Server, now time.Time) error {
	return s.pipeline.Removals.GoOn(ctx, now)
}

// SweepExpired does what the sweep does about the plans of accounts.
func SweepExpired(ctx context.Context, s *Server, now time.Time) error {
	return s.pipeline.Expiry.Sweep(ctx, now)
}
