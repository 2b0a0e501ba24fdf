package format_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

func TestGoldenMarkdown(t *testing.T) {
	t.Parallel()
	tr := sample()
	tr.Title, tr.SourceURL = ptr("On *engines*\nand [more]"), ptr("https://example.com/watch?v=a_b&t=1 <>")
	tr.CreatorName, tr.PublishedAt = ptr("A_da"), ptr(transcript.At(time.Date(2026, 11, 20, 23, 0, 0, 0, time.UTC)))
	golden(t, "timestamps.md", format.AppendMarkdown(nil, tr, true))
	golden(t, "plain.md", format.AppendMarkdown(nil, tr, false))
}

func TestMarkdownHead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		t    transcript.Transcript
		want string
	}{
		"nothing known":         {transcript.Transcript{}, "# Transcript\n"},
		"a title":               {transcript.Transcript{Title: ptr("A # B #")}, "# A \\# B \\#\n"},
		"an empty title":        {transcript.Transcript{Title: ptr(" \n")}, "# Transcript\n"},
		"a title of lines":      {transcript.Transcript{Title: ptr("A\n# B")}, "# A \\# B\n"},
		"a link":                {transcript.Transcript{SourceURL: ptr("http://a.example/?b=c&d=_e_")}, "# Transcript\n\n<http://a.example/?b=c&d=_e_>\n"},
		"a link, escaped":       {transcript.Transcript{SourceURL: ptr("https://a.example/> <b>\n-->")}, "# Transcript\n\n<https://a.example/%3E%20%3Cb%3E%0A--%3E>\n"},
		"no link of a file":     {transcript.Transcript{SourceURL: ptr("file:///etc/passwd")}, "# Transcript\n"},
		"no script":             {transcript.Transcript{SourceURL: ptr("javascript:alert(1)")}, "# Transcript\n"},
		"facts":                 {transcript.Transcript{CreatorName: ptr("Ada"), Channel: ptr("Engines"), DurationSec: ptr(3723), Lang: "en-GB", Source: transcript.OriginASR}, "# Transcript\n\nAda · 1:02:03 · en-GB · asr\n"},
		"a channel":             {transcript.Transcript{Channel: ptr("Engines"), CreatorHandle: ptr("@engines")}, "# Transcript\n\nEngines\n"},
		"a handle":              {transcript.Transcript{CreatorHandle: ptr("@engines")}, "# Transcript\n\n@engines\n"},
		"a name like a list":    {transcript.Transcript{CreatorName: ptr("- 1. April"), Lang: "de"}, "# Transcript\n\n\\- 1. April · de\n"},
		"a name like a number":  {transcript.Transcript{CreatorName: ptr("1. April"), Lang: "de"}, "# Transcript\n\n1\\. April · de\n"},
		"a link of other bytes": {transcript.Transcript{SourceURL: ptr("https://a.example/é\u2028\xff")}, "# Transcript\n\n<https://a.example/%C3%A9%E2%80%A8%FF>\n"},
		"an origin":             {transcript.Transcript{Source: transcript.OriginDownloader}, "# Transcript\n\nvideo\\_site\\_downloader\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, string(format.AppendMarkdown(nil, &test.t, true)))
		})
	}
}

