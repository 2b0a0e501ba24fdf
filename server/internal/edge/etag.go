package edge

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// TagOf returns the strong ETag of an answer from its parts: the same parts give the
// same bytes. If a setting changes how the answer is written, the setting is a part
// too.
func TagOf(parts ...any) (string, error) {
	text, err := json.Marshal(parts)
	if err != nil {
		return "", fmt.Errorf("server: making an ETag: %w", err)
	}
	sum := sha256.Sum256(text)
	return fmt.Sprintf(`"%x"`, sum[:12]), nil
}

// unchanged gives an answer about an account its ETag, and answers 304 where the
// caller has it already.
func Unchanged(w http.ResponseWriter, r *http.Request, etag string) bool {
	h := w.Header()
	h.Set("ETag", etag)
	h.Set("Cache-Control", "private, no-cache")
	named := Matches(r.Header.Values("If-None-Match"), etag)
	if named == "" {
		return false
	}
	h.Set("ETag", named)
	w.WriteHeader(http.StatusNotModified)
	return true
}

// gzipTag is the ETag of what has an ETag, sent as gzip.
func gzipTag(etag string) string { return strings.TrimSuffix(etag, `"`) + `-gz"` }

// matches returns the ETag, that of the answer or that of its gzip, which is named first
// in the lines of an If-None-Match header, by the weak comparison (RFC 9110, 13.1.2);
// empty: none is.
func Matches(lines []string, etag string) string {
	for candidate := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		switch candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/"); candidate {
		case "*", strings.TrimPrefix(etag, "W/"):
			return etag
		case strings.TrimPrefix(gzipTag(etag), "W/"):
			return gzipTag(etag)
		}
	}
	return ""
}
