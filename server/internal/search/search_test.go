package search_test

import (
	"fmt"
	"html"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/search"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// said are segments of four seconds, one after the other.
func said(texts ...string) []transcript.Segment {
	segments := make([]transcript.Segment, len(texts))
	for i, text := range texts {
		segments[i] = transcript.Segment{Text: text, Start: float64(i) * 4, Duration: 4}
	}
	return segments
}

// find looks for the query in a text by its index, as the database does.
func find(q search.Query, segments []transcript.Segment) []int {
	return findIn(q, search.Blocks(segments))[0]
}

// findIn looks for the query in the texts of an index.
func findIn(q search.Query, blocks []search.Block) map[int][]int {
	lists := make([][]search.Posting, len(q.Terms()))
	for i, term := range q.Terms() {
		lists[i] = postings(term, blocks)
	}
	found := map[int][]int{}
	counter := q.Counter()
	for m := range q.Matches(lists) {
		m.Starts = postings(search.StartsFrom(m.Text, m.Text), blocks)
		if at := counter.Times(m, 1000); len(at) > 0 {
			found[m.Text] = at
		}
		if n := counter.Hits(m); n != len(found[m.Text]) || n > q.Bound(m) {
			panic(fmt.Sprint("hits ", n, " at ", found[m.Text], " bound ", q.Bound(m)))
		}
	}
	return found
}

// postings reads the postings of a term from the blocks that may hold the term.
func postings(term search.Term, blocks []search.Block) (all []search.Posting) {
	from := 0
	for i, b := range blocks {
		if b.First <= term.First() {
			from = i
		}
	}
	for i := range blocks[from:] {
		if b := &blocks[from+i]; b.First <= term.Last() {
			all = term.AppendPostings(all, b)
		}
	}
	return all
}

func TestSnippets(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 60)
	flags := strings.Repeat("🇩🇪", 100)
	for _, row := range []struct {
		q    string
		text []string
		want string
	}{
		{"needle", []string{"a needle in"}, "a <mark>needle</mark> in"},
		{"script", []string{`<script>alert("1 & 2")</script>`}, `&lt;<mark>script</mark>&gt;alert(&#34;1 &amp; 2&#34;)&lt;/<mark>script</mark>&gt;`},
		{"mark", []string{`<mark>x</mark>`}, `&lt;<mark>mark</mark>&gt;x&lt;/<mark>mark</mark>&gt;`},
		{"b", []string{"one", "a  b\n c", "two"}, "one a <mark>b</mark> c two"},
		{"b", []string{"none", "one", "a b", "two"}, "… one a <mark>b</mark> two"},
		{`"b c"`, []string{"a b", "c d"}, "a <mark>b c</mark> d"},
		{"caf*", []string{"Cafés, CAFÉ"}, "<mark>Cafés</mark>, <mark>CAFÉ</mark>"},
		{"x", []string{long, "x", long}, "… " + strings.Repeat("word ", 10) + "<mark>x</mark>" + strings.Repeat(" word", 21) + " …"},
		{"isik", []string{"İyi ışık var"}, "İyi <mark>ışık</mark> var"},
		{"oeuvre aesir", []string{"Œuvre de l’Æsir"}, "<mark>Œuvre</mark> de l’<mark>Æsir</mark>"},
		{"北京", []string{"我在北京大学"}, "我在<mark>北京</mark>大学"},
		{"שלום", []string{"אמר שָׁלוֹם לך"}, "אמר <mark>שָׁלוֹם</mark> לך"},
		{"x", []string{flags + "x" + flags}, "… " + strings.Repeat("🇩🇪", 50) + "<mark>x</mark>" + strings.Repeat("🇩🇪", 100) + ""},
	} {
		segments := said(row.text...)
		q := search.Parse(row.q)
		at := find(q, segments)
		require.NotEmpty(t, at, row.q)
		_, snippet, ok := q.Hit(segments, at[0])
		require.True(t, ok)
		if strings.HasPrefix(row.text[0], flags) {
			assert.Contains(t, snippet, "<mark>x</mark>")
			assert.NotRegexp(t, "^… 🇪", snippet, "cut between flags")
			continue
		}
		assert.Equal(t, row.want, snippet, row.q)
	}
	_, _, ok := search.Parse("x").Hit(said("x"), 4000)
	assert.False(t, ok, "there is no such segment any more")
}

