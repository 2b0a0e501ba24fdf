package edge

import "net/http"

// Bounded is next with the API's limits on clients, for other handlers of the embedding program:
// limits on slow clients, and on the running requests of an address and its network.
//
// Bounded may also wrap the API. Then the requests of the API also count for their addresses,
// including requests with a key. If the writer does not support deadlines, as in a test of a
// handler, slow clients are not limited.
func (e *Edge) Bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, release, err := e.ofClient(r.Context(), ClientAddr(r, e.trustedProxies))
		if err != nil {
			e.tellOfProxy(r)
			e.Refuse(w, r, err)
			return
		}
		defer release()
		r = r.WithContext(ctx) // a copy, because its body may be replaced
		answer := newRecorder(w, r)
		defer answer.end()
		next.ServeHTTP(answer, r)
	})
}

// countingClients counts the running requests of the clients of an open route.
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

// tellOfProxy warns once if a request that exceeds the limit of its address may have come through
// a proxy that the configuration does not name: then all clients of the proxy count as one.
func (e *Edge) tellOfProxy(r *http.Request) {
	if r.Header.Get("X-Forwarded-For") == "" || FromProxy(r, e.trustedProxies) {
		return
	}
	e.proxyTold.Do(func() {
		e.log.WarnContext(r.Context(), "an address has too many requests under way; if it is a proxy in front of the service, name it as a trusted proxy, or all its clients count as one",
			"address", ClientAddr(r, e.trustedProxies).String())
	})
}
