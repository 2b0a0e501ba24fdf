package request_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	id      = "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11"
	otherID = "019321a0-7c11-7c3e-9a55-2f6d1f0c9b12"
)

func TestReadJSON(t *testing.T) {
	t.Parallel()
	const link = `"url":"x"`
	deep := strings.Repeat("[", 20_000)
	for name, c := range map[string]struct {
		body string
		row
	}{
		"a link":       {`{` + link + `}`, row{}},
		"white space":  {" \r\n{" + link + "}\n\t ", row{}},
		"and within":   {"{ \"url\"\t:\n\"x\" ,\r\"loud\" : true , \"page\" : 1 }", row{}},
		"nothing":      {``, row{400, []string{"body"}}},
		"white only":   {" \n", row{400, []string{"body"}}},
		"not JSON":     {`url=x`, row{400, []string{"body"}}},
		"an array":     {`[{` + link + `}]`, row{400, []string{"body"}}},
		"null":         {`null`, row{400, []string{"body"}}},
		"cut off":      {`{` + link, row{400, []string{"body"}}},
		"in a name":    {`{"ur`, row{400, []string{"body"}}},
		"not closed":   {`{` + link + `,`, row{400, []string{"body"}}},
		"no colon":     {`{"url" "x"}`, row{400, []string{"body"}}},
		"no comma":     {`{` + link + ` "page":1}`, row{400, []string{"body"}}},
		"two commas":   {`{` + link + `,,"page":1}`, row{400, []string{"body"}}},
		"one at last":  {`{` + link + `,}`, row{400, []string{"body"}}},
		"one alone":    {`{,}`, row{400, []string{"body"}}},
		"no value":     {`{"url":}`, row{400, []string{"body"}}},
		"two values":   {`{"url":"x" "y"}`, row{400, []string{"body"}}},
		"no name":      {`{:"x"}`, row{400, []string{"body"}}},
		"two names":    {`{"ur" "l":"x"}`, row{400, []string{"body"}}},
		"no quotes":    {`{url:"x"}`, row{400, []string{"body"}}},
		"a null name":  {`{null:"x"}`, row{400, []string{"body"}}},
		"a bracket":    {`{` + link + `]`, row{400, []string{"body"}}},
		"one too many": {`{` + link + `}}`, row{400, []string{"body"}}},
		"crossed":      {`{"links":["a"}]`, row{400, []string{"body"}}},
		"a raw line":   {"{\"url\":\"x\n\"}", row{400, []string{"body"}}},
		"an escape":    {`{"url":"\x"}`, row{400, []string{"body"}}},
		"two objects":  {`{` + link + `}{}`, row{400, []string{"body"}}},
		"more":         {`{` + link + `} x`, row{400, []string{"body"}}},
		"a mark first": {"\ufeff{" + link + "}", row{400, []string{"body"}}},
		"very deep":    {`{"url":` + deep, row{400, []string{"body"}}},

		"quoted signs":      {`{"url":"\\\",]}[{:" , "links\u003a" : [{"]":"}"},"["]}`, row{400, []string{"links:"}}},
		"not UTF-8":         {"{\"url\":\"x\xff\"}", row{400, []string{"body"}}},
		"a name of it":      {"{\"url\xc3\":1}", row{400, []string{"body"}}},
		"half a surrogate":  {"{\"url\":\"\xed\xa0\x80\"}", row{400, []string{"body"}}},
		"an unknown name":   {`{` + link + `,"lang":"en"}`, row{400, []string{"lang"}}},
		"another case":      {`{"URL":"x"}`, row{400, []string{"URL"}}},
		"twice":             {`{` + link + `,"page":1,"page":1}`, row{400, []string{"page"}}},
		"twice, escaped":    {`{` + link + `,"page":1,"\u0070age":1}`, row{400, []string{"page"}}},
		"thrice":            {`{` + link + `,"page":1,"page":1,"page":2}`, row{400, []string{"page", "page"}}},
		"a part of a name":  {`{"":1}`, row{400, []string{""}}},
		"null for a string": {`{"url":null}`, row{400, []string{"url"}}},
		"null for a number": {`{` + link + `,"page":null}`, row{400, []string{"page"}}},
		"null for a flag":   {`{` + link + `,"loud":null}`, row{400, []string{"loud"}}},
		"null for a list":   {`{"links":null}`, row{400, []string{"links"}}},
		"a number for text": {`{"url":1}`, row{400, []string{"url"}}},
		"text for a number": {`{` + link + `,"page":"1"}`, row{400, []string{"page"}}},
		"text for a flag":   {`{` + link + `,"loud":"true"}`, row{400, []string{"loud"}}},
		"a number for it":   {`{` + link + `,"times":1}`, row{400, []string{"times"}}},
		"an object for one": {`{` + link + `,"format":{}}`, row{400, []string{"format"}}},
		"text for a list":   {`{"links":"x"}`, row{400, []string{"links"}}},

		"an empty text":     {`{"url":""}`, row{422, []string{"url"}}},
		"the longest":       {`{"url":"` + strings.Repeat("語", 20) + `"}`, row{}},
		"longer":            {`{"url":"` + strings.Repeat("語", 21) + `"}`, row{422, []string{"url"}}},
		"not printable":     {`{"platform":"video_site","id":"a\tb"}`, row{422, []string{"id"}}},
		"not ASCII":         {`{"platform":"video_site","id":"ü"}`, row{422, []string{"id"}}},
		"not in the list":   {`{"platform":"Video_site","id":"x"}`, row{422, []string{"platform"}}},
		"of its type only":  {`{"platform":"microblog_site","id":"x"}`, row{422, []string{"platform"}}},
		"an empty value":    {`{` + link + `,"format":""}`, row{422, []string{"format"}}},
		"an empty language": {`{` + link + `,"language":"en,,de"}`, row{422, []string{"language"}}},
		"below":             {`{` + link + `,"page":-4}`, row{422, []string{"page"}}},
		"beyond":            {`{` + link + `,"waitMs":10001}`, row{422, []string{"waitMs"}}},

		"a list":          {`{"links":["a","b","c","d"],"ids":["` + id + `"]}`, row{}},
		"an empty list":   {`{"links":[]}`, row{422, []string{"links"}}},
		"too many":        {`{"links":["a","b","c","d",""]}`, row{422, []string{"links"}}},
		"a long entry":    {`{"links":["a","bbbbbbbbbbb"]}`, row{422, []string{"links.1"}}},
		"a null entry":    {`{"links":["a",null]}`, row{400, []string{"links.1"}}},
		"a number in it":  {`{"links":[1,"","c",2]}`, row{400, []string{"links.0", "links.3", "links.1"}}},
		"a list in it":    {`{"links":[["a"]]}`, row{400, []string{"links.0"}}},
		"not a UUID":      {`{` + link + `,"ids":["` + id + `","` + id[1:] + `"]}`, row{422, []string{"ids.1"}}},
		"in braces":       {`{` + link + `,"ids":["{` + id + `}"]}`, row{422, []string{"ids.0"}}},
		"as one word":     {`{` + link + `,"ids":["` + strings.ReplaceAll(id, "-", "") + `"]}`, row{422, []string{"ids.0"}}},
		"with a prefix":   {`{` + link + `,"ids":["urn:uuid:` + id + `"]}`, row{422, []string{"ids.0"}}},
		"several faults":  {`{` + link + `,"format":"srt","waitMs":-1}`, row{422, []string{"format", "waitMs"}}},
		"of two sorts":    {`{` + link + `,"format":"srt","lang":"en"}`, row{400, []string{"lang", "format"}}},
		"and cut off":     {`{"lang":1,"page":"x"`, row{400, []string{"lang", "page", "body"}}},
		"none of a set":   {`{}`, row{400, []string{"url"}}},
		"two sets":        {`{` + link + `,"platform":"video_site","id":"x"}`, row{400, []string{"url"}}},
		"one and a half":  {`{"links":["a"],"id":"x"}`, row{400, []string{"platform"}}},
		"half a set":      {`{"platform":"video_site"}`, row{400, []string{"id"}}},
		"the other half":  {`{"id":"x"}`, row{400, []string{"platform"}}},
		"half is enough":  {`{"platform":"upload"}`, row{}},
		"wrong, not gone": {`{"platform":1}`, row{400, []string{"platform"}}},
	} {
		c.check(t, name, new(order).table().ReadJSON([]byte(c.body)))
	}
}

