package server_test

import (
	"encoding/json"
	"flag"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/apitest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/transcript"
)

var update = flag.Bool("update", false, "write openapi.json anew")

// The document in the repository is the one that is served. After a change to
// the API: go test ./server -run TestDocumentIsCheckedIn -update
func TestDocumentIsCheckedIn(t *testing.T) {
	t.Parallel()
	served := start(t).get(t, "/docs/openapi.json", as("")).body
	if *update {
		require.NoError(t, os.WriteFile("openapi.json", []byte(served), 0o644))
	}
	checkedIn, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	require.Equal(t, string(checkedIn), served)
}

func TestDocumentIsValid(t *testing.T) {
	t.Parallel()
	body := start(t).get(t, "/docs/openapi.json", as("")).body
	d, err := openapi3.NewLoader().LoadFromData([]byte(body))
	require.NoError(t, err)
	require.NoError(t, d.Validate(t.Context()))
	assert.True(t, d.IsOpenAPI31OrLater())
	assert.Equal(t, "1.0.0", d.Info.Version)
	assert.Equal(t, "MIT", d.Info.License.Name)
}

func TestDocumentIsCacheable(t *testing.T) {
	t.Parallel()
	s := start(t)
	first := s.get(t, "/docs/openapi.json", as(""))
	etag := first.Header.Get("ETag")
	assert.Regexp(t, `^"[^"]+"$`, etag, "strong")
	again := s.get(t, "/docs/openapi.json", as(""), header("If-None-Match", `"other", `+etag))
	assert.Equal(t, http.StatusNotModified, again.StatusCode)
	assert.Empty(t, again.body)
	assert.Equal(t, etag, again.Header.Get("ETag"))
	assert.Equal(t, http.StatusOK, s.get(t, "/docs/openapi.json", as(""), header("If-None-Match", `"other"`)).StatusCode)
}

// operation is what the test looks at of an operation of the document.
type operation struct {
	ID        string `json:"operationId"`
	Security  []map[string][]string
	Scope     *string `json:"x-required-scope"`
	Responses map[string]struct {
		Headers map[string]any
		Codes   []string `json:"x-codes"`
		Content map[string]struct{ Schema map[string]any }
	}
	Body struct {
		Required bool
		Content  map[string]any
	} `json:"requestBody"`
	Events map[string]any `json:"x-events"`
}

type apiDocument struct {
	Servers    []struct{ URL string }
	Security   []map[string][]string
	Paths      map[string]map[string]operation
	Components struct {
		Schemas map[string]struct {
			Properties           map[string]any
			OneOf                []map[string]any
			AdditionalProperties *bool
		}
		SecuritySchemes map[string]any
	}
}

func readDocument(t *testing.T, s *service) (d apiDocument) {
	t.Helper()
	whole, err := apitest.Inlined([]byte(s.get(t, "/docs/openapi.json", as("")).body))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(whole, &d))
	return d
}

func TestDocumentNamesEveryOperation(t *testing.T) {
	t.Parallel()
	s := start(t)
	d := readDocument(t, s)
	found := map[string]string{}
	for path, methods := range d.Paths {
		for method, op := range methods {
			found[strings.ToUpper(method)+" "+path] = op.ID
		}
	}
	routes := map[string]string{}
	for _, rt := range server.Routes(s.Server.Server) {
		routes[rt.Method+" "+rt.Pattern] = rt.Operation
	}
	assert.Equal(t, routes, found)
	events := d.Paths["/v1/transcript/job/{id}/events"]["get"].Events
	assert.ElementsMatch(t, []string{"job.snapshot", "job.progress", "job.segments", "job.completed", "job.failed", "job.cancelled", "stream.closing"},
		slices.Collect(maps.Keys(events)))
	body := d.Paths["/v1/transcript"]["post"].Body
	assert.True(t, body.Required)
	assert.ElementsMatch(t, []string{"application/json", "multipart/form-data", "audio/*", "video/*", "application/ogg", "application/octet-stream"},
		slices.Collect(maps.Keys(body.Content)))
}

