package edge

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// TagOf returns the strong ETag of an answer from its parts: the same parts give the same
// bytes. If a setting changes how the answer is written, the setting must be one of the
// parts.
func TagOf(parts ...any) (string, error) {
	text, err := json.Marshal(parts)
	if err != nil {
		return "", fmt.Errorf("server: making an ETag: %w", err)
	}
	sum := sha256.Sum256(text)
	return fmt.Sprintf(`"%x"`, sum[:12]), nil
}

// Unchanged gives a private answer its ETag. If the client already has the answer with this
// ETag, Unchanged answers 304 and reports true.
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

// GzipTag is the ETag of the gzip form of an answer with the ETag etag.
func GzipTag(etag string) string { return strings.TrimSuffix(etag, `"`) + `-gz"` }

// Matches compares the lines of an If-None-Match header with the ETag of an answer, by the weak
// comparison (RFC 9110, 13.1.2). The result is the first match: the ETag of the answer, or the
// ETag of its gzip form. The result is empty if neither matches.
func Matches(lines []string, etag string) string {
	for candidate := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		switch candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/"); candidate {
		case "*", strings.TrimPrefix(etag, "W/"):
			return etag
		case strings.TrimPrefix(GzipTag(etag), "W/"):
			return GzipTag(etag)
		}
	}
	return ""
}
