package edge

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzhttp"
)

// takesGzip reports whether the answer is sent as gzip (RFC 9110, 12.5.3): the request
// accepts gzip, and does not prefer an uncompressed answer. If the request accepts
// neither, the answer is not compressed.
func takesGzip(r *http.Request) bool {
	const unnamed = -1
	gzip, identity, others := float64(unnamed), float64(unnamed), float64(unnamed)
	for _, line := range r.Header["Accept-Encoding"] {
		for entry := range strings.SplitSeq(line, ",") {
			coding, parameters, _ := strings.Cut(entry, ";")
			switch strings.ToLower(strings.TrimSpace(coding)) {
			case "gzip", "x-gzip":
				gzip = max(gzip, quality(parameters))
			case "identity":
				identity = quality(parameters)
			case "*":
				others = quality(parameters)
			}
		}
	}
	if gzip == unnamed {
		gzip = others
	}
	return gzip > 0 && gzip >= identity
}

// quality returns the weight of a coding, from 0, which means that the client does not
// accept the coding, to 1. An unreadable weight is 0.
func quality(parameters string) float64 {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if !strings.EqualFold(name, "q") {
			continue
		}
		q, err := strconv.ParseFloat(value, 64)
		if err != nil || !(q >= 0 && q <= 1) {
			return 0
		}
		return q
	}
	return 1
}

// leastPacked is the size from which JSON is compressed for one answer, in bytes.
const leastPacked = 1 << 10

// packing compresses JSON that is not stored as gzip, for clients that accept gzip.
func (e *Edge) packing(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead || !takesGzip(r) {
			next.ServeHTTP(w, r)
			return
		}
		vary := w.Header()["Vary"]
		e.pack(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Vary"] = vary // gzhttp has added a second header
			next.ServeHTTP(w, r)
		})).ServeHTTP(w, wantsGzip)
	})
}

// wantsGzip is a request that stands for every request when gzhttp is called, which needs
// nothing else from a request.
var wantsGzip = &http.Request{Method: http.MethodGet, Header: http.Header{"Accept-Encoding": {"gzip"}}}

func newPacker() (func(http.Handler) http.HandlerFunc, error) {
	pack, err := gzhttp.NewWrapper(gzhttp.MinSize(leastPacked), gzhttp.EnableZstd(false),
		gzhttp.ContentTypes([]string{"application/json"}))
	if err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	return pack, nil
}
