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

// maxIssues bounds the faults in an error.
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

// plainName matches every name that this module defines.
var plainName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// shownName returns the form of a name in a message. Quotes mark a client's name that a reader
// could confuse with the words of the message.
func shownName(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return strconv.Quote(name)
}

// wrongType is the fault of a value with another type than its field's. Its text names the
// right type.
type wrongType string

func (w wrongType) Error() string { return "must be " + string(w) }

// issues collects the faults of a request, so that the client learns of all faults at once. It
// keeps at most maxIssues faults of each sort. A request that cannot be read gets the status
// 400. A request with a value that does not fit gets 422.
type issues struct{ unreadable, unfit []transcript.Issue }

func (is *issues) cannotRead(path, format string, args ...any) {
	add(&is.unreadable, path, fmt.Sprintf(format, args...))
}

// full reports whether further faults would not change the error.
func (is *issues) full() bool { return len(is.unreadable) == maxIssues }

func (is *issues) doesNotFit(path string, fault error) {
	add(&is.unfit, path, fault.Error())
}

// report collects the faults of one value.
type report struct {
	to   *issues
	path string // the path of the value
	json bool   // the value is JSON; a text can always be read
}

// at returns the report for an entry of a list.
func (r report) at(i int) report {
	r.path += "." + strconv.Itoa(i)
	return r
}

// fault records a fault of the value. A request with a JSON value of the wrong type cannot be
// read.
func (r report) fault(err error) {
	if r.json && errors.As(err, new(wrongType)) {
		r.to.cannotRead(r.path, "%s", err)
		return
	}
	r.to.doesNotFit(r.path, err)
}

// add appends an issue. It shortens path, which may be a name from the client.
func add(to *[]transcript.Issue, path, message string) {
	if len(*to) < maxIssues {
		*to = append(*to, transcript.Issue{Path: clip.Text(path), Message: message})
	}
}

// err returns the error for a body: 400 if any part cannot be read, else 422. It returns nil if
// there is no fault.
func (is *issues) err() error {
	if len(is.unreadable) == 0 && len(is.unfit) > 0 {
		return Invalid(http.StatusUnprocessableEntity, is.unfit...)
	}
	return is.errOutsideBody()
}

// errOutsideBody returns the error for a query, a path or a header. The status is always 400.
func (is *issues) errOutsideBody() error {
	if all := slices.Concat(is.unreadable, is.unfit); len(all) > 0 {
		return Invalid(http.StatusBadRequest, all...)
	}
	return nil
}