// What every operation has in the document.
func TestDocumentOfEveryOperation(t *testing.T) {
	t.Parallel()
	d := readDocument(t, start(t))
	assert.ElementsMatch(t, []string{"bearerAuth", "apiKeyHeader"}, slices.Collect(maps.Keys(d.Components.SecuritySchemes)))
	assert.Len(t, d.Security, 2)
	for path, methods := range d.Paths {
		for method, op := range methods {
			name := method + " " + path
			protected := strings.HasPrefix(path, "/v1/") && !strings.HasPrefix(path, "/v1/feeds/") && !strings.HasPrefix(path, "/v1/shared/")
			assert.Equal(t, !protected, op.Security != nil && len(op.Security) == 0, "%s: only what needs no credential says so", name)
			assert.Equal(t, protected, op.Scope != nil, name)
			for status, response := range op.Responses {
				assert.Contains(t, response.Headers, "X-Request-Id", "%s %s", name, status)
				for _, h := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit-Policy", "RateLimit"} {
					_, has := response.Headers[h]
					assert.Equal(t, protected && status != "401", has, "%s %s", name, status)
				}
				content, ok := response.Content["application/json"]
				if !ok || status < "400" || path == "/readyz" {
					continue
				}
				form := "#/components/schemas/ErrorEnvelope"
				if slices.Contains([]string{"401", "408", "415", "429", "500"}, status) {
					form = "#/components/schemas/FlatError"
				} else if path == "/v1/video_site/captions" && status == "502" {
					form = "#/components/schemas/CaptionReport"
				}
				want := map[string]any{"$ref": form}
				if path == "/v1/video_site/captions" && status == "503" {
					want = map[string]any{"anyOf": []any{map[string]any{"$ref": "#/components/schemas/CaptionReport"}, want}}
				}
				if strings.Contains(path, "{") && status == "404" { // an encoded ".." makes another path of it
					want = map[string]any{"anyOf": []any{want, map[string]any{"$ref": "#/components/schemas/FlatError"}}}
				}
				assert.Equal(t, want, content.Schema, "%s %s", name, status)
				assert.NotEmpty(t, response.Codes, "%s %s", name, status)
			}
			if protected {
				for _, status := range []string{"401", "402", "429", "503"} {
					assert.Contains(t, op.Responses, status, name)
				}
				assert.Contains(t, op.Responses["503"].Codes, "SERVICE_UNAVAILABLE", name)
				assert.Equal(t, *op.Scope != "", slices.Contains(slices.Collect(maps.Keys(op.Responses)), "403"), "%s: any valid key, or a scope", name)
			}
		}
	}
	assert.Equal(t, []map[string]any{{"$ref": "#/components/schemas/ErrorEnvelope"}, {"$ref": "#/components/schemas/FlatError"}},
		d.Components.Schemas["Error"].OneOf)
	for name, schema := range d.Components.Schemas {
		closed := schema.AdditionalProperties != nil && !*schema.AdditionalProperties
		isRequest := strings.HasSuffix(name, "Request") || name == "FormDataCreateTranscript"
		assert.Equal(t, isRequest, closed, "%s: requests are closed, answers may grow", name)
	}
}

