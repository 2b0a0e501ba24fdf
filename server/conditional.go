package server

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// tagOf is the strong ETag of an answer that is made of parts: the same parts give
// the same bytes. Whatever changes how they are written is one of them.
func tagOf(parts ...any) (string, error) {
	text, err := json.Marshal(parts)
	if err != nil {
		return "", fmt.Errorf("server: making an ETag: %w", err)
	}
	sum := sha256.Sum256(text)
	return fmt.Sprintf(`"%x"`, sum[:12]), nil
}

// unchanged gives an answer about an account its ETag, and answers 304 where the
// caller has it already.
func unchanged(w http.ResponseWriter, r *http.Request, etag string) bool {
	h := w.Header()
	h.Set("ETag", etag)
	h.Set("Cache-Control", "private, no-cache")
	if !matches(r.Header.Values("If-None-Match"), etag) {
		return false
	}
	w.WriteHeader(http.StatusNotModified)
	return true
}

// matches reports whether a line of an If-None-Match header names the tag, by the
// weak comparison (RFC 9110, 13.1.2).
func matches(lines []string, etag string) bool {
	etag = strings.TrimPrefix(etag, "W/")
	for candidate := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" || strings.TrimPrefix(candidate, "W/") == etag {
			return true
		}
	}
	return false
}
