package openapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"

	"github.com/swaggest/openapi-go/openapi31"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
)

// part is a parameter or an answer of an operation.
type part struct {
	kind      string // of the components: parameters or responses
	name      string // among the components of the kind
	operation string
	parameter *openapi31.Parameter
	answer    *openapi31.Response
}

// equal parts have the same key.
func (p part) key() string {
	text, _ := json.Marshal([]any{p.kind, p.name, p.parameter, p.answer}) // has been part of a document
	return string(text)
}

// share makes operations refer to parameters and answers that several of them have.
func share(spec *openapi31.Spec, routes []edge.Route) {
	uses, first := map[string]int{}, map[string]part{}
	var order []string
	eachPart(spec, routes, func(p part) *openapi31.Reference {
		key := p.key()
		if uses[key]++; uses[key] == 1 {
			first[key], order = p, append(order, key)
		}
		return nil
	})
	// The most frequent part with a name gets the name alone. The others add an operation to
	// the name.
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(uses[b], uses[a]) })
	references, taken := map[string]*openapi31.Reference{}, map[string]bool{}
	for _, key := range order {
		p := first[key]
		if uses[key] == 1 {
			continue
		}
		if taken[p.kind+p.name] {
			p.name += "-" + p.operation
		}
		taken[p.kind+p.name] = true
		references[key] = &openapi31.Reference{Ref: "#/components/" + p.kind + "/" + p.name}
		if p.parameter != nil {
			spec.Components.WithParametersItem(p.name, openapi31.ParameterOrReference{Parameter: p.parameter})
		} else {
			spec.Components.WithResponsesItem(p.name, openapi31.ResponseOrReference{Response: p.answer})
		}
	}
	eachPart(spec, routes, func(p part) *openapi31.Reference { return references[p.key()] })
}

var notInAName = regexp.MustCompile(`[^A-Za-z]`)

// eachPart visits the parameters, and the answers without a body of their own. If the visit
// returns a reference, the reference replaces the part.
func eachPart(spec *openapi31.Spec, routes []edge.Route, visit func(part) *openapi31.Reference) {
	for _, rt := range routes {
		op := operationOf(spec, rt)
		for i, p := range op.Parameters {
			name := fmt.Sprintf("%s-%s", p.Parameter.In, p.Parameter.Name)
			if r := visit(part{kind: "parameters", name: name, operation: rt.Operation, parameter: p.Parameter}); r != nil {
				op.Parameters[i] = openapi31.ParameterOrReference{Reference: r}
			}
		}
		answers := op.Responses.MapOfResponseOrReferenceValues
		for _, status := range slices.Sorted(maps.Keys(answers)) {
			answer := answers[status].Response
			number, _ := strconv.Atoi(status) // the reflector has written it
			if answer.Content != nil && number < http.StatusBadRequest {
				continue
			}
			name := notInAName.ReplaceAllString(http.StatusText(number), "")
			if r := visit(part{kind: "responses", name: name, operation: rt.Operation, answer: answer}); r != nil {
				answers[status] = openapi31.ResponseOrReference{Reference: r}
			}
		}
	}
}

func operationOf(spec *openapi31.Spec, rt edge.Route) *openapi31.Operation {
	item := spec.Paths.MapOfPathItemValues[rt.Pattern]
	return map[string]*openapi31.Operation{
		http.MethodGet: item.Get, http.MethodHead: item.Head, http.MethodOptions: item.Options, http.MethodPut: item.Put,
		http.MethodPost: item.Post, http.MethodPatch: item.Patch, http.MethodDelete: item.Delete,
	}[rt.Method]
}
