package saved

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// byteRange is the part of a file that a request wants (RFC 9110, 14).
type byteRange struct {
	first, length int64
	partial       bool // the request names a range
}

func (b byteRange) contentRange(size int64) string {
	return fmt.Sprintf("bytes %d-%d/%d", b.first, b.first+b.length-1, size)
}

// rangeHeader is the header of a route that sends ranges, for the document. A route ignores what
// it cannot read in the header.
func rangeHeader() request.Table {
	return request.Table{Fields: []*request.Field{
		request.New("Range", new(string), request.Text(0, 0)).About("One range of bytes, as `bytes=0-1023`. Several ranges are ignored: the answer is the whole file."),
		request.New("If-Range", new(string), request.Text(0, 0)).About("The ETag of the bytes that the caller has. If the file has another ETag, the answer is the whole file."),
	}}
}

// rangeOf returns the part of a file that a request wants. It ignores a range that cannot be
// read. It also ignores several ranges, because overlapping ranges would make the answer
// larger than the file. The error has the status 416 if the range contains no byte.
func rangeOf(r *http.Request, file recordingFile) (byteRange, error) {
	whole := byteRange{length: file.size}
	if r.Method == http.MethodHead || len(r.Header["Range"]) != 1 {
		return whole, nil
	}
	if condition := r.Header["If-Range"]; len(condition) > 0 && (len(condition) > 1 || condition[0] != file.etag) {
		return whole, nil
	}
	spec, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes=")
	first, last, dashed := strings.Cut(strings.TrimSpace(spec), "-")
	if !ok || !dashed {
		return whole, nil
	}
	from, hasFrom, okFrom := position(first)
	to, hasTo, okTo := position(last)
	switch {
	case !okFrom || !okTo || !hasFrom && !hasTo || hasFrom && hasTo && to < from:
		return whole, nil
	case !hasFrom: // the last bytes
		length := min(to, file.size)
		from, to = file.size-length, file.size-1
	case !hasTo:
		to = file.size - 1
	}
	to = min(to, file.size-1)
	if from > to {
		return byteRange{}, request.Invalid(http.StatusRequestedRangeNotSatisfiable, transcript.Issue{
			Path: "Range", Message: fmt.Sprintf("has no byte of the file, which has %d", file.size),
		})
	}
	return byteRange{from, to - from + 1, true}, nil
}

// position reads a number of a range. A number that is too large becomes the largest
// number.
func position(digits string) (n int64, there, ok bool) {
	if digits == "" {
		return 0, false, true
	}
	if strings.Trim(digits, "0123456789") != "" {
		return 0, true, false
	}
	n, _ = strconv.ParseInt(digits, 10, 64) // out of its bounds, it becomes the nearest bound
	return n, true, true
}
