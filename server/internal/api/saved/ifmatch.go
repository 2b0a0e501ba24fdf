package saved

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/corrections"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// maxIfMatch is how many characters an If-Match may have.
const maxIfMatch = 500

func ifMatchHeader(value *string) request.Table {
	return request.Table{Fields: []*request.Field{
		request.New("If-Match", value, request.Printable(maxIfMatch)).
			About("The ETag of the text, its revision in quotes, or * for any revision."),
	}}
}

// ifMatch reads the If-Match of a request: the revision that the request expects. Without an
// If-Match the error has the status 428.
func ifMatch(r *http.Request) (expected corrections.Expected, err error) {
	if len(r.Header["If-Match"]) == 0 {
		return expected, errNoIfMatch()
	}
	var value string
	if err := ifMatchHeader(&value).ReadHeader(r.Header); err != nil {
		return expected, err
	}
	var tags []string
	for tag := range strings.SplitSeq(value, ",") {
		tag = strings.TrimSpace(tag)
		tags = append(tags, tag)
		number, _, _ := strings.Cut(strings.Trim(tag, `"`), "-")
		if n, err := strconv.Atoi(number); err == nil {
			expected.Revision = n
		}
	}
	expected.Is = func(present *corrections.Text) bool {
		return slices.ContainsFunc(tags, func(tag string) bool { return names(tag, present) })
	}
	return expected, nil
}

func errNoIfMatch() error {
	return request.Invalid(http.StatusPreconditionRequired, transcript.Issue{
		Path: "If-Match", Message: "is missing: send the ETag of the text that is to be changed, so that no change of another is lost",
	})
}

// names reports whether a tag is one of a text: the tag of one of the text's reads, of the gzip
// form of the read, the revision in quotes, or *. A weak tag names no text (RFC 9110, 13.1.1).
func names(tag string, text *corrections.Text) bool {
	if tag == "*" || tag == strconv.Quote(strconv.Itoa(text.Revision)) {
		return true
	}
	tag = onlyText(tag)
	for _, include := range []library.Include{"", library.Words} {
		read := textTag(text.Revision, text.ID, text.ChangedAt, include)
		if tag == read || tag == edge.GzipTag(read) {
			return true
		}
	}
	return false
}

// onlyText takes the mark of what is besides the text out of an ETag: who changes the text need not
// know whether its recording is still kept, or how the account calls it.
func onlyText(tag string) string {
	before, mark, marked := strings.Cut(tag, besidesMark)
	if !marked {
		return tag
	}
	if strings.HasSuffix(mark, `-gz"`) {
		return before + `-gz"`
	}
	return before + `"`
}
