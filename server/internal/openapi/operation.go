package openapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/swaggest/jsonschema-go"
	"github.com/swaggest/openapi-go"
	"github.com/swaggest/openapi-go/openapi31"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// refused are the schemas of nearly every refusal. Making new schemas for each refusal
// would take nearly all of the time for the document.
type refused struct{ envelope, flat, either map[string]any }

func refusedIn(r *openapi31.Reflector) (both refused, err error) {
	if both.envelope, err = schemaOf(r, edge.ErrorEnvelope{}); err != nil {
		return both, err
	}
	both.flat, err = schemaOf(r, edge.FlatError{})
	both.either = map[string]any{"anyOf": []any{both.envelope, both.flat}}
	return both, err
}

// describe adds the operation of a route.
func describe(r *openapi31.Reflector, rt edge.Route, bodies refused) error {
	oc, err := r.NewOperationContext(rt.Method, rt.Pattern)
	if err != nil {
		return err
	}
	oc.SetID(rt.Operation)
	oc.SetSummary(rt.Summary)
	oc.SetTags(rt.Tag)
	op := oc.(openapi31.OperationExposer).Operation()
	if rt.Open {
		op.WithMapOfAnythingItem("security", []any{}) // an empty list says that no credential is needed
	} else {
		op.WithMapOfAnythingItem("x-required-scope", string(rt.Scope))
	}
	if rt.Formerly != "" {
		op.WithMapOfAnythingItem("x-formerly", rt.Formerly) // an operation has one path in a document
	}
	describeRequest(r, op, rt)
	for _, a := range rt.Answers {
		describeAnswer(oc, rt, a)
	}
	describeErrors(oc, rt, bodies)
	if rt.Events != nil {
		if err := describeEvents(r, op, rt.Events); err != nil {
			return err
		}
	}
	return r.AddOperation(oc)
}

// everywhere are the headers of all answers of a route. An answer to an unknown caller has no
// rate limit headers.
func everywhere(rt edge.Route, status int) []edge.Header {
	if rt.Open || status == http.StatusUnauthorized {
		return []edge.Header{edge.HeaderRequestID}
	}
	return []edge.Header{edge.HeaderRequestID, edge.HeaderLimit, edge.HeaderRemaining, edge.HeaderReset, edge.HeaderPolicy, edge.HeaderRateLimit}
}

func describeAnswer(oc openapi.OperationContext, rt edge.Route, a edge.Answer) {
	oc.AddRespStructure(a.Body, openapi.WithHTTPStatus(a.Status), func(cu *openapi.ContentUnit) {
		cu.ContentType = a.ContentType
		cu.Customize = func(cor openapi.ContentOrReference) {
			withHeaders(cor, everywhere(rt, a.Status)...)
			withHeaders(cor, a.Headers...)
		}
	})
}