func TestMarkdownText(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"plain":                   {"Is it 5.5 - or (so)? Yes!", "Is it 5.5 - or (so)? Yes!"},
		"emphasis":                {"*a* _b_ ~c~", `\*a\* \_b\_ \~c\~`},
		"code":                    {"`a`", "\\`a\\`"},
		"a link":                  {"[a](b)", `\[a\](b)`},
		"an image":                {"![a](b)", `!\[a\](b)`},
		"html":                    {"<b> <!-- a -->", `\<b\> \<!-- a --\>`},
		"a reference":             {"&lt;", `\&lt;`},
		"a backslash":             {`a\b`, `a\\b`},
		"a table":                 {"a | b", `a \| b`},
		"a formula":               {"$a$", `\$a\$`},
		"a heading":               {"# a", `\# a`},
		"a quotation":             {"> a", `\> a`},
		"a list":                  {"- a", `\- a`},
		"a list with plus":        {"+ a", `\+ a`},
		"a list with star":        {"* a", `\* a`},
		"a rule":                  {"---", `\---`},
		"an underline":            {"===", `\===`},
		"a number":                {"1. a", `1\. a`},
		"a number in ()":          {"12) a", `12\) a`},
		"only a number":           {"12", "12"},
		"lines":                   {"a\n- b\n\n    c", "a - b c"},
		"NUL":                     {"a\x00", "a\ufffd"},
		"an escape of a terminal": {"a\x1b[2Jb\u009bc\x7f", "a\ufffd\\[2Jb\ufffdc\ufffd"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := &transcript.Transcript{Segments: []transcript.Segment{seg(0, 1, test.text)}}
			assert.Equal(t, "# Transcript\n\n"+test.want+"\n", string(format.AppendMarkdown(nil, tr, false)))
		})
	}
}

func TestMarkdownParagraphs(t *testing.T) {
	t.Parallel()
	ada := func(s transcript.Segment) transcript.Segment { s.Speaker = "Ada *"; return s }
	for name, test := range map[string]struct {
		segs         []transcript.Segment
		timed, plain string
	}{
		"close":              {[]transcript.Segment{seg(0, 1, "a"), seg(2.999, 4, "- b")}, "[00:00:00] a - b", "a - b"},
		"two seconds":        {[]transcript.Segment{seg(0, 1.1, "a"), seg(3.1, 4, "- b")}, "[00:00:00] a\n\n[00:00:03] - b", "a\n\n\\- b"},
		"under a long one":   {[]transcript.Segment{seg(0, 9, "a"), seg(1, 2, "b"), seg(10, 11, "c")}, "[00:00:00] a b c", "a b c"},
		"wordless":           {[]transcript.Segment{seg(0, 1, "a"), seg(1, 3, " "), seg(3, 4, "b")}, "[00:00:00] a\n\n[00:00:03] b", "a\n\nb"},
		"a speaker":          {[]transcript.Segment{ada(seg(0, 1, "a")), ada(seg(1, 2, "b"))}, `[00:00:00] **Ada \*:** a b`, `**Ada \*:** a b`},
		"the speaker ends":   {[]transcript.Segment{ada(seg(0, 1, "a")), seg(1, 2, "1. b")}, "[00:00:00] **Ada \\*:** a\n\n[00:00:01] 1. b", "**Ada \\*:** a\n\n1\\. b"},
		"the speaker begins": {[]transcript.Segment{seg(3600, 3601, "a"), ada(seg(3601, 3602, "- b"))}, "[01:00:00] a\n\n[01:00:01] **Ada \\*:** - b", "a\n\n**Ada \\*:** - b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := &transcript.Transcript{Segments: test.segs}
			assert.Equal(t, "# Transcript\n\n"+test.timed+"\n", string(format.AppendMarkdown(nil, tr, true)))
			assert.Equal(t, "x# Transcript\n\n"+test.plain+"\n", string(format.AppendMarkdown([]byte("x"), tr, false)))
		})
	}
}

// TestMarkdownKeepsWords: without the backslashes the words are there, in order.
func TestMarkdownKeepsWords(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		segs := anySegments().Draw(t, "segments")
		for i := range segs {
			segs[i].Speaker, segs[i].Text = "", strings.ReplaceAll(segs[i].Text, `\`, "")
		}
		md := string(format.AppendMarkdown(nil, &transcript.Transcript{Segments: segs}, false))
		text := strings.ReplaceAll(strings.TrimPrefix(md, "# Transcript\n"), `\`, "")
		assert.Equal(t, joined(segs), joined([]transcript.Segment{{Text: text}}))
		assert.NotContains(t, md, "-->")
	})
}
