package openapi

import (
	"net/http"
	"slices"

	"github.com/swaggest/openapi-go/openapi31"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
)

// describeRequest adds the fields of a route, from its tables.
func describeRequest(r *openapi31.Reflector, op *openapi31.Operation, rt edge.Route) {
	describeParameters(op, openapi31.ParameterInQuery, rt.Query)
	describeParameters(op, openapi31.ParameterInPath, rt.Path)
	describeParameters(op, openapi31.ParameterInHeader, rt.Header)
	if rt.Method == http.MethodPost && !rt.Conditional {
		describeParameters(op, openapi31.ParameterInHeader, edge.IdempotencyHeader(new(string)))
	}
	if slices.ContainsFunc(rt.Answers, func(a edge.Answer) bool { return a.Status == http.StatusNotModified }) {
		describeParameters(op, openapi31.ParameterInHeader, conditionalHeader())
	}
	describeBody(r, op, "application/json", rt.Body)
	describeBody(r, op, "multipart/form-data", rt.Form)
	describeText := func(kind, about string) {
		if about != "" {
			text := request.Schema{"type": "string", "description": about}
			if kind == "application/json" { // of a format that others define
				text["type"] = "object"
			}
			op.RequestBodyEns().RequestBodyEns().WithContentItem(kind, openapi31.MediaType{Schema: text})
		}
	}
	describeText("text/csv", rt.CSV)
	describeText("text/x-opml", rt.OPML)
	for kind, about := range rt.Texts {
		describeText(kind, about)
	}
	for kind, about := range rt.Files {
		file := request.Schema{"type": "string", "format": "binary", "description": about}
		op.RequestBodyEns().RequestBodyEns().WithContentItem(kind, openapi31.MediaType{Schema: file})
	}
	if rt.BodyOptional {
		op.RequestBody.RequestBody.WithRequired(false)
	}
}

// conditionalHeader is the header of an operation with a 304.
func conditionalHeader() request.Table {
	return request.Table{Fields: []*request.Field{
		request.New("If-None-Match", new(string), request.Text(0, 0)).
			About("The ETag of the answer that the caller has: 304 where it still holds."),
	}}
}

func describeParameters(op *openapi31.Operation, in openapi31.ParameterIn, t request.Table) {
	for _, p := range t.Parameters() {
		delete(p.Schema, "description") // the parameter has the description
		described := openapi31.Parameter{Name: p.Name, In: in, Schema: p.Schema}
		if p.About != "" {
			described.WithDescription(p.About)
		}
		if p.Required {
			described.WithRequired(true)
		}
		op.Parameters = append(op.Parameters, openapi31.ParameterOrReference{Parameter: &described})
	}
}

func describeBody(r *openapi31.Reflector, op *openapi31.Operation, contentType string, t request.Table) {
	if t.Fields == nil {
		return
	}
	r.Spec.ComponentsEns().WithSchemasItem(t.Name, t.Schema())
	media := openapi31.MediaType{Schema: request.Schema{"$ref": "#/components/schemas/" + t.Name}}
	op.RequestBodyEns().RequestBodyEns().WithRequired(true).WithContentItem(contentType, media)
}
