package request

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// maxIssues limits the faults in an error.
const maxIssues = 20

// Invalid is an INVALID_REQUEST with the given HTTP status, 400 or 422, and the first
// 20 issues. Its message repeats the first issue. An issue without a reason is about the form of a
// value.
func Invalid(status int, issues ...transcript.Issue) *transcript.Error {
	message := "The request is not valid."
	if len(issues) > 0 {
		message = "The request is not valid: " + shownName(issues[0].Path) + " " + issues[0].Message + "."
	}
	issues = slices.Clone(issues[:min(len(issues), maxIssues)])
	for i := range issues {
		issues[i].Reason = cmp.Or(issues[i].Reason, transcript.IssueInvalid)
	}
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

// fault is the fault of a value with the reason for programs. Another error is a value that has not
// the form of its field.
type fault struct {
	reason transcript.IssueReason
	text   string
}

func (f *fault) Error() string { return f.text }

// faultf returns a fault.
func faultf(reason transcript.IssueReason, format string, args ...any) error {
	return &fault{reason, fmt.Sprintf(format, args...)}
}

// reasonOf is the reason of a fault of a value.
func reasonOf(err error) transcript.IssueReason {
	var known *fault
	switch {
	case errors.As(err, &known):
		return known.reason
	case errors.As(err, new(wrongType)):
		return transcript.IssueType
	}
	return transcript.IssueInvalid
}

// issues collects the faults of a request, so that the client learns of all faults at once. It
// keeps at most maxIssues faults of each sort. A request that cannot be read gets the status
// 400. A request with a value that does not fit gets 422.
type issues struct{ unreadable, unfit []transcript.Issue }

func (is *issues) cannotRead(reason transcript.IssueReason, path, format string, args ...any) {
	add(&is.unreadable, reason, path, fmt.Sprintf(format, args...))
}

// full reports whether further faults would not change the error.
func (is *issues) full() bool { return len(is.unreadable) == maxIssues }

func (is *issues) doesNotFit(path string, fault error) {
	add(&is.unfit, reasonOf(fault), path, fault.Error())
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
		r.to.cannotRead(transcript.IssueType, r.path, "%s", err)
		return
	}
	r.to.doesNotFit(r.path, err)
}

// add appends an issue. It shortens path, which may be a name from the client.
func add(to *[]transcript.Issue, reason transcript.IssueReason, path, message string) {
	if len(*to) < maxIssues {
		*to = append(*to, transcript.Issue{Path: clip.Text(path), Message: message, Reason: reason})
	}
}

// err returns the error for a body: 400 if any part cannot be read, otherwise 422. It returns
// nil if there is no fault.
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
