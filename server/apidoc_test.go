package server_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// API.md says to people what openapi.json says to machines. These tests hold the
// one to the other, in both directions. What they go by is the form of API.md:
//
//   - an operation is a heading "### METHOD /path", with a table of parameters and
//     one of statuses;
//   - a schema is a heading "#### Name", with a table of fields or of values;
//   - names stand in backticks.

// Comments throughout the code cite these.
func TestAPIDocSections(t *testing.T) {
	t.Parallel()
	d := readAPIDoc(t)
	sections := d.at(t, 2)
	for _, title := range []string{
		"Conventions", "Errors", "Authentication", "Limits", "States of a job", "Transcripts", "Jobs", "Events", "Captions", "Info", "Discovery", "Batches",
		"Library", "Usage", "Idempotency", "Conditional requests", "Health", "Language lists", "Platforms", "Plans",
	} {
		assert.Contains(t, sections, title)
	}
	anchors := map[string]bool{}
	for _, p := range d.parts {
		anchor := regexp.MustCompile(`[^a-z0-9_ -]`).ReplaceAllString(strings.ToLower(p.title), "")
		anchors[strings.ReplaceAll(anchor, " ", "-")] = true
	}
	for _, m := range regexp.MustCompile(`\]\(#([^)]*)\)`).FindAllStringSubmatch(d.text, -1) {
		assert.True(t, anchors[m[1]], "a link leads nowhere: #%s", m[1])
	}
	for _, m := range regexp.MustCompile(`\]\(([a-z.][^)]*)\)`).FindAllStringSubmatch(d.text, -1) {
		if !strings.HasPrefix(m[1], "https:") {
			_, err := os.Stat(m[1])
			assert.NoError(t, err)
		}
	}
}

func TestAPIDocOperations(t *testing.T) {
	t.Parallel()
	d, operations := readAPIDoc(t), readAPIFile(t).operations()
	documented := d.at(t, 3)
	assert.ElementsMatch(t, slices.Collect(maps.Keys(operations)), slices.Collect(maps.Keys(documented)))
	assert.ElementsMatch(t, slices.Collect(maps.Keys(operations)), tableNames(t, d.parts[0], "Operation"), "the table at the top")
	sections := map[string][]string{
		"transcripts": {"Transcripts"}, "uploads": {"Uploads"}, "jobs": {"Jobs", "Events"}, "captions": {"Captions", "Info"}, "discovery": {"Discovery"}, "library": {"Library"}, "batches": {"Batches"}, "follows": {"Follows"}, "webhooks": {"Webhooks"}, "usage": {"Usage"}, "service": {"Health", "The OpenAPI document"},
	}
	for name, op := range operations {
		p := documented[name]
		assert.Contains(t, sections[op.Tags[0]], p.section, name)
		scope := "no credential"
		if op.Scope != nil {
			scope = "any valid key"
			if *op.Scope != "" {
				scope = "scope `" + *op.Scope + "`"
			}
		}
		assert.Contains(t, p.text, fmt.Sprintf("Operation `%s`, %s.", op.ID, scope), name)
		for media, body := range op.RequestBody.Content {
			assert.Contains(t, p.text, fmt.Sprintf("`%s` (%s)", media, body.Schema.words()), name)
		}
		assert.ElementsMatch(t, op.parameterRows(), parameterRows(p), "%s: parameters", name)
		assert.ElementsMatch(t, op.statusRows(), statusRows(p), "%s: answers", name)
	}
}

// tableNames are the names in the first column of a table.
func tableNames(t *testing.T, p docPart, column string) (all []string) {
	t.Helper()
	rows, found := p.table(column)
	require.True(t, found, "%s has no table %q", p.title, column)
	for _, row := range rows {
		all = append(all, backticked(row[0])...)
	}
	return all
}

// asAsked stands for a default that is not the document's to say.
const asAsked = "as the `POST` asked"

func (op apiOperation) parameterRows() (rows []string) {
	for _, p := range op.Parameters {
		rows = append(rows, strings.Join([]string{p.Name, p.In, p.Schema.words(), p.Schema.orDefault(p.Required)}, " | "))
	}
	return rows
}