// The members of POST /v1/transcript, with their bounds and defaults.
func TestDocumentOfTheRequests(t *testing.T) {
	t.Parallel()
	schemas := readDocument(t, start(t)).Components.Schemas
	text := func(longest float64) map[string]any {
		return map[string]any{"type": "string", "minLength": 1.0, "maxLength": longest}
	}
	with := func(m map[string]any, name string, value any) map[string]any {
		m[name] = value
		return m
	}
	numberOr := func(most float64, word, value any) map[string]any {
		return map[string]any{"oneOf": []any{map[string]any{"type": "integer", "minimum": 1.0, "maximum": most}, word}, "default": value}
	}
	track := numberOr(99, map[string]any{"type": "string", "maxLength": 35.0}, nil)
	delete(track, "default") // the service chooses by the file
	both := map[string]any{
		"audioTrack":       track,
		"channels":         map[string]any{"$ref": "#/components/schemas/Channels", "default": "mix"},
		"speakers":         numberOr(20, map[string]any{"type": "string", "enum": []any{"auto", "none"}}, "auto"),
		"requireWhole":     map[string]any{"type": "boolean", "default": false},
		"format":           map[string]any{"$ref": "#/components/schemas/Format", "default": "json"},
		"includeTimestamp": map[string]any{"type": "boolean", "default": true},
		"sendMetadata":     map[string]any{"type": "boolean", "default": false},
		"waitMs":           map[string]any{"type": "integer", "minimum": 0.0, "maximum": 10000.0, "default": 2000.0},
	}
	link := maps.Clone(both)
	link["url"] = text(2048)
	link["externalId"] = text(512)
	link["language"] = with(text(200), "default", "en")
	link["platform"] = map[string]any{
		"$ref": "#/components/schemas/Platform",
		"enum": []any{"video_site", "short_video_site", "photo_site", "professional_site", "microblog_site"},
	}
	assert.Equal(t, link, withoutWords(schemas["CreateTranscriptRequest"].Properties))
	require.Len(t, schemas["CreateTranscriptRequest"].OneOf, 2)
	for i, required := range [][]any{{"url"}, {"platform", "externalId"}} {
		assert.Equal(t, required, schemas["CreateTranscriptRequest"].OneOf[i]["required"])
	}
	upload := maps.Clone(both)
	upload["file"] = map[string]any{"$ref": "#/components/schemas/MultipartFile"}
	upload["keepMediaSec"] = map[string]any{"type": "integer", "minimum": 0.0, "maximum": 315360000.0, "default": 0.0}
	upload["recordingOf"] = text(512)
	upload["language"] = text(200) // left out, it is detected
	assert.Equal(t, upload, withoutWords(schemas["FormDataCreateTranscript"].Properties))
}

// withoutWords are the properties of a schema without their descriptions.
func withoutWords(properties map[string]any) map[string]any {
	for _, p := range properties {
		delete(p.(map[string]any), "description")
	}
	return properties
}

// A request that the service refuses for two sources does not fit the document either.
func TestDocumentOfTwoSources(t *testing.T) {
	t.Parallel()
	c := jsonschema.NewCompiler()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(start(t).get(t, "/docs/openapi.json", as("")).body))
	require.NoError(t, err)
	require.NoError(t, c.AddResource("openapi.json", document))
	schema, err := c.Compile("openapi.json#/components/schemas/CreateTranscriptRequest")
	require.NoError(t, err)
	for body, fits := range map[string]bool{
		`{"url":"x"}`: true, `{"platform":"video_site","externalId":"x"}`: true, `{}`: false, `{"platform":"video_site"}`: false,
		`{"url":"x","platform":"video_site"}`: false, `{"url":"x","externalId":"x"}`: false, `{"url":"x","platform":"video_site","externalId":"x"}`: false,
	} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
		require.NoError(t, err)
		assert.Equal(t, fits, schema.Validate(value) == nil, body)
	}
}

// An encoded ".." in the place of an id is another path, which the document knows.
func TestDocumentOfAnEncodedParent(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, path := range []string{"/v1/transcript/job/%2e%2e", "/v1/batch/%2e%2e", "/v1/library/transcripts/video_site/%2e%2e"} {
		a := s.get(t, path)
		assert.Equal(t, http.StatusNotFound, a.StatusCode, path)
		assert.Equal(t, "not_found", a.slug(t), path)
	}
}

// The document says what each code means, and what to do about it.
func TestDocumentExplainsEveryCode(t *testing.T) {
	t.Parallel()
	schemas := readAPIFile(t).Components.Schemas
	for _, code := range transcript.Codes() {
		assert.Contains(t, schemas["ErrorCode"].Description, "- `"+string(code)+"`: "+code.Meaning()+" "+code.Cure())
	}
	for _, code := range transcript.FlatCodes() {
		assert.Contains(t, schemas["FlatError"].Description, "- `"+code.Slug()+"`: "+code.Meaning()+" "+code.Cure())
	}
}

func TestDocumentUnderAPrefix(t *testing.T) {
	t.Parallel()
	d := readDocument(t, start(t, func(c *server.Config) { c.BasePath = "/media" }))
	require.Len(t, d.Servers, 1)
	assert.Equal(t, "/media", d.Servers[0].URL)
	assert.Contains(t, d.Paths, "/v1/transcript")
}
