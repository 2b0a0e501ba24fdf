package openapi

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/swaggest/jsonschema-go"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// describeTypes sets how the Go types of the API become schemas.
func describeTypes(r *jsonschema.Reflector, words texts) {
	r.AddTypeMapping(transcript.Time{}, time.Time{})
	r.AddTypeMapping(transcript.Word{}, TimedWord{})
	r.DefaultOptions = append(r.DefaultOptions,
		jsonschema.InterceptDefName(schemaName),
		jsonschema.InterceptSchema(describeType),
		jsonschema.InterceptProp(describeProperty),
		jsonschema.InterceptProp(words.describe))
}

// describeType adds the values of enums and the meanings of codes. It also removes two facts that
// are true for a Go type but not for the API: that the target of a pointer may be null, and that a
// choice between types is an object.
func describeType(p jsonschema.InterceptSchemaParams) (stop bool, err error) {
	if !p.Processed {
		return false, nil
	}
	t := p.Value.Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t {
	case reflect.TypeFor[transcript.Code]():
		p.Schema.WithDescription(describeCodes(transcript.Codes(), func(c transcript.Code) string { return string(c) }))
	case reflect.TypeFor[edge.FlatError]():
		p.Schema.WithDescription(describeCodes(transcript.FlatCodes(), transcript.Code.Slug))
	}
	if values := request.EnumValues(t); values != nil {
		p.Schema.Enum = values
	}
	p.Schema.RemoveType(jsonschema.Null)
	if p.Schema.OneOf != nil && p.Schema.Properties == nil {
		p.Schema.Type = nil
	}
	return false, nil
}

// describeCodes lists the meaning and the remedy of each code.
func describeCodes(codes []transcript.Code, name func(transcript.Code) string) string {
	var lines []string
	for _, c := range codes {
		lines = append(lines, fmt.Sprintf("- `%s`: %s %s", name(c), c.Meaning(), c.Cure()))
	}
	return strings.Join(lines, "\n")
}

// describeProperty makes a property required if it has no omitempty, because such a
// property is always written. If the property is a pointer or a map, it may be null,
// unless the tag nullable says otherwise.
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
	property := p.PropertySchema
	property.RemoveType(jsonschema.Null)
	switch {
	case !nullable:
	case property.Ref == nil:
		property.AddType(jsonschema.Null)
	default:
		reference := jsonschema.Schema{Ref: property.Ref}
		property.Ref = nil
		property.AnyOf = []jsonschema.SchemaOrBool{reference.ToSchemaOrBool(), jsonschema.Null.ToSchemaOrBool()}
	}
	return nil
}

// schemaName is the name of a type in the document. Package schema names some types. A type of
// package transcript or of the service has its Go name. Any other type has its Go name after
// the name of its package.
func schemaName(t reflect.Type, name string) string {
	if named, ok := request.SchemaName(t); ok {
		return named
	}
	if strings.HasSuffix(t.PkgPath(), "/transcript") || strings.Contains(t.PkgPath(), "/server/internal/") {
		return t.Name()
	}
	return name
}
