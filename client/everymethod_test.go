package client_test

import (
	"bytes"
	"context"
	"encoding/json"
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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
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
		if status == "206" { // which no method asks for without bounds
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

// argument is a value of a parameter's type that a method sends.
func argument(of reflect.Type) reflect.Value {
	switch of {
	case reflect.TypeFor[transcript.Source]():
		return reflect.ValueOf(transcript.URL("https://video.example/watch?v=1"))
	case reflect.TypeFor[io.Reader]():
		return reflect.ValueOf(strings.NewReader("a"))
	case reflect.TypeFor[client.BatchParams](): // one source alone
		return reflect.ValueOf(client.BatchParams{URLs: []string{"a"}})
	case reflect.TypeFor[library.DownloadFormat]():
		return reflect.ValueOf(library.TXT)
	case reflect.TypeFor[client.FollowParams]():
		return reflect.ValueOf(client.FollowParams{Channel: "a"})
	case reflect.TypeFor[[]string](): // the answer about videos tells of a known one and of an unknown one
		return reflect.ValueOf([]string{"a", "b"})
	case reflect.TypeFor[client.PageParams]():
		return reflect.Zero(of)
	}
	v := reflect.New(of).Elem()
	switch of.Kind() {
	case reflect.String:
		v.SetString(jobID)
	case reflect.Slice:
		v.Set(reflect.Append(v, argument(of.Elem())))
	case reflect.Struct:
		for i := range of.NumField() {
			if of.Field(i).IsExported() {
				v.Field(i).Set(argument(of.Field(i).Type))
			}
		}
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
	in := []reflect.Value{reflect.ValueOf(ctx)}
	for i := 1; i < method.Type().NumIn()-1; i++ {
		in = append(in, argument(method.Type().In(i)))
	}
	out := method.CallSlice(append(in, reflect.ValueOf(opts)))
	clear(opts) // they are the caller's again
	last := out[len(out)-1]
	if last.Kind() != reflect.Func {
		err, _ := last.Interface().(error) // nil, if there is none
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
		"LibraryService.DeleteMedia", "LibraryService.Download", "LibraryService.Media", "LibraryService.Star", "LibraryService.Unshare", "LibraryService.Unstar", "WebhookService.Delete",
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

// Each method that reads JSON refuses an answer that says nothing.
func TestEveryMethodRefusesEmptyAnswers(t *testing.T) {
	t.Parallel()
	silent := []string{"Delete", "DeleteFeed", "DeleteMedia", "Download", "Export", "Media", "Star", "Unshare", "Unstar"}
	for _, body := range []string{"null", "{}"} {
		answer := func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, ProtoMajor: 1, ProtoMinor: 1, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}, nil
		}
		c, err := client.New(base, client.WithHTTPClient(&http.Client{Transport: roundTrip(answer)}), client.WithRetry(client.NoRetry))
		require.NoError(t, err)
		for name, method := range methods(c) {
			if _, of, _ := strings.Cut(name, "."); slices.Contains(silent, of) {
				continue
			}
			var refused *client.Error
			assert.ErrorAs(t, call(t.Context(), method), &refused, "%s: %s", name, body)
		}
	}
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
