package server_test

import (
	"maps"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestAPIDocCodes(t *testing.T) {
	t.Parallel()
	d := readAPIDoc(t)
	retry := map[transcript.Retry]string{
		transcript.RetryNever: "no", transcript.RetryNow: "now", transcript.RetryBackoff: "backoff", transcript.RetryWait: "wait",
	}
	rows, _ := d.at(t, 4)["ErrorCode"].table("Code")
	for _, row := range rows {
		code := transcript.Code(backticked(row[0])[0])
		want := strconv.Itoa(code.Status())
		switch code {
		case transcript.InvalidRequest:
			want = "400, 422"
		case transcript.BatchLimitExceeded:
			want = "402, 422"
		}
		assert.Equal(t, want, row[1], code)
		assert.Equal(t, retry[code.Retry()], row[2], code)
		assert.Equal(t, []string{code.Meaning(), code.Cure()}, plain(row[3:]), code)
	}
	// Of no operation, hence not in the document: what has no route at all.
	slugs := map[string]string{"not_found": "404", "method_not_allowed": "405"}
	for _, op := range readAPIFile(t).operations() {
		for status, r := range op.Responses {
			for _, code := range r.Codes {
				if code == strings.ToLower(code) {
					slugs[code] = status
				}
			}
		}
	}
	codes := map[string]transcript.Code{}
	for _, code := range transcript.FlatCodes() {
		codes[code.Slug()] = code
	}
	documented := map[string]string{}
	rows, _ = d.at(t, 4)["FlatError"].table("Slug")
	for _, row := range rows {
		slug := backticked(row[0])[0]
		documented[slug] = row[1]
		require.Contains(t, codes, slug)
		assert.Equal(t, strconv.Itoa(codes[slug].Status()), row[1], slug)
		assert.Equal(t, []string{codes[slug].Meaning(), codes[slug].Cure()}, plain(row[2:]), slug)
	}
	assert.Equal(t, slugs, documented)
}

// plain is cells without the backticks around names.
func plain(cells []string) (texts []string) {
	for _, cell := range cells {
		texts = append(texts, strings.ReplaceAll(cell, "`", ""))
	}
	return texts
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

func TestAPIDocEvents(t *testing.T) {
	t.Parallel()
	const stream = "GET /v1/transcript/job/{id}/events"
	want := map[string]string{}
	for name, data := range readAPIFile(t).operations()[stream].Events {
		want[name] = data.words()
	}
	documented := map[string]string{}
	rows, _ := readAPIDoc(t).at(t, 3)[stream].table("Event")
	for _, row := range rows {
		documented[backticked(row[0])[0]] = row[2]
	}
	assert.Equal(t, want, documented)
}

// The table of what may follow what, and the drawing, are those of the one table
// that moves jobs.
func TestAPIDocStates(t *testing.T) {
	t.Parallel()
	d := readAPIDoc(t)
	schemas := readAPIFile(t).Components.Schemas
	possible, drawn := map[string]bool{}, map[string]bool{"[*] --> queued": true, "done --> [*]": true}
	statuses := map[string]string{}
	for _, from := range append(schemas["Stage"].Enum, "") {
		at := lifecycle.Of(transcript.Stage(from))
		if from != "" {
			statuses[from] = string(at.Status)
		}
		for _, to := range schemas["Stage"].Enum {
			if lifecycle.CanMove(at, lifecycle.Of(transcript.Stage(to))) {
				possible[from+" to "+to] = true
				drawn[from+" --> "+to] = from != "" // how others' work is joined is not drawn
			}
		}
		for _, end := range schemas["JobStatus"].Enum {
			if lifecycle.CanMove(at, lifecycle.State{Status: transcript.JobStatus(end), Stage: at.Stage}) {
				possible[from+" to "+end] = true // from everywhere, hence not drawn
			}
		}
	}
	maps.DeleteFunc(drawn, func(_ string, is bool) bool { return !is })

	documented := map[string]bool{}
	stages := d.at(t, 4)["Stage"]
	rows, _ := stages.table("From")
	for _, row := range rows {
		from := backticked(row[0])
		if len(from) == 0 {
			from = []string{""} // accepted
		}
		for _, stage := range from {
			documented[stage+" to "+backticked(row[1])[0]] = true
		}
	}
	assert.Equal(t, possible, documented)

	statusOf := map[string]string{}
	rows, _ = stages.table("Value")
	for _, row := range rows {
		statusOf[backticked(row[0])[0]] = backticked(row[1])[0]
	}
	assert.Equal(t, statuses, statusOf)

	arrows := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^ +(\S+ --> [^:\n]+)`).FindAllStringSubmatch(d.at(t, 2)["States of a job"].text, -1) {
		arrows[m[1]] = true
	}
	assert.Equal(t, drawn, arrows)
}

// No name of the API stands in API.md that openapi.json does not have, but the members
// of a plans file.
func TestAPIDocNamesNothingElse(t *testing.T) {
	t.Parallel()
	f := readAPIFile(t)
	known := map[string]bool{}
	for name, op := range f.operations() {
		known[name], known[op.ID] = true, true
		for _, p := range op.Parameters {
			known[p.Name] = true
		}
		for event := range op.Events {
			known[event] = true
		}
	}
	for _, s := range f.Components.Schemas {
		for field := range s.Properties {
			known[field] = true
		}
		for _, value := range s.Enum {
			known[value] = true
		}
	}
	for name := range planMembers(t) {
		known[name] = true
	}
	known["defaultPlan"] = true
	known[batch.AttemptsExhausted] = true // where a code may stand too
	api := regexp.MustCompile(`^([a-z]+[A-Z]\w*|[A-Z]+(_[A-Z]+)+|(job|stream)\.\w+|(GET|POST|PUT|PATCH|DELETE) /.*)$`)
	for _, name := range backticked(regexp.MustCompile("(?s)```.*?```").ReplaceAllString(readAPIDoc(t).text, "")) {
		if api.MatchString(name) {
			assert.True(t, known[name], "openapi.json has no %s", name)
		}
	}
}
