package request

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// maxIssues is how many faults of a request its sender is told.
const maxIssues = 20

// Invalid is an INVALID_REQUEST with the given HTTP status, 400 or 422, and the first
// 20 issues. Its message repeats the first issue.
func Invalid(status int, issues ...transcript.Issue) *transcript.Error {
	message := "The request is not valid."
	if len(issues) > 0 {
		message = "The request is not valid: " + shownName(issues[0].Path) + " " + issues[0].Message + "."
	}
	issues = issues[:min(len(issues), maxIssues)]
	e := transcript.Errorf(transcript.InvalidRequest, "%s", message).With("issues", issues)
	e.Status = status
	return e
}

// plainName is what every name of ours is like.
var plainName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// shownName is the form of a name in a message. It puts quotes around a caller's name
// that the reader could confuse with the words of the message.
func shownName(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return strconv.Quote(name)
}

// wrongType is the fault of a value that is not of its field's type. It says
// what the value must be.
type wrongType string

func (w wrongType) Error() string { return "must be " + string(w) }

// issues gathers the faults of a request, so that its sender learns of all at
// once, but of no more than maxIssues of either sort. A request that cannot be
// read is answered with 400, one that holds a wrong value with 422.
type issues struct{ unreadable, unfit []transcript.Issue }

func (is *issues) cannotRead(path, format string, args ...any) {
	add(&is.unreadable, path, fmt.Sprintf(format, args...))
}

// full reports whether a further fault would change nothing.
func (is *issues) full() bool { return len(is.unreadable) == maxIssues }

func (is *issues) doesNotFit(path string, fault error) {
	add(&is.unfit, path, fault.Error())
}

// report is where the faults of one value go.
type report struct {
	to   *issues
	path string // of the value
	json bool   // it is JSON; else it is text, which always can be read
}

// at is where the faults of an entry of a list go.
func (r report) at(i int) report {
	r.path += "." + strconv.Itoa(i)
	return r
}

// fault notes a fault of the value: where a JSON value has the wrong type, the
// request cannot be read.
func (r report) fault(err error) {
	if r.json && errors.As(err, new(wrongType)) {
		r.to.cannotRead(r.path, "%s", err)
		return
	}
	r.to.doesNotFit(r.path, err)
}

// add appends an issue. Its path may be a name that the caller made up.
func add(to *[]transcript.Issue, path, message string) {
	if len(*to) < maxIssues {
		*to = append(*to, transcript.Issue{Path: clip.Text(path), Message: message})
	}
}

// err tells the faults of a body: 400 when there is any that cannot be read, else
// 422.
func (is *issues) err() error {
	if len(is.unreadable) == 0 && len(is.unfit) > 0 {
		return Invalid(http.StatusUnprocessableEntity, is.unfit...)
	}
	return is.errOutsideBody()
}

// errOutsideBody tells the faults of a query, a path or a header: always 400.
func (is *issues) errOutsideBody() error {
	if all := slices.Concat(is.unreadable, is.unfit); len(all) > 0 {
		return Invalid(http.StatusBadRequest, all...)
	}
	return nil
}
