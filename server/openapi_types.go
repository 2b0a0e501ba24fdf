package server

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/swaggest/jsonschema-go"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// describeTypes says how the Go types of the API become schemas.
func describeTypes(r *jsonschema.Reflector, words texts) {
	r.AddTypeMapping(transcript.Time{}, time.Time{})
	r.AddTypeMapping(transcript.Word{}, timedWord{})
	r.DefaultOptions = append(r.DefaultOptions,
		jsonschema.InterceptDefName(schemaName),
		jsonschema.InterceptSchema(describeType(enums())),
		jsonschema.InterceptProp(describeProperty),
		jsonschema.InterceptProp(words.describe))
}

// describeType names the values of the types that have a list of them, and takes
// back what is true of a Go type but not of the API: that a pointer's target may
// be null, and that a choice between types is an object.
func describeType(enums map[reflect.Type][]any) jsonschema.InterceptSchemaFunc {
	return func(p jsonschema.InterceptSchemaParams) (stop bool, err error) {
		if !p.Processed {
			return false, nil
		}
		t := p.Value.Type()
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if values, ok := enums[t]; ok {
			p.Schema.Enum = values
		}
		switch t {
		case reflect.TypeFor[transcript.Code]():
			p.Schema.WithDescription(describeCodes(transcript.Codes(), func(c transcript.Code) string { return string(c) }))
		case reflect.TypeFor[edge.FlatError]():
			p.Schema.WithDescription(describeCodes(transcript.FlatCodes(), transcript.Code.Slug))
		}
		p.Schema.RemoveType(jsonschema.Null)
		if p.Schema.OneOf != nil && p.Schema.Properties == nil {
			p.Schema.Type = nil
		}
		return false, nil
	}
}

// describeCodes is a list of what each code means and what to do about it.
func describeCodes(codes []transcript.Code, name func(transcript.Code) string) string {
	var lines []string
	for _, c := range codes {
		lines = append(lines, fmt.Sprintf("- `%s`: %s %s", name(c), c.Meaning(), c.Cure()))
	}
	return strings.Join(lines, "\n")
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
		reflect.TypeFor[accepted]():           "AcceptedJob",
		reflect.TypeFor[acceptedBatch]():      "AcceptedBatch",
		reflect.TypeFor[batchAnswer]():        "BatchPage",
		reflect.TypeFor[batchesAnswer]():      "BatchList",
		reflect.TypeFor[resultAnswer]():       "TranscriptResult",
		reflect.TypeFor[jobAnswer]():          "Job",
		reflect.TypeFor[transcriptOrText]():   "TranscriptOrText",
		reflect.TypeFor[transcript.Error]():   "ErrorBody",
		reflect.TypeFor[transcript.Code]():    "ErrorCode",
		reflect.TypeFor[transcript.Status]():  "TranscriptStatus",
		reflect.TypeFor[transcript.Info]():    "TranscriptInfo",
		reflect.TypeFor[wire.Progress]():      "ProgressData",
		reflect.TypeFor[health]():             "Health",
		reflect.TypeFor[readiness]():          "Readiness",
		reflect.TypeFor[timedWord]():          "TimedWord",
		reflect.TypeFor[library.Saved]():      "SavedTranscript",
		reflect.TypeFor[library.ChunkPage]():  "ChunkPage",
		reflect.TypeFor[exportedBatch]():      "ExportedBatch",
		reflect.TypeFor[exportedItem]():       "ExportedItem",
		reflect.TypeFor[library.Found]():      "SearchResult",
		reflect.TypeFor[library.Match]():      "SearchMatch",
		reflect.TypeFor[library.Hit]():        "SearchHit",
		reflect.TypeFor[relatedAnswer]():      "RelatedTranscripts",
		reflect.TypeFor[video.Found]():        "VideoSearchResult",
		reflect.TypeFor[video.Result]():       "VideoSearchItem",
		reflect.TypeFor[video.Type]():         "VideoSearchType",
		reflect.TypeFor[video.Summary]():      "VideoSummary",
		reflect.TypeFor[video.Video]():        "Video",
		reflect.TypeFor[video.Videos]():       "VideoList",
		reflect.TypeFor[video.Channel]():      "Channel",
		reflect.TypeFor[video.ChannelFound](): "ChannelResult",
		reflect.TypeFor[video.Playlist]():     "PlaylistSummary",
		reflect.TypeFor[video.Uploads]():      "ChannelUploads",
		reflect.TypeFor[video.Item]():         "PlaylistItem",
		reflect.TypeFor[video.Items]():        "PlaylistItems",
	}
	if n, ok := names[t]; ok {
		return n
	}
	if t.Name() != "" && strings.HasSuffix(t.PkgPath(), "/transcript") || strings.HasSuffix(t.PkgPath(), "/server") || strings.HasSuffix(t.PkgPath(), "/edge") {
		return t.Name()
	}
	return name
}
