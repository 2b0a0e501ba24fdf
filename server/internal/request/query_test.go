package request_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/server/internal/request"
)

func TestQuery(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]row{
		"url=x":                              {},
		"url=x&other=1&other=2":              {}, // unknown ones are ignored
		"url=x&URL=y":                        {},
		"url=" + url.QueryEscape("語 & =/?#"): {},
		"url=x&page=%2B1":                    {},
		"url=x&page=1&loud=true":             {},
		"links=a&links=b&url1=x":             {},
		"":                                   {400, []string{"url"}},
		"%zz":                                {400, []string{"query"}},
		"url=x&%zz":                          {400, []string{"query"}},
		"url=x&page=%zz":                     {400, []string{"query"}},
		"url=x;page=1":                       {400, []string{"query"}},
		"url=x&url=x":                        {400, []string{"url"}},
		"url=x&page=x&page=y":                {400, []string{"page"}},
		"url=%ff":                            {400, []string{"url"}},
		"url=":                               {400, []string{"url"}},
		"url=x&page=1e1":                     {400, []string{"page"}},
		"url=x&page=1001&format=srt":         {400, []string{"format", "page"}},
		"url=x&loud=1":                       {400, []string{"loud"}},
		"url=x&loud=":                        {400, []string{"loud"}},
		"links=a&links=":                     {400, []string{"links.1"}},
		"links=1&links=2&links=3&links=4&links=5":  {400, []string{"links"}},
		"ids=" + id + "&ids=" + otherID + "&url=x": {},
		"ids=" + id + "&ids=x&url=x":               {400, []string{"ids.1"}},
		"platform=upload":                          {},
		"id=x&url=y":                               {400, []string{"url"}},
	} {
		want.check(t, query, new(order).table().ReadQuery(query))
	}
}

func TestRequired(t *testing.T) {
	t.Parallel()
	var words string
	var most int
	table := func() request.Table {
		return request.Table{Fields: []*request.Field{
			request.New("q", &words, request.Text(0, 0)).Required(),
			request.New("maxResults", &most, request.Integer(1, 50).Default(20)),
		}}
	}
	for query, want := range map[string]row{
		"q=":                             {}, // the handler's own affair
		"q=" + strings.Repeat("x", 5000): {},
		"maxResults=1":                   {400, []string{"q"}},
		"maxResults=0":                   {400, []string{"q", "maxResults"}},
		"q=a&q=b":                        {400, []string{"q"}},
	} {
		want.check(t, query, table().ReadQuery(query))
	}
	row{400, []string{"q"}}.check(t, "in JSON", table().ReadJSON([]byte(`{"maxResults":1}`)))
	row{400, []string{"body"}}.check(t, "in no JSON", table().ReadJSON([]byte(`{"maxResults":1`)))
}

func TestHeader(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		values []string
		row
	}{
		"none":          {nil, row{}},
		"one":           {[]string{"~ a!"}, row{}},
		"two":           {[]string{"a", "b"}, row{400, []string{"A-Key"}}},
		"empty":         {[]string{""}, row{400, []string{"A-Key"}}},
		"longer":        {[]string{"aaaaaa"}, row{400, []string{"A-Key"}}},
		"not printable": {[]string{"a\x7f"}, row{400, []string{"A-Key"}}},
		"not UTF-8":     {[]string{"\xff"}, row{400, []string{"A-Key"}}},
	} {
		var key string
		table := request.Table{Fields: []*request.Field{request.New("A-Key", &key, request.Printable(5))}}
		c.check(t, name, table.ReadHeader(http.Header{"A-Key": c.values, "Other": {"\xff"}}))
		if c.status == 0 && c.values != nil {
			assert.Equal(t, c.values[0], key)
		}
	}
}

func TestPath(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		id: id, strings.ToUpper(id): id, "": "", "x": "", id + "x": "", id[1:]: "", "{" + id + "}": "", "\xff" + id[1:]: "",
	} {
		var read string
		table := request.Table{Fields: []*request.Field{request.New("id", &read, request.UUID()).Required()}}
		ok := table.ReadPath(func(name string) string {
			assert.Equal(t, "id", name)
			return value
		})
		assert.Equal(t, want != "", ok, value)
		assert.Equal(t, want, read, value)
	}
}