func TestWhatIsRead(t *testing.T) {
	t.Parallel()
	var o order
	body := `{"page":2e1,"ids":["` + strings.ToUpper(id) + `"],"links":["a","b"],"language":"DE, asr","format":"text","times":false,"loud":true,"waitMs":0}`
	require.NoError(t, o.table().ReadJSON([]byte(body)))
	assert.Equal(t, order{
		languages: transcript.LanguageList{{Tag: "de"}, {ASR: true}}, format: transcript.Text, bare: true, loud: true,
		page: 20, links: []string{"a", "b"}, ids: []string{id},
	}, o)
	o = order{page: 7, loud: true}
	require.NoError(t, o.table().ReadJSON([]byte(`{"url":"x"}`)))
	assert.Equal(t, order{url: "x", format: transcript.JSON, wait: 2 * time.Second, page: 7}, o,
		"defaults are set, and what has none is left alone")
	require.NoError(t, request.Table{}.ReadJSON([]byte(`{}`)))
}

// A whole number out of bounds does not fit, however large it is; what is not a
// whole number cannot be read.
func TestWholeNumbers(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]any{
		"0": 0, "-0": 0, "1e3": 1000, "1000.0": 1000, "10e-1": 1, "-3": -3, "-0.0e-5": 0, "1500E-2": 15, "0.010e+2": 1,
		"1001": 422, "-4": 422, "9007199254740993": 422, "9223372036854775807": 422, "9223372036854775808": 422,
		"-9223372036854775809": 422, "1e308": 422, "1e400": 422, "-1e400": 422,
		"1.5": 400, "1e-1": 400, "1e-999": 400, "1.00000000000000000000001": 400, "150e-2": 400, `"1"`: 400, "null": 400, "true": 400, "[1]": 400, "{}": 400,
	} {
		var o order
		err := o.table().ReadJSON([]byte(`{"url":"x","page":` + value + `}`))
		if status, isStatus := want.(int); isStatus && status >= 400 && status < 500 {
			row{status, []string{"page"}}.check(t, value, err)
			continue
		}
		assert.NoError(t, err, value)
		assert.Equal(t, want, o.page, value)
	}
}

