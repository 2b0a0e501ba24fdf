package server

import (
	"net/http"
	"slices"
	"strings"

	"github.com/swaggest/jsonschema-go"
	"github.com/swaggest/openapi-go"
	"github.com/swaggest/openapi-go/openapi31"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// refused are the schemas of what nearly every refusal says. To make them anew for each
// would take nearly all of the time that the document takes.
type refused struct{ envelope, flat map[string]any }

func refusedIn(r *openapi31.Reflector) (both refused, err error) {
	if both.envelope, err = schemaOf(r, envelope{}); err != nil {
		return both, err
	}
	both.flat, err = schemaOf(r, flatBody{})
	return both, err
}

// describe adds the operation of a route.
func describe(r *openapi31.Reflector, rt route, bodies refused) error {
	oc, err := r.NewOperationContext(rt.method, rt.pattern)
	if err != nil {
		return err
	}
	oc.SetID(rt.operation)
	oc.SetSummary(rt.summary)
	oc.SetTags(rt.tag)
	op := oc.(openapi31.OperationExposer).Operation()
	if rt.open {
		op.WithMapOfAnythingItem("security", []any{}) // none, said in so many words
	} else {
		oc.AddSecurity("bearerAuth")
		oc.AddSecurity("apiKeyHeader")
		op.WithMapOfAnythingItem("x-required-scope", string(rt.scope))
	}
	describeRequest(r, op, rt)
	for _, a := range rt.answers {
		describeAnswer(oc, rt, a)
	}
	describeErrors(oc, rt, bodies)
	if rt.events != nil {
		if err := describeEvents(r, op, rt.events); err != nil {
			return err
		}
	}
	return r.AddOperation(oc)
}

// everywhere are the headers of all answers of a route: rate limits are of those who
// are known.
func (rt *route) everywhere(status int) []header {
	if rt.open || status == http.StatusUnauthorized {
		return []header{headerRequestID}
	}
	return []header{headerRequestID, headerLimit, headerRemaining, headerReset}
}

func describeAnswer(oc openapi.OperationContext, rt route, a answer) {
	oc.AddRespStructure(a.body, openapi.WithHTTPStatus(a.status), func(cu *openapi.ContentUnit) {
		cu.ContentType = a.contentType
		cu.Customize = func(cor openapi.ContentOrReference) {
			withHeaders(cor, rt.everywhere(a.status)...)
			withHeaders(cor, a.headers...)
		}
	})
}

// describeErrors adds the refusals of a route: those of its codes, by status,
// and those that stand before every handler.
func describeErrors(oc openapi.OperationContext, rt route, bodies refused) {
	codes := map[int][]string{}
	add := func(status int, code transcript.Code) { codes[status] = append(codes[status], string(code)) }
	for _, code := range rt.codes {
		add(code.Status(), code)
		switch {
		case code == transcript.InvalidRequest && rt.body.Fields != nil: // a value of the body
			add(http.StatusUnprocessableEntity, code)
		case code == transcript.BatchLimitExceeded: // more than any plan could permit
			add(http.StatusUnprocessableEntity, code)
		}
	}
	if !rt.open {
		add(http.StatusPaymentRequired, transcript.UpgradeRequired)
		if rt.scope != "" {
			add(http.StatusForbidden, transcript.Forbidden)
		}
		if !slices.Contains(rt.codes, transcript.ConfigError) { // the account's plan may be at fault
			add(http.StatusServiceUnavailable, transcript.ConfigError)
		}
		add(http.StatusServiceUnavailable, transcript.ServiceUnavailable)
		describeError(oc, rt, http.StatusUnauthorized, bodies.flat, []string{ErrNoCredential.Error(), ErrInvalidCredential.Error()}, headerChallenge)
		describeError(oc, rt, http.StatusTooManyRequests, bodies.flat, []string{errTooManyStreams.slug}, headerRetryAfter)
		describeError(oc, rt, errInternal.status, bodies.flat, []string{errInternal.slug}) // an open route asks nothing that could fail
	}
	if rt.method == http.MethodPost {
		describeError(oc, rt, errTooSlow.status, bodies.flat, []string{errTooSlow.slug})
		describeError(oc, rt, errEncoded.status, bodies.flat, []string{errEncoded.slug})
	}
	named := len(rt.path.Fields) > 0 // a name such as an encoded ".." makes another path of it
	if named {
		codes[errUnknownRoute.status] = append(codes[errUnknownRoute.status], errUnknownRoute.slug)
	}
	for status, ofStatus := range codes {
		var more []header
		if status == http.StatusConflict || status == http.StatusServiceUnavailable {
			more = append(more, headerMayRetryAfter)
		}
		if status == http.StatusNotFound && rt.method == http.MethodPost {
			more = append(more, headerReplayed)
		}
		var body any = bodies.envelope
		switch {
		case named && status == errUnknownRoute.status:
			body = jsonschema.AnyOf(envelope{}, flatBody{})
		case rt.report != nil && status == http.StatusBadGateway:
			body = rt.report
		case rt.report != nil && status == http.StatusServiceUnavailable: // the platform is away, or the service itself
			body = jsonschema.AnyOf(rt.report, envelope{})
		}
		describeError(oc, rt, status, body, ofStatus, more...)
	}
}

// describeError adds a refusal with the codes, or slugs, that it may carry. The body is
// a value of its type, or the schema.
func describeError(oc openapi.OperationContext, rt route, status int, body any, codes []string, more ...header) {
	schema, made := body.(map[string]any)
	if made {
		body = nil
	}
	oc.AddRespStructure(body, openapi.WithHTTPStatus(status), func(cu *openapi.ContentUnit) {
		cu.Description = strings.Join(codes, ", ")
		cu.Customize = func(cor openapi.ContentOrReference) {
			withHeaders(cor, rt.everywhere(status)...)
			withHeaders(cor, more...)
			response := cor.(*openapi31.ResponseOrReference).Response
			response.WithMapOfAnythingItem("x-codes", codes)
			if made {
				response.WithContentItem("application/json", openapi31.MediaType{Schema: schema})
			}
		}
	})
}

// describeEvents adds the map from an event's name to the schema of its data, as
// OpenAPI has no form of its own for streams.
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

// schemaOf is the schema of the type of a value, which the document defines.
func schemaOf(r *openapi31.Reflector, value any) (map[string]any, error) {
	schema, err := r.JSONSchemaReflector().Reflect(value,
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
		return nil, err
	}
	return schema.ToSchemaOrBool().ToSimpleMap()
}
