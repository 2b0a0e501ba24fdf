package edge

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

// Route is one operation of the API. The same value registers the handler and describes the
// operation in the OpenAPI document, so that neither exists without the other.
type Route struct {
	Method, Pattern string
	Formerly        string // an earlier pattern, which still works; empty means none
	Operation       string // operationId, the name of the client's method
	Summary         string
	Tag             string
	Open            bool          // needs no credential
	ByAddress       bool          // of an open route: requests count in a rate window of the client's address
	Always          bool          // of an open route: it answers whatever other requests of the client are running
	Scope           account.Scope // empty means any valid key
	Polls           bool          // polls the progress of work; such requests have their own rate window
	CountsItself    bool          // its handler determines the class of a request, and calls Edge.Count
	Streams         bool          // its answer is sent while it is made
	Handle          func(http.ResponseWriter, *http.Request) error
	// Refusal writes every refusal of the pattern in the form of another API; nil means the
	// API's own form. All routes of a pattern have the same value. The error of a refusal
	// that is otherwise flat may have no message.
	Refusal func(*transcript.Error) ForeignRefusal

	// For the document.
	Path, Query, Header request.Table     // of this route, in addition to the usual ones
	Body                request.Table     // a JSON body
	BodyOptional        bool              // the body is optional
	Ranges              bool              // the route supports ranges of bytes: 416
	Conditional         bool              // the route needs an If-Match: 412 and 428
	Form                request.Table     // a multipart form
	CSV                 string            // the description of a CSV body; empty means that the route takes none
	OPML                string            // the description of an OPML body; empty means that the route takes none
	Texts               map[string]string // the descriptions of other bodies of text, by their media types
	Files               map[string]string // the descriptions of bodies of bytes, by their media types, as "audio/*"
	Answers             []Answer
	Codes               []transcript.Code // of the errors of this route, in addition to the usual ones
	Report              any               // the body of 502 and 503; nil means only the error
	Events              map[transcript.EventType]any
}

// Answer is a documented success.
type Answer struct {
	Status      int
	Body        any    // nil means none
	ContentType string // empty means application/json
	Headers     []Header
}

func (rt *Route) class() db.RequestClass {
	switch {
	case rt.CountsItself:
		return countedLater
	case rt.Polls:
		return db.PollingRequests
	}
	return db.MainRequests
}

// handle is Handle for a request whose query has no fields of the body. The bodies of another
// API follow the rules of that API.
func (rt *Route) handle(w http.ResponseWriter, r *http.Request) error {
	if r.URL.RawQuery != "" && rt.Refusal == nil {
		var body request.Table
		switch ContentType(r) {
		case "application/json":
			body = rt.Body
		case "multipart/form-data":
			body = rt.Form
		}
		if err := body.RefuseQuery(r.URL.RawQuery); err != nil {
			return err
		}
	}
	return rt.Handle(w, r)
}

// Handler serves a set of routes, wrapped by the edge. Handler itself answers unknown
// paths and wrong methods, in the API's form, because http.ServeMux would use another
// form.
func (e *Edge) Handler(routes []Route) http.Handler {
	methods := map[string]map[string]*Route{} // by pattern
	for i, rt := range routes {
		for _, pattern := range []string{rt.Pattern, rt.Formerly} {
			if pattern == "" {
				continue
			}
			if methods[pattern] == nil {
				methods[pattern] = map[string]*Route{}
			}
			methods[pattern][rt.Method] = &routes[i]
		}
	}
	mux := http.NewServeMux()
	for pattern, byMethod := range methods {
		mux.Handle(pattern, e.byMethod(pattern, byMethod))
	}
	unknown := e.answering(func(http.ResponseWriter, *http.Request) error { return ErrUnknownRoute })
	mux.Handle("/", unknown)
	return e.outermost(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived(r.Context())
		// ServeMux would redirect a path that is not clean, and would refuse "*" in another
		// form.
		if path.Clean(r.URL.Path) != r.URL.Path || r.RequestURI == "*" {
			unknown.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	}))
}

func (e *Edge) byMethod(pattern string, routes map[string]*Route) http.Handler {
	handlers := map[string]http.Handler{}
	var refusal func(*transcript.Error) ForeignRefusal
	for method, rt := range routes {
		refusal = rt.Refusal
		h := e.answering(rt.handle)
		if !rt.Streams && rt.Events == nil {
			h = e.packing(h)
		}
		if rt.ByAddress {
			h = e.countingAddresses(h)
		}
		if rt.Open && !rt.Always {
			h = e.countingClients(h)
		}
		if !rt.Open {
			if rt.Scope != "" {
				h = e.RequireScope(rt.Scope)(h)
			}
			h = e.authenticate(rt.class(), h)
		}
		handlers[method] = h
		if method == http.MethodGet && rt.Events == nil { // an event stream does not support HEAD
			handlers[http.MethodHead] = h // net/http leaves out the body
		}
	}
	var allowed []string
	for method := range handlers {
		allowed = append(allowed, method)
	}
	slices.Sort(allowed)
	allow := strings.Join(allowed, ", ")
	wrong := e.answering(func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Allow", allow)
		return errWrongMethod
	})
	counted := e.metrics.Route(pattern)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := exchangeOf(r.Context())
		n.route, n.refusal = counted, refusal
		if h, ok := handlers[r.Method]; ok {
			h.ServeHTTP(w, r)
			return
		}
		wrong.ServeHTTP(w, r)
	})
}

// answering converts h into an http.Handler that refuses with the error of h.
func (e *Edge) answering(h func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			e.refuse(w, r, err)
		}
	})
}
