package transcript_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// allCodes is the table of docs/reference/errors.md, written out here a second time.
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

// flatCodes are those that no error object has, with their slugs.
var flatCodes = []struct {
	code   string
	status int
	slug   string
}{
	{"UNAUTHORIZED", 401, "unauthorized"},
	{"INVALID_CREDENTIAL", 401, "invalid_credential"},
	{"METHOD_NOT_ALLOWED", 405, "method_not_allowed"},
	{"REQUEST_TIMEOUT", 408, "request_timeout"},
	{"UNSUPPORTED_MEDIA_TYPE", 415, "unsupported_media_type"},
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
	both := map[transcript.Code]string{transcript.RateLimited: "rate_limited", transcript.NotFound: "not_found", transcript.Internal: "internal_error"}
	for _, code := range transcript.Codes() {
		assert.Equal(t, both[code], code.Slug(), code)
	}
	var flat []transcript.Code
	for _, want := range flatCodes {
		code := transcript.Code(want.code)
		flat = append(flat, code)
		assert.Equal(t, want.status, code.Status(), code)
		assert.Equal(t, want.slug, code.Slug(), code)
		assert.Equal(t, transcript.RetryNever, code.Retry(), code)
	}
	assert.ElementsMatch(t, append(flat, transcript.RateLimited, transcript.NotFound, transcript.Internal), transcript.FlatCodes())
}

// What godoc shows of a code is what the table says of it, and the table has every code.
func TestCommentsOfCodesAreTheTables(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "code.go", nil, parser.ParseComments)
	require.NoError(t, err)
	var constants []transcript.Code
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		typ, named := spec.Type.(*ast.Ident)
		if !named || typ.Name != "Code" {
			return true
		}
		value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		require.NoError(t, err)
		code := transcript.Code(value)
		constants = append(constants, code)
		for _, sentence := range []string{code.Meaning(), code.Cure()} {
			assert.Regexp(t, `^[A-Z][^\n.]*(\.[a-zA-Z][^\n.]*)*\.$`, sentence, "%s: one sentence", code)
		}
		meaning := []rune(code.Meaning())
		want := fmt.Sprintf("%s: %s %s", spec.Names[0].Name, strings.ToLower(string(meaning[:1]))+string(meaning[1:]), code.Cure())
		assert.Equal(t, want, strings.Join(strings.Fields(spec.Doc.Text()), " "))
		return true
	})
	all := transcript.Codes()
	for _, flat := range flatCodes {
		all = append(all, transcript.Code(flat.code))
	}
	assert.Equal(t, all, constants)
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
		assert.Empty(t, code.Slug()+code.Meaning()+code.Cure())
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
