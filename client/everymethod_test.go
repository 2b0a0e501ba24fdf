package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// schema is a schema of server/openapi.json, or a reference to one.
type schema struct {
	Ref        string `json:"$ref"`
	Type       any
	Format     string
	Enum       []any
	Properties map[string]schema
	Items      *schema
	AnyOf      []schema
	OneOf      []schema
}

// documented is a service that answers each operation with everything that the document promises,
// and with the members that a test adds.
type documented struct {
	Paths map[string]map[string]struct {
		OperationID string
		Responses   map[string]struct {
			Content map[string]struct{ Schema schema }
		}
	}
	Components struct{ Schemas map[string]schema }

	more object
}

func readDocumented(t *testing.T, more object) *documented {
	t.Helper()
	text, err := os.ReadFile("../server/openapi.json")
	require.NoError(t, err)
	d := &documented{more: more}
	require.NoError(t, json.Unmarshal(text, d))
	return d
}

func (d *documented) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := &http.Response{StatusCode: http.StatusNotFound, Header: http.Header{}, ProtoMajor: 1, ProtoMinor: 1, Request: r, Body: http.NoBody}
	for path, methods := range d.Paths {
		pattern := regexp.MustCompile(`\{[^}]+\}`).ReplaceAllString(path, "[^/]+")
		op, ok := methods[strings.ToLower(r.Method)]
		if !ok || !regexp.MustCompile("^"+pattern+"$").MatchString(r.URL.Path) {
			continue
		}
		status := slices.Max(slices.DeleteFunc(slices.Collect(maps.Keys(op.Responses)), func(s string) bool { return s[0] != '2' }))
		if op.OperationID == "streamTranscriptJob" || op.OperationID == "createFollow" && r.Header.Get("Content-Type") != "application/json" {
			status = "200"
		}
		if status == "206" || op.OperationID == "editTranscript" && r.Header.Get("If-Match") != "" { // 206 needs bounds
			status = "200"
		}
		_, err := fmt.Sscan(status, &answer.StatusCode)
		content := op.Responses[status].Content
		body := []byte("text")
		if _, events := content["text/event-stream"]; events {
			answer.Header.Set("Content-Type", "text/event-stream")
			job, _ := json.Marshal(d.whole(schema{Ref: "#/components/schemas/Job"}))
			body = fmt.Appendf(nil, "event: job.completed\nid: 1\ndata: %s\n\n", job)
		} else if told, ok := content["application/json"]; ok {
			answer := d.whole(told.Schema)
			if op.OperationID == "createFollow" && status == "200" {
				delete(answer.(object), "follow") // a list of follows has results, and no follow
			}
			body, _ = json.Marshal(answer)
		}
		answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		return answer, err
	}
	return answer, nil
}

// whole is an answer of a schema.
func (d *documented) whole(s schema) any {
	body := d.value(s, 0)
	if o, ok := body.(object); ok {
		maps.Copy(o, d.more)
	}
	return body
}

// value is a value with every member of its schema.
func (d *documented) value(s schema, deep int) any {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		return d.value(d.Components.Schemas[name], deep)
	}
	kind := s.Type
	if several, ok := kind.([]any); ok {
		kind = several[0]
	}
	switch some := append(s.AnyOf, s.OneOf...); {
	case deep > 12:
		return nil
	case len(some) > 0:
		return d.value(some[0], deep+1)
	case len(s.Enum) > 0:
		for _, end := range []any{"success", "completed", "ready", "json"} { // no wait waits
			if slices.Contains(s.Enum, end) {
				return end
			}
		}
		return s.Enum[0]
	case kind == "array":
		return []any{d.value(*s.Items, deep+1)}
	case kind == "integer", kind == "number":
		return 1
	case kind == "boolean":
		return false
	case kind == "object":
		o := object{}
		for name, member := range s.Properties {
			if name != "nextPageToken" {
				o[name] = d.value(member, deep+1)
			}
		}
		return o
	case s.Format == "date-time":
		return "2026-11-21T02:03:34.123Z"
	case s.Format == "uuid":
		return jobID
	}
	return "a"
}

// arguments are values of the types of parameters that a method sends.
type arguments struct {
	text string // each text and each id
	full bool   // numbers, flags and what may be left out are there too
}

