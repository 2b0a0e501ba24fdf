package transcript

import (
	"fmt"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

// Error is a business failure: the `error` member of a refused request and of
// a failed job. Match it by code: errors.Is(err, NoTranscript).
type Error struct {
	Code    Code   `json:"code"`    // what to branch on
	Message string `json:"message"` // a sentence for people; its wording may change

	// Retryable is set on the error of a job: whether the same request, sent
	// again, may succeed. Read it through [Error.RetryableJob].
	Retryable *bool `json:"retryable,omitempty"`

	// ActionLabel and ActionURL say what a caller can do about a plan's limit.
	// UpgradeURL is the older name of ActionURL and has the same value.
	ActionLabel string `json:"actionLabel,omitempty"`
	ActionURL   string `json:"actionUrl,omitempty" format:"uri"`
	UpgradeURL  string `json:"upgrade_url,omitempty" format:"uri" deprecated:"true"`

	// AvailableLanguages are the tags that could be served instead.
	AvailableLanguages []string `json:"availableLanguages,omitempty"`

	RequestID string         `json:"requestId,omitempty"` // the same as in X-Request-Id
	Details   map[string]any `json:"details,omitempty"`   // what more there is to say; the meaning of the code says what
	// RetryAfter mirrors the header of the same name, in seconds.
	RetryAfter int `json:"retryAfter,omitempty" minimum:"1"`

	// Cure says what the caller or the operator can do, in whole sentences; empty: nothing is
	// known. Message may end with the same words. Callers read the cure in a [LastError].
	Cure string `json:"-"`
	// Status is the HTTP status where it departs from the code's own
	// (INVALID_REQUEST as 422); 0 otherwise.
	Status int `json:"-"`
	// Err is what caused the failure. It is for the log, never for the caller.
	Err error `json:"-"`
}

// Errorf makes an Error with a formatted message. The caller of the API reads the
// message. Use [Error.Because] for a text that only the log may show.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Because records the cause for the log and returns e.
func (e *Error) Because(err error) *Error {
	e.Err = err
	return e
}

// With sets one member of Details and returns e.
func (e *Error) With(key string, value any) *Error {
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details[key] = value
	return e
}

// maxMessage is how many bytes of a message Error returns.
const maxMessage = 1000

// Error returns code and message, and the cause where there is one. A message may be
// another machine's: it is cut to a thousand bytes, in one line without control
// characters.
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

// RetryableJob reports whether the same request, sent again, may succeed although the
// job ended with e. The answer is e.Retryable if it is set, else the rule of the code.
func (e *Error) RetryableJob() bool {
	if e.Retryable != nil {
		return *e.Retryable
	}
	return e.Code.Retry() != RetryNever
}

// HTTPStatus is the status of an answer that carries e.
func (e *Error) HTTPStatus() int {
	if e.Status != 0 {
		return e.Status
	}
	return e.Code.Status()
}

// Issue is one fault of a request: an element of details.issues of an
// INVALID_REQUEST.
type Issue struct {
	Path    string      `json:"path"`             // the path of the field, as in "urls.2"
	Message string      `json:"message"`          // what the field must be
	Reason  IssueReason `json:"reason,omitempty"` // the sort of the fault, for programs; later versions may add others
}

// IssueReason is the sort of a fault of a request. A program chooses its own words by it.
type IssueReason string

// The reasons of issues.
const (
	IssueMissing  IssueReason = "missing"  // the request needs the field
	IssueUnknown  IssueReason = "unknown"  // the request has no such field
	IssueRepeated IssueReason = "repeated" // the field is there more than once
	IssueType     IssueReason = "type"     // the value has another JSON type than the field
	IssueLength   IssueReason = "length"   // the value has too few or too many characters or entries
	IssueRange    IssueReason = "range"    // the number or the time is out of bounds
	IssueChoice   IssueReason = "choice"   // the value is none of those to choose from
	IssueConflict IssueReason = "conflict" // the value does not go together with another one
	IssueRefused  IssueReason = "refused"  // the service sends no request to this address
	IssueInvalid  IssueReason = "invalid"  // the value has another form than the field
)
