package server_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// value is one to try, as JSON or as a text, which may be the same.
type value struct {
	json, text string // empty: not in that form
	fault      int    // of the value in a body: 422, or 400 where its type is another; 0: it fits
	empty      bool   // the text is the empty one
}

func decimal(n int64) string { return fmt.Sprint(n) }

func quotedText(text string, fault int) value {
	b, _ := json.Marshal(text) // of a string it never fails
	return value{json: string(b), text: text, fault: fault, empty: text == ""}
}

// values are those at the edges of what a schema takes, and others.
func (f apiFile) values(t *testing.T, s apiSchema) (all []value) {
	t.Helper()
	s = f.resolved(s)
	if s.Type == "object" {
		return f.objects(t, s)
	}
	for _, other := range []string{"null", "{}", `{"a":[{}]}`} {
		all = append(all, value{json: other, fault: 400})
	}
	switch {
	case len(s.Enum) > 0:
		for _, wrong := range []string{"nonsense", strings.ToUpper(s.Enum[0]) + "x", s.Enum[0] + " ", " ", ""} {
			all = append(all, quotedText(wrong, 422))
		}
		return append(all, quotedText(s.Enum[0], 0), quotedText(s.Enum[len(s.Enum)-1], 0), value{json: "1", fault: 400}, value{json: "[]", fault: 400})
	case s.Type == "string":
		return append(all, f.strings(s)...)
	case s.Type == "integer":
		return append(all, integers(t, s)...)
	case s.Type == "boolean":
		for _, wrong := range []string{"TRUE", "1", "yes", "null", ""} {
			all = append(all, quotedText(wrong, 400))
		}
		return append(all, value{json: "true", text: "true"}, value{json: "false", text: "false"}, value{json: "0", fault: 400}, value{json: "[]", fault: 400})
	case s.Type == "array":
		return append(all, f.lists(t, s)...)
	}
	require.Fail(t, "no line says what to try", "%+v", s)
	return nil
}

// hostile are texts that no bound forbids.
var hostile = []string{"\x00", "a\x00b", "\u202e\ufeff", "'; DROP TABLE jobs; --", "%", "../../etc/passwd", "\U0010ffff", "\\u0000", "\n", "{\"a\":1}"}

func (f apiFile) strings(s apiSchema) []value {
	all := []value{{json: "1", fault: 400}, {json: "true", fault: 400}, {json: "[]", fault: 400}, {json: `"\ud800"`, fault: -1}}
	for _, text := range hostile {
		v := quotedText(text, -1)
		all = append(all, v)
	}
	if s.Format == "uuid" {
		return append(all, quotedText("x", 422), quotedText("{019321a0-7c11-7c3e-9a55-2f6d1f0c9b11}", 422))
	}
	if s.Format == "uri" || s.Format == "date-time" {
		return append(all, quotedText("x", 422), quotedText("", 422), quotedText(strings.Repeat("a", 5000), 422))
	}
	if s.MaxLength != nil {
		all = append(all, quotedText(strings.Repeat("ü", *s.MaxLength), 0), quotedText(strings.Repeat("a", *s.MaxLength), 0), quotedText(strings.Repeat("a", *s.MaxLength+1), 422))
	}
	if s.MinLength != nil && *s.MinLength > 0 {
		all = append(all, quotedText(strings.Repeat("a", *s.MinLength), 0), quotedText(strings.Repeat("a", *s.MinLength-1), 422))
	}
	return all
}

func integers(t *testing.T, s apiSchema) (all []value) {
	t.Helper()
	require.NotNil(t, s.Minimum)
	require.NotNil(t, s.Maximum)
	least, most := int64(*s.Minimum), int64(*s.Maximum)
	for n, fault := range map[int64]int{least: 0, most: 0, least - 1: 422, most + 1: 422} {
		all = append(all, value{json: decimal(n), text: decimal(n), fault: fault})
	}
	zero := 422
	if least <= 0 {
		zero = 0
	}
	return append(all,
		value{json: "-0", text: "-0", fault: zero},
		value{json: decimal(most) + ".0", fault: 0}, value{json: "1.5", text: "1.5", fault: 400},
		value{json: "1e999", fault: 422}, value{json: "-1e999", fault: 422}, value{text: "1e999", fault: 422}, value{json: "1e-999", fault: 400}, value{json: decimal(most) + ".00000000000000000000000001", fault: 400},
		value{json: strings.Repeat("9", 1000), text: strings.Repeat("9", 1000), fault: 422},
		value{json: `"` + decimal(most) + `"`, fault: 400}, value{json: "true", fault: 400}, value{json: "[1]", fault: 400},
		value{text: "x", fault: 422}, value{text: " 1", fault: 422}, value{text: "0x1", fault: 422}, value{text: "\x00", fault: 422}, value{empty: true, fault: 422},
	)
}