func (a arguments) of(is reflect.Type) reflect.Value {
	languages := map[bool][]string{true: {"en", "asr"}}[a.full]
	maxItems := map[bool]int{true: 7}[a.full]
	switch is {
	case reflect.TypeFor[transcript.Source]():
		return reflect.ValueOf(transcript.URL("https://video.example/watch?v=1&t=2#x"))
	case reflect.TypeFor[io.Reader]():
		return reflect.ValueOf(strings.NewReader("a"))
	case reflect.TypeFor[client.BatchParams](): // one source alone
		return reflect.ValueOf(client.BatchParams{URLs: []string{"a", "b&c"}, Language: languages, MaxItems: maxItems})
	case reflect.TypeFor[client.FollowParams]():
		return reflect.ValueOf(client.FollowParams{Channel: "a", FollowOptions: client.FollowOptions{Language: languages, MaxItems: maxItems}})
	case reflect.TypeFor[library.DownloadFormat]():
		return reflect.ValueOf(library.TXT)
	case reflect.TypeFor[[]string](): // the answer about videos tells of a known one and of an unknown one
		return reflect.ValueOf([]string{"a", "b"})
	case reflect.TypeFor[client.PageParams]():
		return reflect.ValueOf(map[bool]client.PageParams{true: {Size: 7, Token: "t&u"}}[a.full])
	case reflect.TypeFor[time.Time]():
		return reflect.ValueOf(map[bool]time.Time{true: time.Date(2026, 11, 21, 2, 3, 34, 0, time.UTC)}[a.full])
	case reflect.TypeFor[time.Duration]():
		return reflect.ValueOf(map[bool]time.Duration{true: time.Second}[a.full])
	}
	v := reflect.New(is).Elem()
	switch is.Kind() {
	case reflect.String:
		v.SetString(a.text)
	case reflect.Slice:
		v.Set(reflect.Append(v, a.of(is.Elem())))
	case reflect.Struct:
		for i := range is.NumField() {
			if is.Field(i).IsExported() {
				v.Field(i).Set(a.of(is.Field(i).Type))
			}
		}
	case reflect.Pointer:
		if a.full {
			v.Set(reflect.New(is.Elem()))
			v.Elem().Set(a.of(is.Elem()))
		}
	case reflect.Bool:
		v.SetBool(a.full)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(maxItems))
	case reflect.Uint8:
		v.SetUint('x')
	case reflect.Float64:
		v.SetFloat(float64(maxItems))
	}
	return v
}

// methods are the methods of all services of a client, by their names.
func methods(c *client.Client) map[string]reflect.Value {
	all := map[string]reflect.Value{}
	for field, service := range reflect.ValueOf(c).Elem().Fields() {
		for i := range service.Type().NumMethod() {
			if field.IsExported() {
				all[service.Type().Elem().Name()+"."+service.Type().Method(i).Name] = service.Method(i)
			}
		}
	}
	return all
}

// call calls a method, and reads what the method yields.
func call(ctx context.Context, method reflect.Value, opts ...client.RequestOption) error {
	return callWith(ctx, method, func(int) arguments { return arguments{text: jobID} }, opts...)
}

// callWith takes the arguments of each parameter by its number.
func callWith(ctx context.Context, method reflect.Value, with func(n int) arguments, opts ...client.RequestOption) error {
	in := []reflect.Value{reflect.ValueOf(ctx)}
	for i := 1; i < method.Type().NumIn()-1; i++ {
		in = append(in, with(i).of(method.Type().In(i)))
	}
	out := method.CallSlice(append(in, reflect.ValueOf(opts)))
	clear(opts) // they are the caller's again
	last := out[len(out)-1]
	if last.Kind() != reflect.Func {
		err, _ := last.Interface().(error) // nil, if there is none
		for _, result := range out[:len(out)-1] {
			if err != nil && !result.IsZero() {
				return errors.New("a result beside an error")
			}
		}
		return err
	}
	for _, failed := range last.Seq2() {
		if err, _ := failed.Interface().(error); err != nil {
			return err
		}
	}
	return nil
}

// TestEveryMethodTellsItsAnswer: the middleware of each method sees its requests, and each method
// that reads JSON hands out the JSON, with the members that the method does not know.
func TestEveryMethodTellsItsAnswer(t *testing.T) {
	t.Parallel()
	silent := []string{ // the answer has no JSON that the method reads
		"BatchService.Delete", "BatchService.Export", "FollowService.Delete", "LibraryService.Delete", "LibraryService.DeleteFeed",
		"LibraryService.DeleteMedia", "LibraryService.Download", "LibraryService.Label", "LibraryService.Media", "LibraryService.Star", "LibraryService.Unshare", "LibraryService.Unstar", "WebhookService.Delete",
	}
	for _, more := range []object{nil, {"news/of~today": object{"a": 1}}} {
		service := readDocumented(t, more)
		c, err := client.New(base, client.WithHTTPClient(&http.Client{Transport: service}), client.WithRetry(client.NoRetry))
		require.NoError(t, err)
		for name, method := range methods(c) {
			var seen atomic.Int32
			var resp client.Response
			err := call(t.Context(), method, client.WithResponse(&resp), client.WithMiddleware(func(next http.RoundTripper) http.RoundTripper {
				return client.RoundTripFunc(func(r *http.Request) (*http.Response, error) {
					seen.Add(1)
					return next.RoundTrip(r)
				})
			}))
			if !assert.NoError(t, err, name) {
				continue
			}
			assert.Positive(t, seen.Load(), name)
			assert.Equal(t, 2, resp.StatusCode/100, name)
			if slices.Contains(silent, name) {
				assert.Empty(t, resp.RawJSON, name)
				continue
			}
			assert.True(t, json.Valid(resp.RawJSON), name)
			unknown := resp.UnknownFields()
			if more == nil {
				assert.Empty(t, slices.Collect(maps.Keys(unknown)), name)
				continue
			}
			assert.Equal(t, []string{"/news~1of~0today"}, slices.Collect(maps.Keys(unknown)), name)
			assert.JSONEq(t, `{"a":1}`, string(unknown["/news~1of~0today"]), name)
		}
	}
}