func parameterRows(p docPart) (all []string) {
	rows, _ := p.table("Parameter") // an operation without parameters has none
	for _, row := range rows {
		if row[3] == asAsked {
			row[3] = "–"
		}
		all = append(all, strings.Join([]string{strings.Join(backticked(row[0]), ""), row[1], row[2], row[3]}, " | "))
	}
	return all
}

// orDefault is what stands in the column of defaults.
func (s apiSchema) orDefault(required bool) string {
	switch {
	case required:
		return "required"
	case s.Default != nil:
		return fmt.Sprintf("`%v`", s.Default)
	}
	return "–"
}

// statusRows are the statuses, each with its headers, its codes and, where it has
// none, its body.
func (op apiOperation) statusRows() (rows []string) {
	for status, r := range op.Responses {
		headers := slices.DeleteFunc(slices.Sorted(maps.Keys(r.Headers)), func(h string) bool {
			return h == "X-Request-Id" || strings.HasPrefix(strings.TrimPrefix(h, "X-"), "RateLimit") // said once, under Conventions and Limits
		})
		body := slices.Sorted(slices.Values(r.Codes))
		for media, content := range r.Content {
			switch ref := content.Schema.Ref; {
			case len(r.Codes) > 0:
			case strings.HasSuffix(ref, "/TranscriptOrPodcast"):
				body = append(body, "[Transcript](#transcript)", "[Podcast](#podcast)")
			case ref != "":
				body = append(body, link(ref))
			default:
				body = append(body, media)
			}
		}
		slices.Sort(body)
		rows = append(rows, fmt.Sprint(status, headers, body))
	}
	return rows
}

var linked = regexp.MustCompile(`\[\w+\]\(#\w+\)`)

func statusRows(p docPart) (all []string) {
	rows, _ := p.table("Status")
	for _, row := range rows {
		body := append(backticked(row[1]), linked.FindAllString(row[1], -1)...)
		slices.Sort(body)
		headers := backticked(row[2])
		slices.Sort(headers)
		all = append(all, fmt.Sprint(row[0], headers, body))
	}
	return all
}

func TestAPIDocSchemas(t *testing.T) {
	t.Parallel()
	d, schemas := readAPIDoc(t), readAPIFile(t).Components.Schemas
	for _, aside := range []string{"Error", "MultipartFile", "TranscriptOrPodcast", "TranscriptOrText"} { // choices, said where they are made
		delete(schemas, aside)
	}
	documented := d.at(t, 4)
	assert.ElementsMatch(t, slices.Collect(maps.Keys(schemas)), slices.Collect(maps.Keys(documented)))
	for name, s := range schemas {
		p := documented[name]
		if len(s.Enum) > 0 {
			column := "Value"
			if name == "ErrorCode" {
				column = "Code"
			}
			values := tableNames(t, p, column)
			for i, value := range values {
				if plain, err := strconv.Unquote(value); err == nil { // what nobody would see is quoted
					values[i] = plain
				}
			}
			assert.Equal(t, s.Enum, inOrder(s.Enum, values), name)
			continue
		}
		rows, found := p.table("Field")
		require.True(t, found, name)
		var fields, want []string
		for _, row := range rows {
			field := strings.Join(backticked(row[0]), "")
			fields = append(fields, strings.Join([]string{field, row[1], presence(row[2], s)}, " | "))
		}
		for field, property := range s.Properties {
			present := strconv.FormatBool(slices.Contains(s.Required, field))
			if s.closed() {
				present = property.orDefault(slices.Contains(s.Required, field))
			}
			want = append(want, strings.Join([]string{field, property.words(), present}, " | "))
		}
		assert.ElementsMatch(t, want, fields, name)
	}
}

// inOrder sorts what is found as it stands in the document, the rest behind it.
func inOrder(order, found []string) []string {
	slices.SortStableFunc(found, func(a, b string) int {
		return slices.Index(append(slices.Clone(order), a), a) - slices.Index(append(slices.Clone(order), b), b)
	})
	return found
}

// closed schemas are those of requests.
func (s apiSchema) closed() bool { return s.AdditionalProperties == false }

// presence is what a row says of the field's presence: its default in a request,
// in an answer whether it is always there.
func presence(cell string, s apiSchema) string {
	if s.closed() {
		return cell
	}
	return strconv.FormatBool(cell == "always")
}
