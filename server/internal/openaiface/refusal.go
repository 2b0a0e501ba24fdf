package openaiface

import (
	"net/http"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// failure is an error in the form of OpenAI's API. All four members are always present.
type failure struct {
	Message string  `json:"message"` // a sentence for people
	Type    string  `json:"type"`
	Param   *string `json:"param"` // the wrong field; nil means none
	Code    string  `json:"code"`  // what to branch on
}

// failed is the body of a refusal, and the data of an event that ends a stream.
type failed struct {
	Error failure `json:"error"`
}

// The details of an error of this package.
const (
	paramDetail = "param"
	codeDetail  = "code"
)

// invalid refuses a request because of one of its fields.
func invalid(param, code, format string, args ...any) *transcript.Error {
	e := transcript.Errorf(transcript.InvalidRequest, format, args...)
	if param != "" {
		e = e.With(paramDetail, param)
	}
	if code != "" {
		e = e.With(codeDetail, code)
	}
	return e
}

// refusal writes a refusal in the form of OpenAI's API.
func refusal(e *transcript.Error) edge.ForeignRefusal {
	status := statusOf(e)
	out := edge.ForeignRefusal{Status: status, Body: failed{failureOf(e)}}
	retried := status == http.StatusRequestTimeout || status == http.StatusConflict || status == http.StatusTooManyRequests || status >= http.StatusInternalServerError
	if retried && e.Code.Retry() == transcript.RetryNever {
		// Otherwise the official clients would send the file again.
		out.Header = map[string]string{"X-Should-Retry": "false"}
	}
	return out
}

// statusOf returns the status that programs for OpenAI's API expect.
func statusOf(e *transcript.Error) int {
	switch {
	case e.Code == transcript.MediaTooLarge:
		return http.StatusRequestEntityTooLarge
	case e.Code == transcript.ASRConcurrencyLimit:
		return http.StatusTooManyRequests
	case e.HTTPStatus() == http.StatusUnprocessableEntity:
		return http.StatusBadRequest
	}
	return e.HTTPStatus()
}

func failureOf(e *transcript.Error) failure {
	out := failure{Message: e.Message, Type: typeOf(statusOf(e)), Param: paramOf(e), Code: codeOf(e)}
	if out.Message == "" {
		out.Message = e.Code.Meaning()
	}
	return out
}

func typeOf(status int) string {
	switch {
	case status >= http.StatusInternalServerError:
		return "server_error"
	case status == http.StatusTooManyRequests:
		return "rate_limit_error"
	case status == http.StatusPaymentRequired:
		return "insufficient_quota"
	case status == http.StatusForbidden:
		return "permission_error"
	}
	return "invalid_request_error"
}

// paramOf returns the wrong field, or nil if there is none or if it is not known.
func paramOf(e *transcript.Error) *string {
	if param, ok := e.Details[paramDetail].(string); ok {
		return &param
	}
	if part, ok := e.Details["part"].(string); ok {
		return &part
	}
	if issues, ok := e.Details["issues"].([]transcript.Issue); ok && len(issues) > 0 {
		field, _, _ := strings.Cut(issues[0].Path, ".") // without the index in a list
		return &field
	}
	return nil
}

// codeOf returns the code of OpenAI's API for a failure, or otherwise the code of this
// service.
func codeOf(e *transcript.Error) string {
	if code, ok := e.Details[codeDetail].(string); ok && e.Code == transcript.InvalidRequest {
		return code
	}
	switch e.Code {
	case transcript.Unauthorized, transcript.InvalidCredential:
		return "invalid_api_key"
	case transcript.RateLimited:
		return "rate_limit_exceeded"
	}
	return strings.ToLower(string(e.Code))
}
