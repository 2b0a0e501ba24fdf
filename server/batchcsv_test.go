package server_test

import (
	"encoding/csv"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestLinksOfCSV(t *testing.T) {
	t.Parallel()
	const a, b = "https://video.example/watch?v=aaaaaaaaaaa", "bbbbbbbbbbb"
	for name, body := range map[string]string{
		"plain":                  "url\n" + a + "\n" + b + "\n",
		"no last line end":       "url\n" + a + "\n" + b,
		"CRLF":                   "url\r\n" + a + "\r\n" + b + "\r\n",
		"a mark first":           "\ufeffurl\r\n" + a + "\r\n" + b + "\r\n",
		"a mark and quotes":      "\ufeff\"url\"\n\"" + a + "\"\n" + b + "\n",
		"other columns":          "title,url,note\nOne," + a + ",\n\"Two, \"\"or\"\" more\"," + b + ",x\n",
		"lines within quotes":    "title,url\n\"One\r\nand more\n\n\"," + a + "\n\"\nTwo\"," + b + "\n",
		"a link over two lines":  "url\n\"" + a + "\n\"\n\"\n" + b + "\"\n",
		"empty lines":            "\n\nurl\n\n\n" + a + "\n\r\n" + b + "\n\n\n",
		"rows of nothing":        "url,title\n,\n" + a + ",One\n , \n" + b + ",\n,\n",
		"blanks around":          " url ,title\n " + a + " ,One\n\t" + b + "\t,Two\n",
		"as a program writes it": "Title,URL\nOne," + a + "\nTwo," + b + "\n",
		"other scripts":          "タイトル,url\n長い,https://video.example/watch?v=aaaaaaaaaaa\n🙂," + b + "\n",
		"an unnamed column":      ",url,\n1," + a + ",\n2," + b + ",\n",
	} {
		links, err := server.LinksOfCSV([]byte(body))
		require.NoError(t, err, name)
		assert.Equal(t, []string{a, b}, links, name)
	}
	links, err := server.LinksOfCSV([]byte("url\n\"" + strings.Repeat("ü", 2048) + "\"\n\ufffd\n"))
	require.NoError(t, err)
	assert.Equal(t, []string{strings.Repeat("ü", 2048), "\ufffd"}, links)
}

func TestCSVRefused(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]struct {
		line int
		says string
	}{
		"":                                     {1, "is missing"},
		"\ufeff":                               {1, "is missing"},
		"\n\n":                                 {1, "is missing"},
		"link\nhttps://video.example/":         {1, "no column url"},
		"url;title\nhttps://video.example/;x":  {1, "no column url"},
		"https://video.example/\n":             {1, "no column url"},
		"urls\nx\n":                            {1, "no column url"},
		"url,URL\nx,y\n":                       {1, "two columns url"},
		"url\nx\ny,z\n":                        {3, "has 2 cells"},
		"url,title\nx\n":                       {2, "has 1 cells"},
		"url,title\n\"x\ny\nz\",1\nx,y,z\n":    {5, "has 3 cells"},
		"url,title\nx,1\n,One\n":               {3, "has no url"},
		"url,title\n\"\n\n\",1\n":              {2, "has no url"},
		"url\n\"x\ny\n":                        {2, "quotes"},
		"url\nx\"y\n":                          {2, "quotes"},
		"\"url\nx\n":                           {1, "quotes"},
		"url\n\"x\"y\n":                        {2, "quotes"},
		"url\nx\ny\x00z\n":                     {3, "no text in UTF-8"},
		"url\nx\n\xff\n":                       {3, "no text in UTF-8"},
		"url,title\nx,\xe9t\xe9\n":             {2, "no text in UTF-8"},
		"\xff\xfeu\x00r\x00l\x00\n\x00":        {1, "no text in UTF-8"},
		"url\nx\x00\n\xff\n":                   {2, "no text in UTF-8"},
		"url\n" + strings.Repeat("x", 2049):    {2, "2049 characters"},
		"url\nx\n" + strings.Repeat("ü", 4000): {3, "4000 characters"},
		"url" + strings.Repeat(",", 16384):     {1, "more than 16384 cells"},
		"url\n\"x\ny\"" + strings.Repeat(`,"a,"""`, 16384): {3, "more than 16384 cells"},
	} {
		_, err := server.LinksOfCSV([]byte(body))
		var fault *transcript.Error
		require.ErrorAs(t, err, &fault, "%q", body)
		assert.Equal(t, transcript.CSVParseError, fault.Code, "%q", body)
		assert.Equal(t, want.line, fault.Details["line"], "%q: %s", body, fault.Message)
		assert.Contains(t, fault.Message, want.says, "%q", body)
		assert.Less(t, len(fault.Message), 300)
	}
	for _, body := range []string{"url\n", "url,title\n,\n", "url\n" + strings.Repeat("x\n", 5001)} {
		_, err := server.LinksOfCSV([]byte(body))
		require.ErrorIs(t, err, transcript.InvalidRequest)
	}
	wide := strings.Repeat(`,",,"`, 16383) + "\n"
	links, err := server.LinksOfCSV([]byte("url" + wide + "x" + wide + `y` + wide))
	require.NoError(t, err)
	assert.Equal(t, []string{"x", "y"}, links)
	links, err = server.LinksOfCSV([]byte("url\n" + strings.Repeat("x\n", 5000)))
	require.NoError(t, err)
	assert.Len(t, links, 5000)
}