// TestBlocks: a word is found in whichever block it is, of a text with very many.
func TestBlocks(t *testing.T) {
	t.Parallel()
	var words []string
	for a := 'a'; a <= 'z'; a++ {
		for b := 'a'; b <= 'z'; b++ {
			words = append(words, string([]rune{a, b}), strings.Repeat(string(a), 300))
		}
	}
	segments := said(words...)
	blocks := search.Blocks(segments)
	assert.Greater(t, len(blocks), 5)
	assert.Empty(t, blocks[0].First)
	for i, word := range words {
		if i%7 > 0 {
			continue
		}
		assert.Contains(t, find(search.Parse(word), segments), i*4000, word)
	}
	assert.Len(t, find(search.Parse("m*"), segments), 52)
	assert.Empty(t, find(search.Parse("missing"), segments))
	assert.Len(t, search.Blocks(nil), 1, "of a text without words too")
	for i := range blocks[1].Words { // damaged ones are read as far as they can be
		damaged := search.Block{Words: blocks[1].Words[:i], Places: blocks[1].Places[:len(blocks[1].Places)/2]}
		findIn(search.Parse("b*"), []search.Block{damaged})
	}
}

var marks = strings.NewReplacer("<mark>", "", "</mark>", "")

// Whatever is said and searched for, there is an answer; a segment that says a word of
// itself is found by it; and what is shown is harmless, bounded, and of the text.
func FuzzSearch(f *testing.F) {
	for _, q := range []string{"a", `"a b"*`, `"`, "*", `""`, "AND OR NOT NEAR(a b)", "title:a", `\'"--;`, "\x00", "é*", "مُحَمَّد", "北京", "🇩🇪", "<b>", strings.Repeat("x", 200)} {
		f.Add(q, "a b", "c <b>é</b> محمد 北京 🇩🇪")
	}
	f.Fuzz(func(t *testing.T, query, one, two string) {
		q := search.Parse(query)
		one, two = strings.ToValidUTF8(one, "?"), strings.ToValidUTF8(two, "?")
		segments := said(one, two, strings.ToValidUTF8(query, "?"))
		at := find(q, segments)
		assert.Equal(t, q.Empty(), len(q.Terms()) == 0)
		for _, ms := range at {
			segment, snippet, ok := q.Hit(segments, ms)
			require.True(t, ok)
			assert.InDelta(t, float64(ms)/1000, segment.Start, 0.0001)
			require.True(t, utf8.ValidString(snippet))
			plain := marks.Replace(snippet)
			assert.NotContains(t, plain, "<")
			assert.NotContains(t, plain, ">")
			assert.Equal(t, strings.Count(snippet, "<mark>"), strings.Count(snippet, "</mark>"))
			shown := html.UnescapeString(strings.TrimSuffix(strings.TrimPrefix(plain, "… "), " …"))
			assert.LessOrEqual(t, uniseg.GraphemeClusterCount(shown), search.SnippetLength)
			assert.LessOrEqual(t, len(shown), search.SnippetBytes)
		}
		for i, text := range []string{one, two} {
			for _, word := range search.Words(text) {
				assert.Contains(t, find(search.Parse(`"`+word+`"`), segments), i*4000, word)
			}
		}
	})
}

func TestQueries(t *testing.T) {
	t.Parallel()
	for _, q := range []string{"", " ", `"`, `""`, "*", "***", `"*"`, "?!", "\x00", "--", "«»", "\u200B", `"" * ""`} {
		assert.True(t, search.Parse(q).Empty(), q)
		assert.Empty(t, search.Parse(q).Terms(), q)
	}
	terms := search.Parse(`the Café “New York” micro* "san fran"* the`).Terms()
	assert.Equal(t, []search.Term{
		{Word: "micro", Prefix: true}, {Word: "cafe"}, {Word: "york"}, {Word: "fran", Prefix: true}, {Word: "the"}, {Word: "new"}, {Word: "san"},
	}, terms)
	assert.Regexp(t, `^x{128}$`, search.Parse(strings.Repeat("x", 200)).Terms()[0].Word)
}
