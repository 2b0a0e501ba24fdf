// Package resumable reads and writes the headers of resumable uploads
// (draft-ietf-httpbis-resumable-upload-12), for the client and for the server.
package resumable

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// The headers of resumable uploads.
const (
	// Complete says whether a request brings the end of the file, or whether the whole file has
	// arrived: see Bool.
	Complete = "Upload-Complete"
	// Offset is the number of bytes that have arrived: see Integer.
	Offset = "Upload-Offset"
	// Length is the number of bytes of the whole file: see Integer.
	Length = "Upload-Length"
	// Limit holds the limits of uploads: see Limits.
	Limit = "Upload-Limit"
	// Interop is the version of the draft that a sender uses. Requests and interim answers
	// have the header while resumable uploads are a draft.
	Interop = "Upload-Draft-Interop-Version"
)

const (
	// InteropVersion is the value of Interop for this draft.
	InteropVersion = "8"
	// StatusResumption is the status of an interim answer that names the upload, or reports its
	// progress.
	StatusResumption = 104
	// Partial is the media type of a request that continues an upload.
	Partial = "application/partial-upload"
)

// LargestInteger is the largest number in a structured field (RFC 9651, 3.3.1).
const LargestInteger = 999_999_999_999_999

// Bool is a boolean as a structured field.
func Bool(value bool) string {
	if value {
		return "?1"
	}
	return "?0"
}

// Integer is a number from 0 to LargestInteger as a structured field.
func Integer(value int64) string { return strconv.FormatInt(value, 10) }

// ReadBool reads a header with a boolean. present is false if there is no such header. Any other
// text than ?0 or ?1, and a repeated header, is an error that names the header.
func ReadBool(h http.Header, name string) (value, present bool, err error) {
	text, present, err := single(h, name)
	if err != nil || !present {
		return false, present, err
	}
	switch text {
	case "?1":
		return true, true, nil
	case "?0":
		return false, true, nil
	}
	return false, true, &HeaderError{name, "must be ?0 or ?1"}
}

// ReadInteger reads a header with a number from 0 to LargestInteger. present is false if there is
// no such header. Any other text, and a repeated header, is an error that names the header.
func ReadInteger(h http.Header, name string) (value int64, present bool, err error) {
	text, present, err := single(h, name)
	if err != nil || !present {
		return 0, present, err
	}
	if value, ok := digits(text); ok {
		return value, true, nil
	}
	return 0, true, &HeaderError{name, fmt.Sprintf("must be a number from 0 to %d", LargestInteger)}
}

// HeaderError says what is wrong with a header.
type HeaderError struct {
	Header  string // the name
	Message string // such as "must be ?0 or ?1"
}

func (e *HeaderError) Error() string { return e.Header + " " + e.Message }

// single returns the value of a header that may occur once.
func single(h http.Header, name string) (value string, present bool, err error) {
	values := h.Values(name)
	switch len(values) {
	case 0:
		return "", false, nil
	case 1:
		return strings.Trim(values[0], " "), true, nil
	}
	return "", true, &HeaderError{name, "is there more than once"}
}

// digits reads a number without a sign, of at most as many digits as a structured field permits.
func digits(text string) (int64, bool) {
	if text == "" || len(text) > len("999999999999999") {
		return 0, false
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}