func (s *service) postCSV(t testing.TB, query, body string, changes ...change) *answer {
	t.Helper()
	changes = append([]change{header("Content-Type", "text/csv; charset=utf-8")}, changes...)
	return s.do(t, http.MethodPost, "/v1/batch"+query, strings.NewReader(body), changes...)
}

func TestBatchOfACSV(t *testing.T) {
	t.Parallel()
	s := start(t)
	defer s.Engine.HoldCaptions()()
	key := header("Idempotency-Key", "a table")
	body := "\ufefftitle,url\r\nOne," + strings.Join(videos(0, 3), "\r\nMore,") + "\r\n"
	a := s.postCSV(t, "?language=de,asr&maxItems=2&unknown=1", body, key)
	require.Equal(t, http.StatusAccepted, a.StatusCode, "%s", a.body)
	id := a.object(t)["batch"].(map[string]any)["id"].(string)
	p := s.batchPage(t, id, "")
	assert.Equal(t, "de,asr", p.Batch.Lang)
	assert.Equal(t, batch.Links, p.Batch.Mode)
	require.Len(t, p.Items, 2)
	want := videos(0, 2)
	assert.Equal(t, want, []string{p.Items[0].ExternalID, p.Items[1].ExternalID})

	again := s.postCSV(t, "?language=de,asr&maxItems=2", body, key)
	assert.Equal(t, "true", again.Header.Get("Idempotency-Replayed"), again.body)
	assert.Equal(t, id, again.object(t)["batch"].(map[string]any)["id"])
	assert.Equal(t, http.StatusConflict, s.postCSV(t, "?language=de,asr", body, key).StatusCode)
}

func TestCSVRequestsRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	large := "url,note\n" + video + ",\"" + strings.Repeat("x", 8<<20) + "\"\n"
	for _, c := range []struct {
		query, body string
		status      int
		code        string
		paths       []string
	}{
		{"", "", 400, "CSV_PARSE_ERROR", nil},
		{"", "link\nx\n", 400, "CSV_PARSE_ERROR", nil},
		{"", large, 400, "INVALID_REQUEST", []string{"body"}},
		{"", "url\n", 422, "INVALID_REQUEST", []string{"url"}},
		{"", "url\n" + strings.Repeat("x\n", 5001), 422, "INVALID_REQUEST", []string{"url"}},
		{"", "url\nhello\n", 422, "INVALID_VIDEO", nil},
		{"", "url\n" + strings.Join(videos(0, 501), "\n"), 422, "BATCH_LIMIT_EXCEEDED", nil},
		{"?maxItems=0", "url\n" + video, 400, "INVALID_REQUEST", []string{"maxItems"}},
		{"?maxItems=501", "url\n" + video, 400, "INVALID_REQUEST", []string{"maxItems"}},
		{"?maxItems=", "url\n" + video, 400, "INVALID_REQUEST", []string{"maxItems"}},
		{"?maxItems=1&maxItems=1", "url\n" + video, 400, "INVALID_REQUEST", []string{"maxItems"}},
		{"?language=,", "url\n" + video, 400, "INVALID_REQUEST", []string{"language"}},
	} {
		a := s.postCSV(t, c.query, c.body)
		shown := c.query + " " + c.body[:min(len(c.body), 50)]
		require.Equal(t, c.status, a.StatusCode, "%s: %s", shown, a.body)
		assert.Equal(t, c.code, a.failure(t)["code"], shown)
		assert.Equal(t, c.paths, a.issuePaths(t), shown)
	}
	full := large[:8<<20-2] + "\"\n"
	assert.Equal(t, http.StatusAccepted, s.postCSV(t, "", full).StatusCode, "of exactly 8 MiB")
	assert.Len(t, s.batches(t, ""), 1)
}

