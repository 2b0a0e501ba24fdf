package resource

import (
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
)

// CheckJSON refuses a body that is not JSON. A handler calls CheckJSON first, because a 415
// comes before every 400.
func CheckJSON(r *http.Request) error {
	media, present, err := edge.BodyType(r)
	if err == nil && present && media != "application/json" {
		err = edge.Unsupported("Send the body as application/json, and say so in Content-Type.")
	}
	return err
}

// ReadJSON reads a required JSON body. The handler has called CheckJSON before.
func ReadJSON(w http.ResponseWriter, r *http.Request, table request.Table) error {
	body, err := edge.ReadBody(w, r, edge.MaxJSONBody)
	if err != nil {
		return err
	}
	return table.ReadJSON(body)
}

// DeclaresUTF8 reports whether a Content-Type names UTF-8, US-ASCII, or no character set. The
// bytes of another character set can be valid UTF-8 by chance, and then would mean other
// links.
func DeclaresUTF8(r *http.Request) bool {
	_, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // edge.BodyType has already read it
	charset, named := params["charset"]
	return !named || slices.Contains([]string{"utf-8", "utf8", "us-ascii"}, strings.ToLower(charset))
}

// Body reads the body of a request, and returns it in its canonical form.
type Body func(http.ResponseWriter, *http.Request) (map[string]any, error)

// NoBody reads the body of a route without members: no body, or an empty object.
func NoBody(w http.ResponseWriter, r *http.Request) (map[string]any, error) {
	return nil, edge.ReadEmpty(w, r)
}

// OptionalBody reads an optional JSON body.
func OptionalBody(table request.Table) Body {
	return func(w http.ResponseWriter, r *http.Request) (map[string]any, error) {
		err := edge.ReadOptional(w, r, table)
		return table.Canonical(), err
	}
}

// JSONBody reads a required JSON body of at most most bytes.
func JSONBody(table request.Table, most int64) Body {
	return func(w http.ResponseWriter, r *http.Request) (map[string]any, error) {
		body, err := edge.ReadBody(w, r, most)
		if err == nil {
			err = table.ReadJSON(body)
		}
		return table.Canonical(), err
	}
}
