package transcript

import (
	"fmt"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

// Error is the `error` member of a refused request or of a failed job. Compare it with
// a code by errors.Is(err, NoTranscript).
type Error struct {
	Code    Code   `json:"code"`    // the code by which a program decides what to do
	Message string `json:"message"` // a sentence for people; the wording may change

	// Retryable says whether the same request may succeed if it is sent again. It is
	// set only on the error of a job. Read it through [Error.RetryableJob].
	Retryable *bool `json:"retryable,omitempty"`

	// ActionLabel and ActionURL are the text and the address of a link for the user,
	// such as to a larger plan. UpgradeURL is the older name of ActionURL and has the
	// same value.
	ActionLabel string `json:"actionLabel,omitempty"`
	ActionURL   string `json:"actionUrl,omitempty" format:"uri"`
	UpgradeURL  string `json:"upgrade_url,omitempty" format:"uri" deprecated:"true"`

	// AvailableLanguages are the tags of the languages that are available instead.
	AvailableLanguages []string `json:"availableLanguages,omitempty"`

	RequestID string         `json:"requestId,omitempty"` // the same as in X-Request-Id
	Details   map[string]any `json:"details,omitempty"`   // more about the error; the meaning of the code names the members
	// RetryAfter is the value of the header Retry-After, in seconds.
	RetryAfter int `json:"retryAfter,omitempty" minimum:"1"`

	// Cure says what the caller or the operator can do, in whole sentences; empty if
	// that is not known. Message may end with the same words. The API shows the cure
	// only in a [LastError].
	Cure string `json:"-"`
	// Status is the HTTP status if it differs from that of the code, such as 422 for
	// INVALID_REQUEST; 0 otherwise.
	Status int `json:"-"`
	// Err is the cause of the failure. It is for the log and never sent to the caller.
	Err error `json:"-"`
}

// Errorf returns an Error with a formatted message. The message is sent to the caller
// of the API. Use [Error.Because] for details that only the log may contain.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Because sets e.Err, the cause for the log, and returns e.
func (e *Error) Because(err error) *Error {
	e.Err = err
	return e
}

// With sets a member of e.Details and returns e.
func (e *Error) With(key string, value any) *Error {
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details[key] = value
	return e
}

// maxMessage is how many bytes of a message Error returns.
const maxMessage = 1000

// Error returns the code, the message and the cause, if there is one. Because a message
// may come from another machine, Error cuts it to a thousand bytes, in one line without
// control characters.
func (e *Error) Error() string {
	message := clip.OneLine(e.Message, maxMessage)
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, strings.TrimSuffix(message, "."), e.Err)
	}
	return fmt.Sprintf("%s: %s", clip.OneLine(string(e.Code), maxMessage), message)
}

// Is reports whether target is the code of e.
func (e *Error) Is(target error) bool {
	code, ok := target.(Code)
	return ok && code == e.Code
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// RetryableJob reports whether the same request may succeed if it is sent again after a
// job has ended with e. It returns e.Retryable if it is set, and otherwise the rule of
// the code.
func (e *Error) RetryableJob() bool {
	if e.Retryable != nil {
		return *e.Retryable
	}
	return e.Code.Retry() != RetryNever
}

// HTTPStatus returns the HTTP status of an answer with e: e.Status, or the status of
// the code.
func (e *Error) HTTPStatus() int {
	if e.Status != 0 {
		return e.Status
	}
	return e.Code.Status()
}

// Issue is one fault in a request: an element of details.issues of an INVALID_REQUEST.
type Issue struct {
	Path    string      `json:"path"`             // the path of the field, such as "urls.2"
	Message string      `json:"message"`          // what the field must be
	Reason  IssueReason `json:"reason,omitempty"` // the kind of fault, for programs; later versions may add others
}

// IssueReason is a kind of fault in a request. A program can choose its own message by
// the reason.
type IssueReason string

// The reasons of issues.
const (
	IssueMissing  IssueReason = "missing"  // the request needs the field
	IssueUnknown  IssueReason = "unknown"  // the request has no such field
	IssueRepeated IssueReason = "repeated" // the field is there more than once
	IssueType     IssueReason = "type"     // the value has another JSON type than the field
	IssueLength   IssueReason = "length"   // the value has too few or too many characters or entries
	IssueRange    IssueReason = "range"    // the number or the time is out of bounds
	IssueChoice   IssueReason = "choice"   // the value is not one of the permitted values
	IssueConflict IssueReason = "conflict" // the value conflicts with another one
	IssueRefused  IssueReason = "refused"  // the service sends no request to this address
	IssueInvalid  IssueReason = "invalid"  // the value does not have the form of the field
)