// A table is read as UTF-8, so one that its sender declares in another character set is
// refused for its type, before anything else of the request is judged.
func TestCSVInAnotherCharset(t *testing.T) {
	t.Parallel()
	s := start(t)
	defer s.Engine.HoldCaptions()()
	send := func(contentType, body string, changes ...change) *answer {
		as := func(r *http.Request) { r.Header["Content-Type"] = []string{contentType} }
		return s.do(t, http.MethodPost, "/v1/batch", strings.NewReader(body), append(changes, as)...)
	}
	for _, charset := range []string{"iso-8859-1", "windows-1252", "utf-16", "UTF-16LE", "utf-7", "shift_jis", `""`, "utf-8x"} {
		a := send("text/csv; charset="+charset, "url\n"+video, header("Idempotency-Key", "\u00fc"))
		require.Equal(t, http.StatusUnsupportedMediaType, a.StatusCode, "%s: %s", charset, a.body)
		assert.Equal(t, "unsupported_media_type", a.slug(t))
		assert.Contains(t, a.object(t)["message"], "in UTF-8")
	}
	for _, contentType := range []string{"text/csv", "text/csv; header=present", "text/csv; charset=utf-8", `TEXT/CSV; Charset="UTF-8"`, "text/csv;charset=US-ASCII", "text/csv; charset=utf8"} {
		a := send(contentType, "url\n"+video)
		assert.Equal(t, http.StatusAccepted, a.StatusCode, "%s: %s", contentType, a.body)
	}
	assert.Equal(t, "CSV_PARSE_ERROR", send("text/csv; charset=iso-8859-1", "").failure(t)["code"], "no body has no character set")
}

// Whatever the table is, it is read or refused with a line that it has; and what is
// read is what another reader of tables finds in the column.
func FuzzLinksOfCSV(f *testing.F) {
	for _, body := range []string{
		"", "url\nx\n", "\ufeffa,url\r\n\"b\r\nc\",x\r\n", "url\n\"x", "url,a\n,\nx,1\n", "url,url\n", "url\n\x00", "url\n\xff", "a,URL \n1, x \n", "url\nx\ry\n", "url\n\r\n\"\"\n",
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		links, err := server.LinksOfCSV(body)
		var fault *transcript.Error
		if errors.As(err, &fault) {
			if fault.Code == transcript.CSVParseError {
				line := fault.Details["line"].(int)
				assert.GreaterOrEqual(t, line, 1)
				assert.LessOrEqual(t, line, strings.Count(string(body), "\n")+1)
			} else {
				assert.Equal(t, transcript.InvalidRequest, fault.Code)
			}
			return
		}
		require.NoError(t, err)
		assert.LessOrEqual(t, len(links), 5000)
		cells := map[string]bool{}
		rows := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(body), "\ufeff")))
		for row, err := rows.Read(); !errors.Is(err, io.EOF); row, err = rows.Read() {
			require.NoError(t, err)
			for _, cell := range row {
				cells[strings.TrimSpace(cell)] = true
			}
		}
		for _, link := range links {
			assert.True(t, cells[link], link)
			assert.NotEmpty(t, link)
			assert.LessOrEqual(t, utf8.RuneCountInString(link), 2048)
		}
	})
}