// TestWaitTellsTheAnswerThatItReturns: an end that an event has brought is asked for once more,
// if the caller wants the answer.
func TestWaitTellsTheAnswerThatItReturns(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	c := served(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/events"):
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, snapshot(2, "asr_running")+completed(3)) // a client that is gone fails the test
		case asked.Add(1) == 1:
			writeJSON(w, http.StatusOK, jobBody("processing", "asr_running", 2))
		default:
			writeJSON(w, http.StatusOK, doneBody(3))
		}
	})
	var resp client.Response
	result, err := c.Jobs.Wait(t.Context(), jobID, client.WithResponse(&resp))
	require.NoError(t, err)
	assert.Equal(t, "hello there", result.Transcript.Segments[0].Text)
	assert.Contains(t, string(resp.RawJSON), "hello there")
}

// Each method that reads JSON refuses an answer that says nothing or is no JSON. It keeps what the
// service said, hands out no half result, and does not ask again.
func TestEveryMethodRefusesAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	silent := []string{"Delete", "DeleteFeed", "DeleteMedia", "Download", "Export", "Label", "Media", "Star", "Unshare", "Unstar"}
	for _, body := range []string{"null", "{}", "", "[]", `"x"`, "<html>login</html>", `{"jobId":5,"transcript":"x"}`} {
		asked := 0
		answer := func(*http.Request) (*http.Response, error) {
			asked++
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, ProtoMajor: 1, ProtoMinor: 1, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}, nil
		}
		c, err := client.New(base, client.WithHTTPClient(&http.Client{Transport: roundTrip(answer)}))
		require.NoError(t, err)
		for name, method := range methods(c) {
			if _, of, _ := strings.Cut(name, "."); slices.Contains(silent, of) {
				continue
			}
			asked = 0
			var refused *client.Error
			if !assert.ErrorAs(t, call(t.Context(), method), &refused, "%s: %s", name, body) {
				continue
			}
			assert.Equal(t, body, string(refused.Body), name)
			assert.Equal(t, http.StatusOK, refused.Response.StatusCode, name)
			require.Error(t, refused.Err, name)
			assert.False(t, refused.Retryable(), name)
			assert.Equal(t, 1, asked, "%s: %s", name, body)
		}
	}
}

// An answer that lacks what its caller needs is an error.
func TestAnswersThatLackAMember(t *testing.T) {
	t.Parallel()
	noStatus, noID := batchBody("", 0, 1), batchBody("pending", 0, 1, object{"id": ""})
	noItemID := object{"batch": batchBody("completed", 1, 1), "items": []object{{"status": "pending"}}}
	webhook := object{"id": "w1", "status": "active"}
	for name, bodies := range map[string][]object{
		"BatchService.Create":        {{"batch": noStatus}, {"batch": noID}},
		"BatchService.Get":           {{"batch": noStatus}, {"batch": noID}, {"batch": batchBody("completed", 1, 1, object{"counts": 7})}},
		"BatchService.Items":         {noItemID},
		"BatchService.List":          {{"batches": []object{noID}}},
		"LibraryService.All":         {{"transcripts": []object{{"id": "x"}}, "total": 100, "page": 1, "pageSize": 1}}, // the same page for ever
		"TranscriptService.Info":     {{"status": "success"}, {"platform": "x"}},
		"TranscriptService.Captions": {{"status": "success"}, {"videoId": "x"}},
		"VideoService.Search":        {{"items": []object{{"type": "video"}}}},
		"WebhookService.Create":      {{"webhook": webhook}, {"secret": "whsec_x"}, {"webhook": webhook, "secret": 5}},
		"WebhookService.Deliveries":  {{"deliveries": []object{{"status": "failed"}}}},
		"WebhookService.List":        {{"webhooks": []object{{"id": "w1"}}}},
		"WebhookService.Rotate":      {{"publicKey": "whpk_x"}},
	} {
		for _, body := range bodies {
			c, mt := mocked(t)
			mt.RegisterNoResponder(httpmock.NewJsonResponderOrPanic(http.StatusOK, body))
			var refused *client.Error
			err := call(t.Context(), methods(c)[name])
			require.ErrorAs(t, err, &refused, "%s: %v", name, body)
			assert.NotContains(t, err.Error(), "whsec_")
		}
	}
}

