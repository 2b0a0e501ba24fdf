package client

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/internal/resumable"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The longest texts of an error, in bytes. The service itself may send longer texts.
const (
	maxName    = 200 // of a code, a label or a request id
	maxMessage = 1000
	maxText    = 5000
)

// Error is an answer that is not the documented success: an answer with a status other
// than 2xx, whatever its body is, or a 2xx answer without the documented JSON. Compare
// an Error with a code by errors.Is:
//
//	errors.Is(err, transcript.RateLimited)  // every 429
//	errors.Is(err, transcript.Unauthorized) // every 401
type Error struct {
	// Method and Path are those of the request, without the query. For an upload of
	// several requests, they are those of the request that failed.
	Method, Path string

	// Code is the documented code. For a flat error it is derived from the slug:
	// rate_limited is RATE_LIMITED, and invalid_credential is INVALID_CREDENTIAL. Code
	// is empty if the body has none.
	Code transcript.Code
	// Slug is the word in a flat error, such as unauthorized or rate_limited; empty in
	// other errors.
	Slug    string
	Message string

	// ActionLabel and ActionURL are the text and the address of a link for the user,
	// such as to a larger plan; empty if the service sent none.
	ActionLabel, ActionURL string
	// AvailableLanguages are the tags of the languages that the service has instead.
	AvailableLanguages []string
	Details            map[string]any

	Response Response
	// RetryAfter is how long the service asks the client to wait; 0 if it does not say.
	RetryAfter time.Duration
	// Body is the body of the answer, at most its first MiB.
	Body []byte
	// Err says why the client could not use a 2xx answer; nil for other answers.
	Err error

	// step: the request was a step of an upload, which may be sent again by any method because
	// each step tells where the upload stands.
	step bool
}

// newError makes an Error of any answer. It cannot fail: what the body does not
// say in the documented way stays empty.
func newError(method, path string, r Response, body []byte) *Error {
	e := &Error{Method: method, Path: path, Response: r, Body: keep(body)}
	var envelope struct {
		Error     json.RawMessage `json:"error"`
		Message   json.RawMessage `json:"message"` // beside a flat error
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(body, &envelope) == nil {
		member(envelope.RequestID, &e.Response.RequestID)
		member(envelope.Message, &e.Message)
		e.readEnvelope(envelope.Error)
	}
	if r.RequestID != "" {
		e.Response.RequestID = r.RequestID
	}
	if after, ok := retryAfter(r.Header); ok {
		e.RetryAfter = after
	}
	return e
}

func (e *Error) readEnvelope(raw json.RawMessage) {
	if member(raw, &e.Slug); e.Slug != "" {
		e.Code = slugCode(e.Slug)
		return
	}
	var object map[string]json.RawMessage
	member(raw, &object)
	var upgradeURL string
	var retryAfter int
	member(object["code"], &e.Code)
	member(object["message"], &e.Message)
	member(object["actionLabel"], &e.ActionLabel)
	member(object["actionUrl"], &e.ActionURL)
	member(object["upgrade_url"], &upgradeURL)
	member(object["availableLanguages"], &e.AvailableLanguages)
	member(object["details"], &e.Details)
	member(object["requestId"], &e.Response.RequestID)
	member(object["retryAfter"], &retryAfter)
	if e.ActionURL == "" {
		e.ActionURL = upgradeURL
	}
	e.RetryAfter = seconds(retryAfter)
}

// seconds is a retryAfter as far as it is believed.
func seconds(n int) time.Duration {
	return min(time.Duration(max(n, 0)), maxRetryAfter/time.Second) * time.Second
}

// member decodes one member on its own, so that a member of the wrong type does not
// affect the others. If the member is missing or wrong, out stays as it was.
func member[T any](raw json.RawMessage, out *T) {
	var value T
	if len(raw) > 0 && json.Unmarshal(raw, &value) == nil {
		*out = value
	}
}

// slugCode is the code of a flat error; empty for an unknown slug.
func slugCode(slug string) transcript.Code {
	for _, code := range transcript.FlatCodes() {
		if code.Slug() == slug {
			return code
		}
	}
	if code := transcript.Code(strings.ToUpper(slug)); slices.Contains(transcript.Codes(), code) {
		return code
	}
	return ""
}

// Error returns the refused request, the reason, and the way out if the answer names
// one. The form is
//
//	POST /v1/transcript: 402 UPGRADE_REQUIRED: The message. Upgrade: https://example.com/plans (request r_1)
//	POST /v1/transcript: 429 RATE_LIMITED: Try again in 12s. (request r_1)
//
// The text never contains the body or the key. It is one line without control
// characters, with at most about a thousand bytes of the service's text.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %d", e.Method, e.Path, e.Response.StatusCode)
	switch {
	case e.Code != "":
		fmt.Fprintf(&b, " %s", clip.OneLine(string(e.Code), maxName))
	case e.Slug != "":
		fmt.Fprintf(&b, " %s", clip.OneLine(e.Slug, maxName))
	case e.Err == nil:
		fmt.Fprintf(&b, " %s", http.StatusText(e.Response.StatusCode))
	}
	if why := explain(e.Message, e.ActionLabel, e.ActionURL, e.RetryAfter); why != "" {
		fmt.Fprintf(&b, ": %s", why)
	}
	if e.Response.RequestID != "" {
		fmt.Fprintf(&b, " (request %s)", clip.OneLine(e.Response.RequestID, maxName))
	}
	return b.String()
}