// describeErrors adds the refusals of a route, by status: the codes of the route, and the
// refusals of the edge.
func describeErrors(oc openapi.OperationContext, rt edge.Route, bodies refused) {
	codes := map[int][]string{}
	add := func(status int, code transcript.Code) { codes[status] = append(codes[status], string(code)) }
	for _, code := range rt.Codes {
		add(code.Status(), code)
		switch {
		case code == transcript.InvalidRequest && (rt.Body.Fields != nil || rt.Texts != nil): // a value of the body
			add(http.StatusUnprocessableEntity, code)
		case code == transcript.BatchLimitExceeded: // more than any plan could permit
			add(http.StatusUnprocessableEntity, code)
		}
	}
	if rt.Ranges {
		add(http.StatusRequestedRangeNotSatisfiable, transcript.InvalidRequest)
	}
	if rt.Conditional {
		add(http.StatusPreconditionFailed, transcript.StateConflict)
		add(http.StatusPreconditionRequired, transcript.InvalidRequest)
	}
	if !rt.Open {
		add(http.StatusPaymentRequired, transcript.UpgradeRequired)
		if rt.Scope != "" {
			add(http.StatusForbidden, transcript.Forbidden)
		}
		if !slices.Contains(rt.Codes, transcript.ConfigError) { // the account's plan may be the cause
			add(http.StatusServiceUnavailable, transcript.ConfigError)
		}
		add(http.StatusServiceUnavailable, transcript.ServiceUnavailable)
		describeError(oc, rt, http.StatusUnauthorized, bodies.flat, []string{edge.ErrNoCredential.Error(), edge.ErrInvalidCredential.Error()}, edge.HeaderChallenge)
		describeError(oc, rt, http.StatusTooManyRequests, bodies.flat, []string{transcript.RateLimited.Slug()}, edge.HeaderRetryAfter)
		describeError(oc, rt, edge.ErrInternal.Status, bodies.flat, []string{edge.ErrInternal.Slug}) // an open route uses nothing that could fail
	}
	if rt.ByAddress {
		add(http.StatusServiceUnavailable, transcript.ConfigError)
		add(http.StatusServiceUnavailable, transcript.ServiceUnavailable)
		describeError(oc, rt, http.StatusTooManyRequests, bodies.flat, []string{transcript.RateLimited.Slug()}, edge.HeaderRetryAfter)
		describeError(oc, rt, edge.ErrInternal.Status, bodies.flat, []string{edge.ErrInternal.Slug})
	}
	if rt.Method == http.MethodPost || rt.Method == http.MethodPatch || rt.Texts != nil {
		describeError(oc, rt, edge.ErrTooSlow.Status, bodies.flat, []string{edge.ErrTooSlow.Slug})
		describeError(oc, rt, edge.ErrEncoded.Status, bodies.flat, []string{edge.ErrEncoded.Slug})
	}
	named := len(rt.Path.Fields) > 0 // a name such as an encoded ".." makes another path
	if named {
		codes[edge.ErrUnknownRoute.Status] = append(codes[edge.ErrUnknownRoute.Status], edge.ErrUnknownRoute.Slug)
	}
	for status, ofStatus := range codes {
		slices.Sort(ofStatus) // equal refusals are in the document once
		var more []edge.Header
		if status == http.StatusConflict || status == http.StatusServiceUnavailable {
			more = append(more, edge.HeaderMayRetryAfter)
		}
		if status == http.StatusNotFound && rt.Method == http.MethodPost && !rt.Conditional {
			more = append(more, edge.HeaderReplayed)
		}
		var body any = bodies.envelope
		switch {
		case named && status == edge.ErrUnknownRoute.Status:
			body = bodies.either
		case rt.Report != nil && status == http.StatusBadGateway:
			body = rt.Report
		case rt.Report != nil && status == http.StatusServiceUnavailable: // the platform or the service itself is not available
			body = jsonschema.AnyOf(rt.Report, edge.ErrorEnvelope{})
		}
		describeError(oc, rt, status, body, ofStatus, more...)
	}
}

// describeError adds a refusal with its possible codes or slugs. The body is a value of the
// body's type, or the schema.
func describeError(oc openapi.OperationContext, rt edge.Route, status int, body any, codes []string, more ...edge.Header) {
	schema, made := body.(map[string]any)
	if made {
		body = nil
	}
	oc.AddRespStructure(body, openapi.WithHTTPStatus(status), func(cu *openapi.ContentUnit) {
		cu.Description = strings.Join(codes, ", ")
		cu.Customize = func(cor openapi.ContentOrReference) {
			withHeaders(cor, everywhere(rt, status)...)
			withHeaders(cor, more...)
			response := cor.(*openapi31.ResponseOrReference).Response
			response.WithMapOfAnythingItem("x-codes", codes)
			if made {
				response.WithContentItem("application/json", openapi31.MediaType{Schema: schema})
			}
		}
	})
}

// describeEvents adds the map from an event's name to the schema of its data, because
// OpenAPI has no form for streams.
func describeEvents(r *openapi31.Reflector, op *openapi31.Operation, events map[transcript.EventType]any) error {
	schemas := map[string]any{}
	for name, data := range events {
		schema, err := schemaOf(r, data)
		if err != nil {
			return err
		}
		schemas[string(name)] = schema
	}
	op.WithMapOfAnythingItem("x-events", schemas)
	return nil
}

// schemaOf is a reference to the schema of a value's type. schemaOf adds the schema to the document.
func schemaOf(r *openapi31.Reflector, value any) (map[string]any, error) {
	return wholeSchemaOf(r, value, jsonschema.RootRef)
}

// wholeSchemaOf is the schema of a value's type. The schemas of its members are in the document.
func wholeSchemaOf(r *openapi31.Reflector, value any, options ...func(*jsonschema.ReflectContext)) (map[string]any, error) {
	schema, err := r.JSONSchemaReflector().Reflect(value, append(options,
		jsonschema.DefinitionsPrefix("#/components/schemas/"),
		jsonschema.CollectDefinitions(func(name string, schema jsonschema.Schema) {
			if _, there := r.Spec.ComponentsEns().Schemas[name]; there {
				return
			}
			if m, err := schema.ToSchemaOrBool().ToSimpleMap(); err == nil { // reflected schemas always are maps
				r.Spec.ComponentsEns().WithSchemasItem(name, m)
			}
		}))...)
	if err != nil {
		return nil, err
	}
	return schema.ToSchemaOrBool().ToSimpleMap()
}
