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

// bodyType is the media type of a request's body, and whether there is a body. A
// body that is encoded is refused.
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

// contentType is the media type in the Content-Type, empty where that cannot be read
// to its end.
func ContentType(r *http.Request) string {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return media
}

// largestBody is the size of the largest body that any route takes, in bytes: 500 of the
// longest links, however their writer escapes them.
const LargestBody = 8 << 20

// maxJSONBody is the largest JSON body, in bytes; that of a batch is larger.
const MaxJSONBody = 1 << 20

// readBody reads a body of at most so many bytes whole, without looking into it. The
// bytes count as held until the request is answered.
func ReadBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	if r.ContentLength > most { // it need not be sent
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

// checkOptionalType refuses a body that is not JSON, on a route whose body may be left
// out. The handler calls it before it reads anything else of the request: a 415 comes
// before every 400.
func CheckOptionalType(r *http.Request) error {
	media, present, err := BodyType(r)
	if err == nil && present && media != "application/json" {
		err = Unsupported("Send no body, or a JSON object as application/json.")
	}
	return err
}

// readOptional reads a JSON body that may be left out: no body and an empty object mean
// the same. checkOptionalType has judged its type.
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

// readEmpty reads the body of a POST that takes no members: none, or an empty
// object.
func ReadEmpty(w http.ResponseWriter, r *http.Request) error {
	return ReadOptional(w, r, request.Table{})
}

func InvalidBody(message string) *transcript.Error {
	return request.Invalid(http.StatusBadRequest, transcript.Issue{Path: "body", Message: message})
}
