package edge

import "net/http"

// Bounded is next with the API's bounds on clients, for other handlers of the program around the
// API: on slow clients, and on the requests that an address and its network have under way.
//
// Bounded may also stand in front of the API, whose requests then count for their addresses too,
// those with a key included. If the writer knows no deadlines, as in a handler's own test, slow
// clients have no bounds.
func (e *Edge) Bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, release, err := e.ofClient(r.Context(), ClientAddr(r, e.trustedProxies))
		if err != nil {
			e.tellOfProxy(r)
			e.Refuse(w, r, err)
			return
		}
		defer release()
		r = r.WithContext(ctx) // a copy, whose body may be replaced
		answer := newRecorder(w, r)
		defer answer.end()
		next.ServeHTTP(answer, r)
	})
}

// countingClients counts the requests under way of the clients of an open route.
func (e *Edge) countingClients(next http.Handler) http.Handler {
	return e.answering(func(w http.ResponseWriter, r *http.Request) error {
		ctx, release, err := e.ofClient(r.Context(), exchangeOf(r.Context()).client)
		if err != nil {
			e.tellOfProxy(r)
			return err
		}
		defer release()
		next.ServeHTTP(w, r.WithContext(ctx))
		return nil
	})
}

// tellOfProxy warns once if a request that is one too many for its address may have come through a
// proxy that the configuration does not name: then all clients of the proxy count as one.
func (e *Edge) tellOfProxy(r *http.Request) {
	if r.Header.Get("X-Forwarded-For") == "" || FromProxy(r, e.trustedProxies) {
		return
	}
	e.proxyTold.Do(func() {
		e.log.WarnContext(r.Context(), "an address has too many requests under way; if it is a proxy in front of the service, name it as a trusted proxy, or all its clients count as one",
			"address", ClientAddr(r, e.trustedProxies).String())
	})
}
