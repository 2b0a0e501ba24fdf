package web

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// refusals are the beginnings of the keys of texts about what the API refuses. Pages hold none
// of them: the module refusal.js loads them from a file when a page needs them first.
var refusals = []string{"says.", "cure.", "field.", "fault."}

// refusalsFile returns the texts about what the API refuses, in JSON.
func (c *Catalog) refusalsFile() ([]byte, error) {
	texts := map[string]phrase{}
	for _, with := range refusals {
		maps.Copy(texts, c.beginning(with))
	}
	return json.Marshal(texts)
}

// Sentence returns what a refusal says to people. The API's own message is for programmers, and
// it has one language. The text of the code takes its place: the one with the values of
// details if there is one.
func (c *Catalog) Sentence(code transcript.Code, details map[string]any) string {
	if says := c.Fault(FirstIssue(details)); says != "" {
		return says
	}
	var values []any
	for name, value := range details {
		values = append(values, name, c.detail(name, value))
	}
	for _, name := range slices.Sorted(maps.Keys(details)) {
		key := "says." + string(code) + "." + name
		if says := c.Text(key, values...); c.has(key) && !strings.Contains(says, "{") {
			return says
		}
	}
	return c.says(code)
}

// Fault returns what is wrong with a field; empty if there is no text. A text that fits the reason goes
// before one that fits the field alone.
func (c *Catalog) Fault(i transcript.Issue) string {
	place, _, _ := strings.Cut(i.Path, ".")
	for _, key := range []string{"field." + place + "." + string(i.Reason), "fault." + string(i.Reason), "field." + place} {
		if c.has(key) {
			return c.Text(key)
		}
	}
	return ""
}

// detail formats a value of details, the name of which ends with its unit.
func (c *Catalog) detail(name string, value any) any {
	n, isNumber := value.(float64)
	switch {
	case isNumber && strings.HasSuffix(name, "Bytes"):
		return c.Size(int64(n))
	case isNumber && strings.HasSuffix(name, "Sec"):
		return c.Span(int64(n))
	}
	return value
}

// says explains a code, for people.
func (c *Catalog) says(code transcript.Code) string {
	if c.has("says." + string(code)) {
		return c.Text("says." + string(code))
	}
	return c.Text("problem.fault")
}

// Cure returns what people can do about a code; empty if there is no text.
func (c *Catalog) Cure(code transcript.Code) string {
	if c.has("cure." + string(code)) {
		return c.Text("cure." + string(code))
	}
	return ""
}

// FirstIssue returns the first fault in the details of a refusal; the zero value if there is
// none.
func FirstIssue(details map[string]any) (found transcript.Issue) {
	issues, _ := details["issues"].([]any)
	if len(issues) > 0 {
		first, _ := issues[0].(map[string]any)
		found.Path, _ = first["path"].(string)
		found.Message, _ = first["message"].(string)
		reason, _ := first["reason"].(string)
		found.Reason = transcript.IssueReason(reason)
	}
	return found
}