// The client refuses ids and names that would lead to another route, and escapes the others.
func TestEveryMethodRefusesOddIDs(t *testing.T) {
	t.Parallel()
	asked := ""
	c, err := client.New(base, client.WithRetry(client.NoRetry), client.WithHTTPClient(&http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		asked = r.URL.EscapedPath()
		return nil, errBroken
	})}))
	require.NoError(t, err)
	for name, method := range methods(c) {
		for n := 1; n < method.Type().NumIn()-1; n++ {
			of := method.Type().In(n)
			if of.Kind() != reflect.String && of != reflect.TypeFor[library.Key]() || of == reflect.TypeFor[video.Kind]() || of == reflect.TypeFor[client.SubscriptionFormat]() {
				continue
			}
			inPath := name != "TranscriptService.Captions" && name != "VideoService.Channel"
			for _, id := range []string{"", ".", ".."} {
				asked = ""
				with := func(i int) arguments { return arguments{text: map[bool]string{true: id, false: jobID}[i == n]} }
				require.Error(t, callWith(t.Context(), method, with), "%s %q", name, id)
				assert.True(t, asked == "" || id != "" && !inPath, "%s %q", name, id)
			}
		}
	}
	_, err = c.Jobs.Get(t.Context(), "a/b?c ü")
	require.ErrorIs(t, err, errBroken)
	assert.Equal(t, "/v1/transcript/job/a%2Fb%3Fc%20%C3%BC", asked)
}

var update = flag.Bool("update", false, "write the golden file anew")

// TestEveryMethodSendsItsArguments: testdata/requests.golden has the request of each method with
// arguments of every kind.
func TestEveryMethodSendsItsArguments(t *testing.T) {
	t.Parallel()
	var sent string
	c, err := client.New(base, client.WithRetry(client.NoRetry), client.WithHTTPClient(&http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		if sent != "" {
			return nil, errBroken
		}
		sent = r.Method + " " + r.URL.RequestURI()
		if r.Header.Get("Idempotency-Key") != "" {
			sent += " with a key"
		}
		for _, name := range []string{"If-Match", "Range"} {
			if value := r.Header.Get(name); value != "" {
				sent += " " + name + ": " + value
			}
		}
		if r.Body != nil {
			body, err := io.ReadAll(r.Body)
			assert.NoError(t, err)
			sent = strings.TrimSpace(fmt.Sprint(sent, "\n  ", r.Header.Get("Content-Type"), " ", string(body)))
		}
		return nil, errBroken
	})}))
	require.NoError(t, err)
	all := methods(c)
	var got strings.Builder
	synctest.Test(t, func(t *testing.T) { // some methods ask again
		for _, name := range slices.Sorted(maps.Keys(all)) {
			sent = ""
			require.ErrorIs(t, callWith(t.Context(), all[name], func(int) arguments { return arguments{text: "a&b", full: true} }), errBroken, name)
			fmt.Fprintf(&got, "%s: %s\n", name, sent)
		}
	})
	if *update {
		require.NoError(t, os.WriteFile("testdata/requests.golden", []byte(got.String()), 0o600))
	}
	want, err := os.ReadFile("testdata/requests.golden")
	require.NoError(t, err)
	assert.Equal(t, string(want), got.String())
}

// A value that New has not made is an error, and no panic.
func TestZeroValues(t *testing.T) {
	t.Parallel()
	zero := &client.Client{
		Transcripts: &client.TranscriptService{}, Jobs: &client.JobService{}, Library: &client.LibraryService{}, Batches: &client.BatchService{},
		Follows: &client.FollowService{}, Webhooks: &client.WebhookService{}, Videos: &client.VideoService{}, Usage: &client.UsageService{},
	}
	for name, method := range methods(zero) {
		assert.ErrorContains(t, call(t.Context(), method), "New", name)
	}
	require.ErrorContains(t, zero.Do(t.Context(), http.MethodGet, "/v1/usage", nil, nil), "New")
	_, err := new(client.Download).Save(t.TempDir())
	require.ErrorContains(t, err, "not made by a call")
}
