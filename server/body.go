package server

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// bodyType is the media type of a request's body, and whether there is a body. A
// body that is encoded is refused.
func bodyType(r *http.Request) (media string, present bool, err error) {
	if r.ContentLength == 0 {
		return "", false, nil
	}
	for _, coding := range r.Header.Values("Content-Encoding") {
		if !strings.EqualFold(coding, "identity") {
			return "", true, errEncoded
		}
	}
	return contentType(r), true, nil
}

// contentType is the media type in the Content-Type, empty where that cannot be read
// to its end.
func contentType(r *http.Request) string {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return media
}

// maxJSONBody is the largest JSON body, in bytes; that of a batch is larger.
const maxJSONBody = 1 << 20

// readBody reads a body of at most so many bytes whole, without looking into it. The
// bytes count as held until the request is answered.
func readBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	if r.ContentLength > most { // it need not be sent
		return nil, invalidBody(fmt.Sprintf("is larger than %d bytes", most))
	}
	if body := entryOf(r.Context()).body; body != nil {
		body.within(bodyTime)
	}
	body, err := readWhole(http.MaxBytesReader(w, r.Body, most), r.ContentLength, most, holdBody(r.Context()))
	tooLarge, refusal := new(http.MaxBytesError), new(flatError)
	switch {
	case errors.As(err, &tooLarge):
		return nil, invalidBody(fmt.Sprintf("is larger than %d bytes", tooLarge.Limit))
	case errors.As(err, &refusal), errors.Is(err, transcript.ServiceUnavailable):
		return nil, err
	case err != nil:
		return nil, invalidBody("ended before it was complete")
	}
	return body, nil
}

// checkOptionalType refuses a body that is not JSON, on a route whose body may be left
// out. The handler calls it before it reads anything else of the request: a 415 comes
// before every 400.
func checkOptionalType(r *http.Request) error {
	media, present, err := bodyType(r)
	if err == nil && present && media != "application/json" {
		err = unsupported("Send no body, or a JSON object as application/json.")
	}
	return err
}

// readOptional reads a JSON body that may be left out: no body and an empty object mean
// the same. checkOptionalType has judged its type.
func readOptional(w http.ResponseWriter, r *http.Request, table request.Table) error {
	if r.ContentLength == 0 {
		return nil
	}
	body, err := readBody(w, r, maxJSONBody)
	if err != nil {
		return err
	}
	return table.ReadJSON(body)
}

func invalidBody(message string) *transcript.Error {
	return request.Invalid(http.StatusBadRequest, transcript.Issue{Path: "body", Message: message})
}
