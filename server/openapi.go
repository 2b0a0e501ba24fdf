package server

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"sort"
	"strings"

	"github.com/swaggest/jsonschema-go"
	"github.com/swaggest/openapi-go"
	"github.com/swaggest/openapi-go/openapi31"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// document is the OpenAPI document as it is served.
type document struct {
	body []byte
	etag string
}

// getOpenAPI is GET /docs/openapi.json.
func (s *Server) getOpenAPI(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("ETag", s.document.etag)
	h.Set("Cache-Control", "public, max-age=300")
	if matches(r.Header.Get("If-None-Match"), s.document.etag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	respond(w, http.StatusOK, s.document.body)
	return nil
}

// apiVersion is the version of the API's description (the specification,
// Versioning 1), whatever the version of the program that serves it.
const apiVersion = "1.0.0"

// makeDocument describes the routes (contract 12): the schemas are reflected
// from the Go types.
func makeDocument(routes []route, basePath string) (document, error) {
	r := openapi31.NewReflector()
	r.Spec.Info.WithTitle("Transcript extraction").WithVersion(apiVersion).
		WithDescription("Turns public video and audio, and uploaded files, into timestamped transcripts.")
	if basePath != "" {
		r.Spec.WithServers(openapi31.Server{URL: basePath})
	}
	r.Spec.SetHTTPBearerTokenSecurity("bearerAuth", "tr_", "An API key. Use one method per request.")
	r.Spec.SetAPIKeySecurity("apiKeyHeader", "X-API-Key", openapi.InHeader, "The same API key in a header of its own.")
	for _, h := range headerEntries() {
		description := h.description
		r.Spec.ComponentsEns().WithHeadersItem(string(h.name), openapi31.HeaderOrReference{
			Header: &openapi31.Header{Description: &description, Schema: h.schema},
		})
	}
	describeTypes(r.JSONSchemaReflector())
	for _, rt := range routes {
		if err := describe(r, rt); err != nil {
			return document{}, fmt.Errorf("%s %s: %w", rt.method, rt.pattern, err)
		}
	}
	r.Spec.ComponentsEns().WithSchemasItem("Error", map[string]any{
		"description": "A refused request: an envelope, or the flat form for 401, 429 and failures of the framework.",
		"oneOf":       []any{map[string]any{"$ref": "#/components/schemas/ErrorEnvelope"}, map[string]any{"$ref": "#/components/schemas/FlatError"}},
	})
	body, err := json.MarshalIndent(r.Spec, "", "  ")
	if err != nil {
		return document{}, err
	}
	body = append(body, '\n')
	return document{body: body, etag: fmt.Sprintf(`"%x"`, sha256.Sum256(body))[:19] + `"`}, nil
}

// describeTypes says how the Go types of the API become schemas.
func describeTypes(r *jsonschema.Reflector) {
	moment := new(jsonschema.Schema)
	moment.AddType(jsonschema.String)
	moment.WithFormat("date-time")
	r.AddTypeMapping(transcript.Time{}, *moment)
	r.DefaultOptions = append(r.DefaultOptions,
		jsonschema.InterceptDefName(schemaName),
		jsonschema.InterceptSchema(describeType),
		jsonschema.InterceptProp(describeProperty))
}

// describeType takes back what is true of a Go type but not of the API: that a
// pointer's target may be null, and that a choice between types is an object.
func describeType(p jsonschema.InterceptSchemaParams) (stop bool, err error) {
	if p.Processed {
		p.Schema.RemoveType(jsonschema.Null)
		if p.Schema.OneOf != nil && p.Schema.Properties == nil {
			p.Schema.Type = nil
		}
	}
	return false, nil
}

// describeProperty makes a property required that is always written, one
// without omitempty, and lets that one be null where it is a pointer or a map.
// The tag nullable overrides the latter.
func describeProperty(p jsonschema.InterceptPropParams) error {
	if !p.Processed {
		return nil
	}
	tag, ok := p.Field.Tag.Lookup("json")
	written := ok && !strings.Contains(tag, ",omitempty")
	if written && !slices.Contains(p.ParentSchema.Required, p.Name) {
		p.ParentSchema.Required = append(p.ParentSchema.Required, p.Name)
	}
	kind := p.Field.Type.Kind()
	nullable := written && (kind == reflect.Pointer || kind == reflect.Map)
	if tag, ok := p.Field.Tag.Lookup("nullable"); ok {
		nullable = tag == "true"
	}
	schema := p.PropertySchema
	schema.RemoveType(jsonschema.Null)
	switch {
	case !nullable:
	case schema.Ref == nil:
		schema.AddType(jsonschema.Null)
	default:
		reference := jsonschema.Schema{Ref: schema.Ref}
		schema.Ref = nil
		schema.AnyOf = []jsonschema.SchemaOrBool{reference.ToSchemaOrBool(), jsonschema.Null.ToSchemaOrBool()}
	}
	return nil
}

// schemaName is the name of a type without that of its package.
func schemaName(t reflect.Type, name string) string {
	names := map[reflect.Type]string{
		reflect.TypeFor[createRequest]():     "CreateTranscriptRequest",
		reflect.TypeFor[uploadForm]():        "CreateTranscript", // the reflector puts FormData before it
		reflect.TypeFor[accepted]():          "AcceptedJob",
		reflect.TypeFor[resultAnswer]():      "TranscriptResult",
		reflect.TypeFor[jobAnswer]():         "Job",
		reflect.TypeFor[transcriptOrText]():  "TranscriptOrText",
		reflect.TypeFor[transcript.Error]():  "ErrorBody",
		reflect.TypeFor[transcript.Code]():   "ErrorCode",
		reflect.TypeFor[transcript.Status](): "TranscriptStatus",
		reflect.TypeFor[health]():            "Health",
		reflect.TypeFor[readiness]():         "Readiness",
	}
	if n, ok := names[t]; ok {
		return n
	}
	if t.Name() != "" && strings.HasSuffix(t.PkgPath(), "/transcript") || strings.HasSuffix(t.PkgPath(), "/server") {
		return t.Name()
	}
	return name
}

func describe(r *openapi31.Reflector, rt route) error {
	oc, err := r.NewOperationContext(rt.method, rt.pattern)
	if err != nil {
		return err
	}
	oc.SetID(rt.operation)
	oc.SetSummary(rt.summary)
	oc.SetTags(rt.tag)
	op := oc.(openapi31.OperationExposer).Operation()
	if !rt.open {
		oc.AddSecurity("bearerAuth")
		oc.AddSecurity("apiKeyHeader")
		op.WithMapOfAnythingItem("x-required-scope", string(rt.scope))
	}
	if rt.request != nil {
		oc.AddReqStructure(rt.request)
	}
	if rt.form != nil {
		oc.AddReqStructure(rt.form, openapi.WithContentType("multipart/form-data"))
	}
	if rt.method == http.MethodPost {
		oc.AddReqStructure(postHeaders{})
	}
	for _, a := range rt.answers {
		describeAnswer(oc, a)
	}
	describeErrors(oc, rt)
	if rt.events != nil {
		if err := describeEvents(r, oc, op, rt.events); err != nil {
			return err
		}
	}
	if err := r.AddOperation(oc); err != nil {
		return err
	}
	if body := op.RequestBody; body != nil && body.RequestBody != nil {
		body.RequestBody.WithRequired(true)
	}
	return nil
}

// postHeaders are the headers of every POST.
type postHeaders struct {
	IdempotencyKey string `header:"Idempotency-Key" minLength:"1" maxLength:"255" description:"Makes the request safe to repeat for 24 hours."`
}

func describeAnswer(oc openapi.OperationContext, a answer) {
	oc.AddRespStructure(a.body, openapi.WithHTTPStatus(a.status), func(cu *openapi.ContentUnit) {
		cu.ContentType = a.contentType
		cu.Customize = withHeaders(append(a.headers, headerRequestID)...)
	})
}

func withHeaders(names ...header) func(openapi.ContentOrReference) {
	return func(cor openapi.ContentOrReference) {
		resp := cor.(*openapi31.ResponseOrReference).Response
		if resp.Headers == nil {
			resp.Headers = map[string]openapi31.HeaderOrReference{}
		}
		for _, name := range names {
			resp.Headers[string(name)] = openapi31.HeaderOrReference{
				Reference: &openapi31.Reference{Ref: "#/components/headers/" + string(name)},
			}
		}
	}
}

// describeErrors adds the refusals of a route: those of its codes, by status,
// and those that stand before every handler.
func describeErrors(oc openapi.OperationContext, rt route) {
	codes := map[int][]string{}
	for _, code := range rt.codes {
		codes[code.Status()] = append(codes[code.Status()], string(code))
		if code == transcript.InvalidRequest && rt.method == http.MethodPost && rt.form != nil {
			codes[http.StatusUnprocessableEntity] = append(codes[http.StatusUnprocessableEntity], string(code))
		}
	}
	if !rt.open {
		codes[http.StatusPaymentRequired] = append(codes[http.StatusPaymentRequired], string(transcript.UpgradeRequired))
		if rt.scope != "" {
			codes[http.StatusForbidden] = append(codes[http.StatusForbidden], string(transcript.Forbidden))
		}
		describeFlat(oc, http.StatusUnauthorized, headerChallenge)
		describeFlat(oc, http.StatusTooManyRequests, headerRetryAfter)
	}
	if rt.form != nil {
		describeFlat(oc, http.StatusUnsupportedMediaType)
	}
	describeFlat(oc, http.StatusInternalServerError)
	statuses := make([]int, 0, len(codes))
	for status := range codes {
		statuses = append(statuses, status)
	}
	sort.Ints(statuses)
	for _, status := range statuses {
		var headers []header
		if status == http.StatusConflict || status == http.StatusServiceUnavailable {
			headers = append(headers, headerRetryAfter)
		}
		oc.AddRespStructure(ErrorEnvelope{}, openapi.WithHTTPStatus(status), func(cu *openapi.ContentUnit) {
			cu.Description = strings.Join(codes[status], ", ")
			cu.Customize = func(cor openapi.ContentOrReference) {
				withHeaders(headerRequestID)(cor)
				for _, h := range headers { // sometimes there
					withHeaders(h)(cor)
				}
			}
		})
	}
}

func describeFlat(oc openapi.OperationContext, status int, headers ...header) {
	oc.AddRespStructure(FlatError{}, openapi.WithHTTPStatus(status), func(cu *openapi.ContentUnit) {
		cu.Customize = withHeaders(append(headers, headerRequestID)...)
	})
}

// describeEvents adds the map from an event's name to the schema of its data, as
// OpenAPI has no form of its own for streams (contract 12).
func describeEvents(r *openapi31.Reflector, _ openapi.OperationContext, op *openapi31.Operation, events map[transcript.EventType]any) error {
	schemas := map[string]any{}
	for name, data := range events {
		schema, err := r.JSONSchemaReflector().Reflect(data,
			jsonschema.DefinitionsPrefix("#/components/schemas/"),
			jsonschema.RootRef,
			jsonschema.CollectDefinitions(func(name string, schema jsonschema.Schema) {
				if _, there := r.Spec.ComponentsEns().Schemas[name]; there {
					return
				}
				if m, err := schema.ToSchemaOrBool().ToSimpleMap(); err == nil { // reflected schemas always are maps
					r.Spec.ComponentsEns().WithSchemasItem(name, m)
				}
			}))
		if err != nil {
			return err
		}
		if schemas[string(name)], err = schema.ToSchemaOrBool().ToSimpleMap(); err != nil {
			return err
		}
	}
	op.WithMapOfAnythingItem("x-events", schemas)
	return nil
}
