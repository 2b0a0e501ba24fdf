package server

import (
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// route is one operation of the API: it registers the handler and yields the
// operation's entry in the OpenAPI document, so that none exists without the
// other.
type route struct {
	method, pattern string
	operation       string // operationId, the name of the client's method
	summary         string
	tag             string
	open            bool          // needs no credential
	scope           account.Scope // empty: any valid key
	polls           bool          // asks how work goes, which is counted apart
	streams         bool          // its answer is sent as it is made
	handle          func(http.ResponseWriter, *http.Request) error

	// For the document.
	path, query, header request.Table // what it takes there, beside what many routes do
	body                request.Table // a JSON body
	bodyOptional        bool          // the body may be left out
	form                request.Table // a multipart form
	csv                 string        // what is said of a CSV body; empty: none is taken
	answers             []answer
	codes               []transcript.Code // of the errors beyond those that every route has
	report              any               // the body of 502 and 503, where it is more than the error
	events              map[transcript.EventType]any
}

// answer is a documented success.
type answer struct {
	status      int
	body        any    // nil: none
	contentType string // empty: application/json
	headers     []header
}

func (rt *route) class() db.RequestClass {
	if rt.polls {
		return db.PollingRequests
	}
	return db.MainRequests
}

// handler serves a set of routes: complete, with all that stands before a
// handler. Unknown paths and wrong methods are answered by this table, in the
// API's form, and not by http.ServeMux.
func (s *Server) handler(routes []route) http.Handler {
	methods := map[string]map[string]*route{} // by pattern
	for i, rt := range routes {
		if methods[rt.pattern] == nil {
			methods[rt.pattern] = map[string]*route{}
		}
		methods[rt.pattern][rt.method] = &routes[i]
	}
	mux := http.NewServeMux()
	for pattern, byMethod := range methods {
		mux.Handle(pattern, s.byMethod(pattern, byMethod))
	}
	unknown := s.answering(func(http.ResponseWriter, *http.Request) error { return errUnknownRoute })
	mux.Handle("/", unknown)
	return s.outermost(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// ServeMux would redirect a path that is not clean, and refuse "*", in a form of
		// its own.
		if path.Clean(r.URL.Path) != r.URL.Path || r.RequestURI == "*" {
			unknown.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	}))
}

func (s *Server) byMethod(pattern string, routes map[string]*route) http.Handler {
	handlers := map[string]http.Handler{}
	for method, rt := range routes {
		h := s.answering(rt.handle)
		if !rt.streams && rt.events == nil {
			h = s.packing(h)
		}
		if !rt.open {
			if rt.scope != "" {
				h = s.RequireScope(rt.scope)(h)
			}
			h = s.authenticate(rt.class(), h)
		}
		handlers[method] = h
		if method == http.MethodGet && rt.events == nil { // a stream without a body is none
			handlers[http.MethodHead] = h // net/http leaves the body out
		}
	}
	var allowed []string
	for method := range handlers {
		allowed = append(allowed, method)
	}
	slices.Sort(allowed)
	allow := strings.Join(allowed, ", ")
	wrong := s.answering(func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Allow", allow)
		return errWrongMethod
	})
	counted := s.metrics.Route(pattern)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entryOf(r.Context()).route = counted
		if h, ok := handlers[r.Method]; ok {
			h.ServeHTTP(w, r)
			return
		}
		wrong.ServeHTTP(w, r)
	})
}

// answering makes a handler of one that returns its error.
func (s *Server) answering(h func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.refuse(w, r, err)
		}
	})
}
