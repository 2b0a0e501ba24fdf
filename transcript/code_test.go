package transcript_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// allCodes is the table of server/API.md, Errors, written out here a second time.
var allCodes = []struct {
	code   string
	status int
	retry  transcript.Retry
}{
	{"INVALID_REQUEST", 400, transcript.RetryNever},
	{"CSV_PARSE_ERROR", 400, transcript.RetryNever},
	{"INVALID_VIDEO", 422, transcript.RetryNever},
	{"UNSUPPORTED_PLATFORM", 422, transcript.RetryNever},
	{"UPLOAD_INVALID", 422, transcript.RetryNever},
	{"MEDIA_TOO_LARGE", 422, transcript.RetryNever},
	{"UPGRADE_REQUIRED", 402, transcript.RetryNever},
	{"TRANSCRIPT_QUOTA_EXCEEDED", 402, transcript.RetryNever},
	{"INSUFFICIENT_CREDITS", 402, transcript.RetryNever},
	{"VIDEO_TOO_LONG", 402, transcript.RetryNever},
	{"ASR_QUOTA_EXCEEDED", 402, transcript.RetryNever},
	{"BATCH_LIMIT_EXCEEDED", 402, transcript.RetryNever},
	{"FORBIDDEN", 403, transcript.RetryNever},
	{"NO_TRANSCRIPT", 404, transcript.RetryNever},
	{"LANGUAGE_NOT_AVAILABLE", 404, transcript.RetryNever},
	{"UNAVAILABLE", 404, transcript.RetryNever},
	{"NOT_FOUND", 404, transcript.RetryNever},
	{"IDEMPOTENCY_CONFLICT", 409, transcript.RetryNever},
	{"IDEMPOTENCY_IN_PROGRESS", 409, transcript.RetryNow},
	{"STATE_CONFLICT", 409, transcript.RetryWait},
	{"ASR_CONCURRENCY_LIMIT", 409, transcript.RetryWait},
	{"ASR_REQUIRES_ASYNC", 200, transcript.RetryNever},
	{"RATE_LIMITED", 429, transcript.RetryNow},
	{"UPSTREAM_FAILED", 502, transcript.RetryBackoff},
	{"IP_BLOCKED", 503, transcript.RetryNow},
	{"PO_TOKEN_REQUIRED", 503, transcript.RetryNever},
	{"LOGIN_REQUIRED", 503, transcript.RetryNever},
	{"CONFIG_ERROR", 503, transcript.RetryNever},
	{"NOT_IMPLEMENTED", 503, transcript.RetryNever},
	{"SERVICE_UNAVAILABLE", 503, transcript.RetryNow},
	{"INTERNAL", 500, transcript.RetryBackoff},
}

func TestCodesAreTheContracts(t *testing.T) {
	t.Parallel()
	var names []transcript.Code
	for _, want := range allCodes {
		code := transcript.Code(want.code)
		names = append(names, code)
		assert.Equal(t, want.status, code.Status(), code)
		assert.Equal(t, want.retry, code.Retry(), code)
	}
	assert.Equal(t, names, transcript.Codes())
}

func TestStatusesAreThoseOfTheAPI(t *testing.T) {
	t.Parallel()
	listed := []int{400, 401, 402, 403, 404, 409, 422, 429, 502, 503}
	for _, code := range transcript.Codes() {
		switch code {
		case transcript.ASRRequiresAsync: // inside a report
			assert.Equal(t, 200, code.Status())
		case transcript.Internal: // a framework failure
			assert.Equal(t, 500, code.Status())
		default:
			assert.Contains(t, listed, code.Status(), code)
		}
	}
}

func TestUnknownCode(t *testing.T) {
	t.Parallel()
	for _, code := range []transcript.Code{"", "internal", "COFFEE_SPILLED"} {
		assert.Equal(t, 500, code.Status())
		assert.Equal(t, transcript.RetryNever, code.Retry())
	}
}

func TestErrorIsItsCode(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("job: %w", transcript.Errorf(transcript.NoTranscript, "Nothing in %d languages.", 3).Because(io.ErrUnexpectedEOF))
	assert.ErrorIs(t, err, transcript.NoTranscript)
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.NotErrorIs(t, err, transcript.NotFound)
	assert.EqualError(t, err, "job: NO_TRANSCRIPT: Nothing in 3 languages: unexpected EOF")
	assert.EqualError(t, transcript.NoTranscript, "NO_TRANSCRIPT")

	var coded *transcript.Error
	require.ErrorAs(t, err, &coded)
	assert.Equal(t, 404, coded.HTTPStatus())
	coded.Status = 422
	assert.Equal(t, 422, coded.HTTPStatus())
}

func TestErrorShowsTheCallerNoCause(t *testing.T) {
	t.Parallel()
	err := transcript.Errorf(transcript.InvalidRequest, "Wrong.").Because(errors.New("secret")).
		With("issues", []transcript.Issue{{Path: "language", Message: "entry 1 is empty"}})
	err.Status = 422
	b, failed := json.Marshal(err)
	require.NoError(t, failed)
	assert.JSONEq(t, `{"code":"INVALID_REQUEST","message":"Wrong.","details":{"issues":[{"path":"language","message":"entry 1 is empty"}]}}`, string(b))
}

func TestRetryableJob(t *testing.T) {
	t.Parallel()
	again := []transcript.Code{transcript.Internal, transcript.UpstreamFailed, transcript.RateLimited, transcript.IPBlocked,
		transcript.ASRConcurrencyLimit, transcript.StateConflict, transcript.IdempotencyInProgress, transcript.ServiceUnavailable}
	for _, code := range append(transcript.Codes(), "UNKNOWN") {
		want := false
		for _, c := range again {
			want = want || c == code
		}
		e := &transcript.Error{Code: code}
		assert.Equal(t, want, e.RetryableJob(), code)
		e.Retryable = ptr(!want)
		assert.Equal(t, !want, e.RetryableJob(), "%s: what the error says counts", code)
	}
}
