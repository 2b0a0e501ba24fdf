package server

import (
	"context"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/pipeline"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
)

// Route is a line of the route table.
type Route struct {
	Method, Pattern string
	Operation       string
	Answers         []int // the statuses of its successes
}

// Routes is the route table of the whole API.
func Routes(s *Server) (all []Route) {
	for _, rt := range s.routes() {
		shown := Route{Method: rt.Method, Pattern: rt.Pattern, Operation: rt.Operation}
		for _, a := range rt.Answers {
			shown.Answers = append(shown.Answers, a.Status)
		}
		all = append(all, shown)
	}
	return all
}

// Stream sends what watch yields as a job's stream does, until that ends, or mayStay
// returns false.
func Stream(w http.ResponseWriter, watch func(context.Context) iter.Seq2[pipeline.Event, error], mayStay func() bool) {
	s := &Server{cfg: Config{Log: slog.New(slog.DiscardHandler)}, lifetime: edge.NewLifetime()}
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	stream := newEventStream(w)
	if stream.begin() == nil {
		s.pump(ctx, leave, stream, watch(ctx), mayStay)
	}
}

// MayStay reports whether an open stream of the request that ctx belongs to goes
// on.
func MayStay(ctx context.Context) bool { return edge.MayStay(ctx, account.Transcripts) }

// PatientBody is what stands between a connection and whoever reads a request.
func PatientBody(body io.ReadCloser, w http.ResponseWriter) io.ReadCloser {
	return edge.NewPatientBody(body, http.NewResponseController(w))
}

// SetAnswerBytes bounds the bytes of large answers that clients are reading.
func SetAnswerBytes(c *Config, n int64) { c.answerBytes = n }

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

// BoundedLog is what the server makes of Config.Log.
func BoundedLog(l *slog.Logger) *slog.Logger { return edge.SafeLog(l) }

// BoundConnections bounds the connections of a web server as HTTPServer does.
func BoundConnections(web *http.Server, most int) { web.ConnState = edge.NewConnections(most).Changed }

// Unconfine makes a server that serves no requests yet one on a system that does
// not hold programs.
func Unconfine(s *Server, why error) { s.unconfined = why }

// SetTimeout replaces context.WithTimeout where a POST waits for its job, and where
// a short link is followed.
func SetTimeout(c *Config, f func(context.Context, time.Duration) (context.Context, context.CancelFunc)) {
	c.timeout = f
}

// SetLookupBudget sets how long a GET waits for a platform.
func SetLookupBudget(c *Config, d time.Duration) { c.lookupBudget = d }

// SetDiscoveryBudget sets how long a GET waits for what the video site has.
func SetDiscoveryBudget(c *Config, d time.Duration) { c.discoveryBudget = d }

// SetExportPatience sets how long a client may take to read a chunk of an export.
func SetExportPatience(c *Config, d time.Duration) { c.exportPatience = d }

// SetRetention sets how long what has ended is kept: jobs, the answers of idempotency
// keys and the queue's rows, of which it sweeps every so often.
func SetRetention(c *Config, keep, every time.Duration) {
	c.retention = pipeline.Retention{Jobs: keep, Answers: keep, Finished: keep, Every: every, Stranded: every}
}

// SetStranded sets the time between two looks for work that stands in no queue.
func SetStranded(c *Config, every time.Duration) {
	c.retention = pipeline.DefaultRetention()
	c.retention.Stranded = every
}

// SetProgressInterval sets the shortest time between two progress reports.
func SetProgressInterval(c *Config, d time.Duration) { c.progressInterval = d }

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

// ClientOf is the address from which a request comes.
func ClientOf(s *Server, r *http.Request) netip.Addr { return ClientAddr(r, s.cfg.TrustedProxies) }

// Listing is a list whose pages a test turns.
type Listing struct{ listing }

// ListingOf is the list that an account asks for by a path and a query, whose filters
// are status and maxResults.
func ListingOf(owner, path, query string) (Listing, error) {
	ctx := edge.WithPrincipal(context.Background(), account.Principal{Account: owner})
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	var q paging
	var status string
	table := request.Table{Fields: append(q.fields(500, 50), request.New("status", &status, request.Text(1, 20)))}
	err := table.ReadQuery(query)
	return Listing{listingOf(r, table)}, err
}

// Token is the page token of what follows a place.
func (l Listing) Token(after any) string { return l.token(after) }

// After reads the place in a page token.
func (l Listing) After(token string, after any) error { return l.after(token, after) }

// LinksOfCSV reads the body of a batch that is a CSV.
func LinksOfCSV(body []byte) ([]string, error) { return linksOfCSV(body) }