// explain is a message, followed by what can be done, in one line.
func explain(message, actionLabel, actionURL string, retryAfter time.Duration) string {
	message = clip.OneLine(message, maxMessage)
	if actionURL != "" {
		message += " " + cmp.Or(clip.OneLine(actionLabel, maxName), "See") + ": " + clip.OneLine(actionURL, maxMessage)
	}
	if retryAfter > 0 {
		message += " Try again in " + retryAfter.String() + "."
	}
	return strings.TrimSpace(message)
}

// Is reports whether target is the code of e. [transcript.Unauthorized] matches every
// 401, including one with INVALID_CREDENTIAL, and [transcript.RateLimited] matches
// every 429, because a proxy may answer 401 or 429 without a code.
func (e *Error) Is(target error) bool {
	code, ok := target.(transcript.Code)
	if !ok {
		return false
	}
	status := e.Response.StatusCode
	return code == e.Code ||
		code == transcript.Unauthorized && status == http.StatusUnauthorized ||
		code == transcript.RateLimited && status == http.StatusTooManyRequests
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether the same request may be sent again. It is true after 429,
// after 503 with Retry-After, and after a 409 with IDEMPOTENCY_IN_PROGRESS or with the
// byte at which an upload continues. If the request is safe to repeat, Retryable is
// also true after 502 and after any other 503, unless the code says that a retry is
// useless (NOT_IMPLEMENTED, CONFIG_ERROR, LOGIN_REQUIRED, PO_TOKEN_REQUIRED). It is
// false after 500 and 504.
func (e *Error) Retryable() bool {
	_, hinted := retryAfter(e.Response.Header)
	hinted = hinted || e.RetryAfter > 0
	switch e.Response.StatusCode {
	case http.StatusTooManyRequests:
		return true
	case http.StatusConflict:
		return e.Code == transcript.IdempotencyInProgress || e.offsetConflict()
	case http.StatusBadGateway:
		return e.safe() && !permanent(e.Code)
	case http.StatusServiceUnavailable:
		return hinted || e.safe() && !permanent(e.Code)
	}
	return false
}

// safe reports whether the request does nothing twice.
func (e *Error) safe() bool { return e.step || safeToRepeat(e.Method) }

// offsetConflict reports whether a resumable upload goes on at another byte, which the service
// has told.
func (e *Error) offsetConflict() bool {
	_, told, err := resumable.ReadInteger(e.Response.Header, resumable.Offset)
	whole, _, _ := resumable.ReadBool(e.Response.Header, resumable.Complete) // an unreadable header says nothing
	return e.Response.StatusCode == http.StatusConflict && told && err == nil && !whole
}

// permanent reports whether the table of codes says that a repetition of the
// request fails again. A code that is not in the table is not permanent.
func permanent(code transcript.Code) bool {
	return code.Retry() == transcript.RetryNever && slices.Contains(transcript.Codes(), code)
}

// JobError reports a job that failed or was cancelled. The request itself succeeded.
type JobError struct{ Job transcript.Job }

// Error returns the job's id, why it ended, and the way out if the service names one.
func (e *JobError) Error() string {
	ended := fmt.Sprintf("job %s: %s in stage %s", e.Job.JobID, e.Job.Status, e.Job.Stage)
	if why := e.Job.Error; why != nil {
		ended += fmt.Sprintf(": %s: %s", why.Code,
			explain(why.Message, why.ActionLabel, cmp.Or(why.ActionURL, why.UpgradeURL), 0)) // that pause began when the job ended
	}
	return clip.OneLine(ended, maxText)
}

// Unwrap returns the job's own error, so that errors.Is compares it with codes. It
// returns nil if the job was cancelled and has no error.
func (e *JobError) Unwrap() error {
	if e.Job.Error == nil {
		return nil
	}
	return e.Job.Error
}

// WaitError reports a wait that ended before the job, or before the service answered
// with the job. The job goes on. Job holds its id and its last known state, which is
// zero if the client has seen none.
type WaitError struct {
	Job transcript.Job
	Err error
}

// Error returns the job's id and why the wait ended.
func (e *WaitError) Error() string {
	if e.Job.Status == "" {
		return clip.OneLine(fmt.Sprintf("waiting for job %s: %v", e.Job.JobID, e.Err), maxText)
	}
	return clip.OneLine(fmt.Sprintf("waiting for job %s (%s, %s): %v", e.Job.JobID, e.Job.Status, e.Job.Stage, e.Err), maxText)
}

// Unwrap returns Err, the reason why the wait ended: an [*Error], or the context's
// error with its cause.
func (e *WaitError) Unwrap() error { return e.Err }

// BatchError reports a batch that failed as a whole or was cancelled. A batch fails if
// its items could not be listed, or if no item succeeded. The request itself succeeded.
type BatchError struct{ Batch batch.Job }

// Error returns the batch's id, how it ended, and the reason if it is known.
func (e *BatchError) Error() string {
	ended := fmt.Sprintf("batch %s: %s", e.Batch.ID, e.Batch.Status)
	if why := e.Batch.Error; why != nil {
		ended += fmt.Sprintf(": %s: %s", why.Code, explain(why.Message, why.ActionLabel, cmp.Or(why.ActionURL, why.UpgradeURL), 0))
	} else {
		ended += fmt.Sprintf(": %d of %d items succeeded, %d failed", e.Batch.Counts.Success, e.Batch.Total, e.Batch.Failed)
	}
	return clip.OneLine(ended, maxText)
}

// Unwrap returns the batch's own error, so that errors.Is compares it with codes. It
// returns nil if the batch has no error.
func (e *BatchError) Unwrap() error {
	if e.Batch.Error == nil {
		return nil
	}
	return e.Batch.Error
}

// BatchWaitError reports a wait that ended before the batch, or before the service
// answered with the batch. The batch goes on. Batch holds its id and its last known
// state, which is zero if the client has seen none.
type BatchWaitError struct {
	Batch batch.Job
	Err   error
}

// Error returns the batch's id and why the wait ended.
func (e *BatchWaitError) Error() string {
	if e.Batch.Status == "" {
		return clip.OneLine(fmt.Sprintf("waiting for batch %s: %v", e.Batch.ID, e.Err), maxText)
	}
	return clip.OneLine(fmt.Sprintf("waiting for batch %s (%s, %d of %d items done): %v", e.Batch.ID, e.Batch.Status, e.Batch.Done, e.Batch.Total, e.Err), maxText)
}

// Unwrap returns Err, the reason why the wait ended: an [*Error], or the context's
// error with its cause.
func (e *BatchWaitError) Unwrap() error { return e.Err }
