package dataapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// refusal is an answer of the API whose status is no success.
type refusal struct {
	status  int
	header  http.Header
	message string
	reasons []string // of the API, and of the gateway in front of the API
	limits  []string // that are used up
}

// readRefusal reads an answer. A body that is not the API's JSON contains no reason.
func readRefusal(resp *http.Response) *refusal {
	r := &refusal{status: resp.StatusCode, header: resp.Header}
	body, _ := io.ReadAll(resp.Body) // the body was read before, see wire
	var said struct {
		Error struct {
			Message string `json:"message"`
			Errors  []struct {
				Reason string `json:"reason"`
			} `json:"errors"`
			Details []json.RawMessage `json:"details"`
		} `json:"error"`
	}
	_ = json.Unmarshal(body, &said) // otherwise the status is all the information
	r.message = said.Error.Message
	for _, e := range said.Error.Errors {
		r.reasons = append(r.reasons, e.Reason)
	}
	for _, detail := range said.Error.Details {
		var d struct {
			Reason   string `json:"reason"`
			Metadata struct {
				Limit string `json:"quota_limit"`
			} `json:"metadata"`
		}
		_ = json.Unmarshal(detail, &d) // a detail of another form contains no reason
		if d.Reason != "" {
			r.reasons = append(r.reasons, d.Reason)
		}
		r.limits = append(r.limits, d.Metadata.Limit)
	}
	return r
}

// Error gives the status, the reasons and the API's own message. The message may hold secrets.
func (r *refusal) Error() string {
	text := fmt.Sprintf("dataapi: status %d %s", r.status, http.StatusText(r.status))
	if len(r.reasons) > 0 {
		text += fmt.Sprintf(" %q", r.reasons)
	}
	if r.message != "" {
		text += ": " + r.message
	}
	return text
}