func TestIssuesAreBounded(t *testing.T) {
	t.Parallel()
	var many, wrong strings.Builder
	for i := range 70_000 {
		fmt.Fprintf(&many, `,"n%06d":1`, i)
	}
	for range 30 {
		wrong.WriteString(`,"x"`)
	}
	long := strings.Repeat("n", 101)
	for name, c := range map[string]struct {
		body   string
		status int
		issues int
	}{
		"unknown names":     {"{" + many.String()[1:] + "}", 400, 20},
		"and a broken end":  {"{" + many.String()[1:], 400, 20},
		"entries of a list": {`{"url":"x","ids":[` + wrong.String()[1:] + `]}`, 422, 20},
		"a long name":       {`{"` + long + `":1,"url":"x"}`, 400, 1},
	} {
		err := new(order).table().ReadJSON([]byte(c.body))
		status, paths, _ := refused(t, err)
		assert.Equal(t, c.status, status, name)
		assert.Len(t, paths, c.issues, name)
		assert.Less(t, len(err.Error()), 300, name)
	}
	_, paths, _ := refused(t, new(order).table().ReadJSON([]byte(`{"`+long+`":1}`)))
	assert.Equal(t, []string{long[1:] + "…"}, paths)
}

// The messages tell what to send instead.
func TestMessages(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		``:                                    "body is missing: send a JSON object",
		`{}`:                                  `url is missing: send "url", or "platform" with "id", or "links"`,
		`{"url":"x","id":"y"}`:                `url must not be sent together with "platform" or "id"`,
		`{"platform":"upload","links":["a"]}`: `platform must not be sent together with "links"`,
		`{"id":"x"}`:                          `platform is required together with "id"`,
		`{"url":"x","page":"1"}`:              "page must be a whole number",
		`{"url":"x","page":1001}`:             "page must be from -3 to 1000",
		`{"url":"x","loud":1}`:                "loud must be true or false",
		`{"url":1}`:                           "url must be a string",
		`{"url":""}`:                          "url must have 1 to 20 characters, not 0",
		`{"links":1}`:                         "links must be an array",
		`{"links":[]}`:                        "links must have 1 to 4 entries, not 0",
		`{"links":["1","2","3","4","5"]}`:     "links must have 1 to 4 entries, not more",
		`{"url":"x","ids":["y"]}`:             "ids.0 must be a UUID",
		`{"platform":"x","id":"y"}`:           `platform must be one of "video_site", "photo_site"`,
		`{"platform":"video_site","id":"ü"}`:  "id must be 1 to 5 printable ASCII characters",
		`{"lang":1}`:                          "lang is not a property of this request",
		`{"url":"x","url":"x"}`:               "url is there more than once",
		`{"":1}`:                              `"" is not a property of this request`,
		`{"a\nb":1}`:                          `"a\nb" is not a property of this request`,
		`{"is fine. Send":1}`:                 `"is fine. Send" is not a property of this request`,
	} {
		err := new(order).table().ReadJSON([]byte(body))
		require.Error(t, err, body)
		assert.Contains(t, err.Error(), "The request is not valid: "+want+".", body)
	}
}

// The bound of a language list stands in the document, and in package transcript.
func TestLongestLanguageList(t *testing.T) {
	t.Parallel()
	var o order
	read := func(n int) error {
		return o.table().ReadJSON([]byte(`{"url":"x","language":"en` + strings.Repeat(" ", n-2) + `"}`))
	}
	longest := o.table().Schema()["properties"].(request.Schema)["language"].(request.Schema)["maxLength"].(int)
	assert.NoError(t, read(longest))
	row{422, []string{"language"}}.check(t, "longer", read(longest+1))
}
