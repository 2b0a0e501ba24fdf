package request_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// readForm adds names and values in turn, until one is refused.
func readForm(o *order, fields ...string) error {
	form := o.table().NewForm()
	for i := 0; i < len(fields); i += 2 {
		if err := form.Add(fields[i], strings.NewReader(fields[i+1])); err != nil {
			return err
		}
	}
	return form.Read()
}

func TestForm(t *testing.T) {
	t.Parallel()
	link := func(fields ...string) []string { return append(fields, "url", "x") }
	repeated := func(n int, name, value string) (fields []string) {
		for range n {
			fields = append(fields, name, value)
		}
		return fields
	}
	for name, c := range map[string]struct {
		fields []string
		row
	}{
		"a link":             {link(), row{}},
		"an unknown field":   {link("lang", "en"), row{400, []string{"lang"}}},
		"another case":       {link("Page", "1"), row{400, []string{"Page"}}},
		"twice":              {link("page", "1", "page", "1"), row{400, []string{"page"}}},
		"twice, one is bad":  {link("page", "x", "page", "1"), row{400, []string{"page"}}},
		"not UTF-8":          {link("language", "en\xff"), row{400, []string{"language"}}},
		"far too long":       {link("language", strings.Repeat("en,", 10_000)), row{422, []string{"language"}}},
		"no number":          {link("page", "soon"), row{422, []string{"page"}}},
		"an empty number":    {link("page", ""), row{422, []string{"page"}}},
		"a fraction":         {link("page", "1.5"), row{422, []string{"page"}}},
		"with an exponent":   {link("page", "1e1"), row{422, []string{"page"}}},
		"below":              {link("page", "-4"), row{422, []string{"page"}}},
		"beyond all numbers": {link("page", "99999999999999999999"), row{422, []string{"page"}}},
		"below all numbers":  {link("waitMs", "-99999999999999999999"), row{422, []string{"waitMs"}}},
		"no flag":            {link("times", "1"), row{422, []string{"times"}}},
		"another case of it": {link("loud", "True"), row{422, []string{"loud"}}},
		"an empty flag":      {link("loud", ""), row{422, []string{"loud"}}},
		"an empty text":      {[]string{"url", ""}, row{422, []string{"url"}}},
		"an empty value":     {link("format", ""), row{422, []string{"format"}}},
		"an empty list":      {link("language", ""), row{422, []string{"language"}}},
		"several faults": {link("waitMs", "-1", "language", "", "format", "x", "loud", "x"), row{422,
			[]string{"language", "format", "loud", "waitMs"}}},
		"a repeated field":  {append(repeated(4, "links", "a"), "ids", id), row{}},
		"one too many":      {repeated(5, "links", "a"), row{422, []string{"links"}}},
		"many too many":     {repeated(5000, "links", "a"), row{422, []string{"links"}}},
		"an entry that is":  {[]string{"links", "a", "links", "", "links", "bbbbbbbbbbb"}, row{422, []string{"links.1", "links.2"}}},
		"not a UUID":        {link("ids", id, "ids", "x"), row{422, []string{"ids.1"}}},
		"an entry of bytes": {[]string{"links", "a", "links", "\xff"}, row{400, []string{"links"}}},
		"none of a set":     {nil, row{400, []string{"url"}}},
	} {
		c.check(t, name, readForm(new(order), c.fields...))
	}
}

func TestWhatAFormHolds(t *testing.T) {
	t.Parallel()
	var o order
	require.NoError(t, readForm(&o, "links", "b", "page", "-3", "times", "false", "links", "a", "waitMs", "9999", "ids", strings.ToUpper(id)))
	assert.Equal(t, order{format: transcript.JSON, bare: true, wait: 9999 * time.Millisecond, page: -3, links: []string{"b", "a"}, ids: []string{id}}, o)
}

// A file is described by the table and read by whoever reads the form. A fault of
// the line is no fault of the request.
func TestFormBesideItsFields(t *testing.T) {
	t.Parallel()
	var page int
	table := request.Table{Fields: []*request.Field{request.File("file"), request.New("page", &page, request.Integer(0, 1))}}
	assert.NoError(t, table.NewForm().Read(), "that there is a file is for others to see")
	assert.ErrorIs(t, table.NewForm().Add("page", broken{}), errBroken)
	assert.NoError(t, table.NewForm().Add("page", strings.NewReader("1")))
	row{400, []string{"file"}}.check(t, "a file in JSON", table.ReadJSON([]byte(`{"file":"x"}`)))
	err := table.ReadQuery("page=99999999999999999999")
	assert.ErrorContains(t, err, "page must be from 0 to 1", "it is a whole number")
	row{400, []string{"file"}}.check(t, "a file in a query", table.ReadQuery("file=x"))
}

// What has come is judged before the rest is there, as often as one likes.
func TestFormIsCheckedOnTheWay(t *testing.T) {
	t.Parallel()
	var o order
	form := o.table().NewForm()
	require.NoError(t, form.Check(), "the url may still come")
	require.NoError(t, form.Add("language", strings.NewReader("de,en")))
	require.NoError(t, form.Check())
	require.NoError(t, form.Add("page", strings.NewReader("soon")))
	require.NoError(t, form.Add("waitMs", strings.NewReader("-1")))
	row{422, []string{"waitMs", "page"}}.check(t, "two faults", form.Check())
	row{422, []string{"waitMs", "page"}}.check(t, "the same again", form.Check())
}

// After a field that can never become right, what follows is not read.
func TestFormIsNotReadOn(t *testing.T) {
	t.Parallel()
	long := strings.NewReader(strings.Repeat("a", 1<<20))
	for name, c := range map[string]struct {
		before []string
		field  string
		value  io.Reader
		says   string
	}{
		"an unknown field":  {nil, "lang", broken{}, "lang is not a field of this form"},
		"a second one":      {[]string{"page", "1"}, "page", strings.NewReader("1"), "page is there more than once"},
		"an entry too many": {[]string{"links", "a", "links", "a", "links", "a", "links", "a"}, "links", strings.NewReader("a"), "links must have no more than 4 entries"},
		"a very long field": {nil, "language", long, "language is longer than 8192 bytes"},
	} {
		form := new(order).table().NewForm()
		for i := 0; i < len(c.before); i += 2 {
			require.NoError(t, form.Add(c.before[i], strings.NewReader(c.before[i+1])), name)
		}
		assert.ErrorContains(t, form.Add(c.field, c.value), c.says, name)
	}
	assert.Greater(t, long.Len(), 1<<20-10_000, "most of it has not been read")
}