func (f apiFile) lists(t *testing.T, s apiSchema) []value {
	t.Helper()
	require.NotNil(t, s.MinItems)
	require.NotNil(t, s.MaxItems)
	of := func(n int, entry string) string {
		return "[" + strings.Join(slices.Repeat([]string{entry}, n), ",") + "]"
	}
	entry := f.fitting(t, *s.Items)
	all := []value{
		{json: of(*s.MinItems, entry)}, {json: of(*s.MaxItems, entry)}, {json: of(*s.MaxItems+1, entry), fault: 422},
		{json: entry, fault: 400}, {json: "1", fault: 400}, {json: "[[" + entry + "]]", fault: 400},
	}
	if *s.MinItems > 0 {
		all = append(all, value{json: of(*s.MinItems-1, entry), fault: 422})
	}
	for _, v := range f.values(t, *s.Items) {
		if v.json != "" {
			all = append(all, value{json: "[" + v.json + "]", fault: v.fault})
		}
	}
	return all
}

// objects are objects with all values of each member, and others.
func (f apiFile) objects(t *testing.T, s apiSchema) (all []value) {
	t.Helper()
	for _, other := range []string{"null", "1", "true", `"a"`, "[]", "[{}]"} {
		all = append(all, value{json: other, fault: 400})
	}
	if values, open := s.AdditionalProperties.(map[string]any); open {
		return append(all, f.maps(t, s, values)...)
	}
	fit := f.fitting(t, s)
	all = append(all, value{json: fit}, value{json: strings.TrimSuffix(fit, "}") + `,"unknown":1}`, fault: 400})
	for name, property := range s.Properties {
		others := slices.DeleteFunc(slices.Clone(s.Required), func(required string) bool { return required == name })
		if len(others) < len(s.Required) {
			all = append(all, value{json: f.members(t, s, others, ""), fault: 400})
		}
		for _, v := range f.values(t, property) {
			if v.json != "" {
				all = append(all, value{json: f.members(t, s, others, fmt.Sprintf("%q:%s", name, v.json)), fault: v.fault})
			}
		}
	}
	return all
}

// maps are objects whose members have any name.
func (f apiFile) maps(t *testing.T, s apiSchema, values map[string]any) []value {
	t.Helper()
	require.NotNil(t, s.MaxProperties)
	require.NotNil(t, s.PropertyNames)
	encoded, err := json.Marshal(values)
	require.NoError(t, err)
	var of apiSchema
	require.NoError(t, json.Unmarshal(encoded, &of))
	fit := f.fitting(t, of)
	var many []string
	for n := range *s.MaxProperties + 1 {
		many = append(many, fmt.Sprintf(`"%d":%s`, n, fit))
	}
	all := []value{{json: "{}"}, {json: `{"a":` + fit + `,"a":` + fit + "}", fault: 400}, {json: "{" + strings.Join(many[1:], ",") + "}"}, {json: "{" + strings.Join(many, ",") + "}", fault: 422}}
	for name, fault := range map[string]int{
		strings.Repeat("ü", *s.PropertyNames.MaxLength): 0, strings.Repeat("a", *s.PropertyNames.MaxLength+1): 422, "": 422,
	} {
		all = append(all, value{json: fmt.Sprintf(`{"%s":%s}`, name, fit), fault: fault})
	}
	for _, v := range f.values(t, of) {
		if v.json != "" {
			all = append(all, value{json: `{"a":` + v.json + "}", fault: v.fault})
		}
	}
	return all
}

// fitting is the JSON of a value that fits a schema.
func (f apiFile) fitting(t *testing.T, s apiSchema) string {
	t.Helper()
	s = f.resolved(s)
	switch {
	case s.Type == "object":
		return f.members(t, s, s.Required, "")
	case s.Type == "integer":
		return decimal(int64(*s.Minimum))
	case len(s.Enum) > 0:
		return `"` + s.Enum[0] + `"`
	case s.Format == "uuid":
		return `"019321a0-7c11-7c3e-9a55-2f6d1f0c9b11"`
	}
	return `"a"`
}

// members is an object with some members of a schema, and one more.
func (f apiFile) members(t *testing.T, s apiSchema, names []string, more string) string {
	t.Helper()
	var all []string
	for _, name := range names {
		all = append(all, fmt.Sprintf("%q:%s", name, f.fitting(t, s.Properties[name])))
	}
	if more != "" {
		all = append(all, more)
	}
	return "{" + strings.Join(all, ",") + "}"
}

func (f apiFile) resolved(s apiSchema) apiSchema {
	if s.Ref == "" {
		return s
	}
	to := f.Components.Schemas[s.Ref[strings.LastIndex(s.Ref, "/")+1:]]
	if len(s.Enum) > 0 {
		to.Enum = s.Enum
	}
	return to
}
