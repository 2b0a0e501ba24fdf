package server_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Every value that a public package names for one of its string types stands in the
// document, and no other.
func TestDocumentHasAllValuesOfATypedString(t *testing.T) {
	t.Parallel()
	body, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	var document struct {
		Components struct {
			Schemas map[string]struct{ Enum []string }
		}
	}
	require.NoError(t, json.Unmarshal(body, &document))
	types := map[string]map[string]string{ // the name of the schema of each
		"transcript": {
			"Channels": "Channels", "Code": "ErrorCode", "Format": "Format", "JobStatus": "JobStatus", "MetadataStatus": "MetadataStatus", "Origin": "Origin",
			"Platform": "Platform", "Stage": "Stage", "Status": "TranscriptStatus", "TrackKind": "TrackKind", "TrackStatus": "TrackStatus",
		},
		"transcript/video": {"Kind": "UploadKind", "Order": "VideoSearchOrder", "Type": "VideoSearchType"},
		"batch": {
			"ExportFormat": "ExportFormat", "ItemStatus": "BatchItemStatus", "Mode": "BatchMode", "Status": "BatchStatus",
		},
		"library/follow":  {"ItemStatus": "FollowItemStatus", "Kind": "FollowKind", "Status": "FollowStatus"},
		"library/webhook": {"DeliveryStatus": "DeliveryStatus", "EventType": "WebhookEvent", "Status": "WebhookStatus"},
		"library":         {"DownloadFormat": "DownloadFormat", "Include": "Include", "Kind": "LibraryKind", "RecordingCopy": "RecordingCopy", "RevisionKind": "RevisionKind", "Sort": "Sort", "View": "View"},
	}
	for dir, names := range types {
		constants := stringConstants(t, filepath.Join("..", filepath.FromSlash(dir)))
		if dir == "transcript" {
			delete(constants, "EventType") // the name of an event stands outside of its data
		}
		if dir == "library" { // the other formats are of files that can only be imported
			constants["DownloadFormat"] = nil
			for _, f := range library.DownloadFormats() {
				constants["DownloadFormat"] = append(constants["DownloadFormat"], string(f))
			}
		}
		delete(constants, "Fault")          // what a receiver finds out by itself
		delete(constants, "IssueReason")    // the details of an error have no schema
		delete(constants, "PlatformFilter") // it has the platforms too
		if codes, ok := constants["Code"]; ok {
			constants["Code"] = slices.DeleteFunc(codes, func(code string) bool { // the others are flat errors
				return !slices.Contains(transcript.Codes(), transcript.Code(code))
			})
		}
		assert.ElementsMatch(t, slices.Collect(maps.Keys(names)), slices.Collect(maps.Keys(constants)), dir)
		for typ, values := range constants {
			assert.ElementsMatch(t, values, document.Components.Schemas[names[typ]].Enum, "%s.%s", dir, typ)
		}
	}
}

// stringConstants returns the values of a package's typed string constants by type.
func stringConstants(t *testing.T, dir string) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	values := map[string][]string{}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			typ, named := spec.Type.(*ast.Ident)
			literal, isLiteral := spec.Values[0].(*ast.BasicLit)
			if named && isLiteral && literal.Kind == token.STRING {
				value, err := strconv.Unquote(literal.Value)
				require.NoError(t, err)
				values[typ.Name] = append(values[typ.Name], value)
			}
			return true
		})
	}
	return values
}
