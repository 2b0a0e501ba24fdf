package bulk_test

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/api/bulk"
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
		links, err := bulk.LinksOfCSV([]byte(body))
		require.NoError(t, err, name)
		assert.Equal(t, []string{a, b}, links, name)
	}
	links, err := bulk.LinksOfCSV([]byte("url\n\"" + strings.Repeat("ü", 2048) + "\"\n\ufffd\n"))
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
		_, err := bulk.LinksOfCSV([]byte(body))
		var fault *transcript.Error
		require.ErrorAs(t, err, &fault, "%q", body)
		assert.Equal(t, transcript.CSVParseError, fault.Code, "%q", body)
		assert.Equal(t, want.line, fault.Details["line"], "%q: %s", body, fault.Message)
		assert.Contains(t, fault.Message, want.says, "%q", body)
		assert.Less(t, len(fault.Message), 300)
	}
	for _, body := range []string{"url\n", "url,title\n,\n", "url\n" + strings.Repeat("x\n", 5001)} {
		_, err := bulk.LinksOfCSV([]byte(body))
		require.ErrorIs(t, err, transcript.InvalidRequest)
	}
	wide := strings.Repeat(`,",,"`, 16383) + "\n"
	links, err := bulk.LinksOfCSV([]byte("url" + wide + "x" + wide + `y` + wide))
	require.NoError(t, err)
	assert.Equal(t, []string{"x", "y"}, links)
	links, err = bulk.LinksOfCSV([]byte("url\n" + strings.Repeat("x\n", 5000)))
	require.NoError(t, err)
	assert.Len(t, links, 5000)
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
		links, err := bulk.LinksOfCSV(body)
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
