package page

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
)

// policy is what pages may load and do: their own scripts, styles and requests, nothing
// of anybody else, nothing inline, and no markup made of text.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// protect says with each page what it may do, and refuses what another site has a
// browser send.
func protect(next http.Handler) http.Handler {
	return http.NewCrossOriginProtection().Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		next.ServeHTTP(w, r)
	}))
}

// compress sends pages and assets as gzip to those who take it.
func compress(next http.Handler) http.Handler { return gzhttp.GzipHandler(next) }
