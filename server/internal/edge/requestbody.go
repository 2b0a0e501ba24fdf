package edge

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// BodyType is the media type of a request's body. present is false if there is no body. The
// error refuses a body with a Content-Encoding.
func BodyType(r *http.Request) (media string, present bool, err error) {
	if r.ContentLength == 0 {
		return "", false, nil
	}
	for _, coding := range r.Header.Values("Content-Encoding") {
		if !strings.EqualFold(coding, "identity") {
			return "", true, ErrEncoded
		}
	}
	return ContentType(r), true, nil
}

// ContentType is the media type in the Content-Type; empty if the header is missing or
// malformed.
func ContentType(r *http.Request) string {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return media
}

// LargestBody is the size of the largest body that a route keeps in memory, in bytes: 500 links
// of the greatest length, in any escaping.
const LargestBody = 8 << 20

// MaxJSONBody is the size of the largest JSON body, in bytes. Only the body of a batch may be
// larger.
const MaxJSONBody = 1 << 20

// ReadBody reads a whole body of at most the given size. The bytes count as held until
// the request is answered.
func ReadBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	if r.ContentLength > most { // the client need not send the body
		return nil, InvalidBody(fmt.Sprintf("is larger than %d bytes", most))
	}
	if body := exchangeOf(r.Context()).body; body != nil {
		body.InMemory()
	}
	body, err := readWhole(http.MaxBytesReader(w, r.Body, most), r.ContentLength, most, holdBody(r.Context()))
	tooLarge, refusal := new(http.MaxBytesError), new(FlatRefusal)
	switch {
	case errors.As(err, &tooLarge):
		return nil, InvalidBody(fmt.Sprintf("is larger than %d bytes", tooLarge.Limit))
	case errors.As(err, &refusal), errors.Is(err, transcript.ServiceUnavailable):
		return nil, err
	case err != nil:
		return nil, InvalidBody("ended before it was complete")
	}
	return body, nil
}

// CheckOptionalType refuses a body that is not JSON, on a route with an optional body. The
// handler calls CheckOptionalType first, because a 415 comes before every 400.
func CheckOptionalType(r *http.Request) error {
	media, present, err := BodyType(r)
	if err == nil && present && media != "application/json" {
		err = Unsupported("Send no body, or a JSON object as application/json.")
	}
	return err
}

// ReadOptional reads an optional JSON body: no body and an empty object mean the same. The
// handler has called CheckOptionalType before.
func ReadOptional(w http.ResponseWriter, r *http.Request, table request.Table) error {
	if r.ContentLength == 0 {
		return nil
	}
	body, err := ReadBody(w, r, MaxJSONBody)
	if err != nil {
		return err
	}
	return table.ReadJSON(body)
}

// ReadEmpty reads the body of a POST without members: no body, or an empty object.
func ReadEmpty(w http.ResponseWriter, r *http.Request) error {
	return ReadOptional(w, r, request.Table{})
}

// InvalidBody is a 400 about the body as a whole.
func InvalidBody(message string) *transcript.Error {
	return request.Invalid(http.StatusBadRequest, transcript.Issue{Path: "body", Message: message})
}
