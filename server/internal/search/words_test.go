package search_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/server/internal/search"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ text, want string }{
		{"Hello, World!", "hello world"},
		{"It's 5 o'clock: 3.14, 1,000 and x86-64", "it s 5 o clock 3 14 1 000 and x86 64"},
		{"l’homme l'homme foo_bar", "l homme l homme foo bar"},
		{"Straße STRASSE Ärger Å ﬁn", "strasse strasse arger a fin"},
		{"İstanbul ISTANBUL ılık", "istanbul istanbul ilik"},
		{"Œuvre œuf Ærø ǽ", "oeuvre oeuf aerø ae"},
		{"Ὀδυσσεύς ΟΔΥΣΣΕΥΣ", "οδυσσευσ οδυσσευσ"},
		{"مُحَمَّد محمد", "محمد محمد"},
		{"שָׁלוֹם שלום", "שלום שלום"},
		{"हिन्दी में", "हिनदी में"},
		{"北京大学 is", "北 京 大 学 is"},
		{"東京タワーへ行く", "東 京 タ ワ ー へ 行 く"},
		{"ｶﾞラス ガラス", "カ ラ ス カ ラ ス"},
		{"ภาษาไทย", "ภ า ษ า ไ ท ย"},
		{"ລາວ ខ្មែរ", "ລ າ ວ ខ ម ែ រ"},
		{"한국어 학교에서", "한국어 학교에서"},
		{"ＡＢＣ １２３ ½", "abc 123 1 2"},
		{"I ❤️ 👍🏽👨‍👩‍👧 🇩🇪 ♪ la ♪", "i ❤ 👍 👨 👩 👧 🇩 🇪 la"},
		{"co\u00ADop می\u200Cخواهم a\u200Bb", "coop میخواهم a b"},
		{"\x00a\x00b\uFFFD \t\r\n", "a b"},
		{"", ""}, {"?! -- «»", ""},
	} {
		want := strings.Fields(search.Fold(row.want))
		assert.Equal(t, want, append([]string{}, search.Words(row.text)...), row.text)
	}
	assert.Equal(t, "isik oeuvre aesir", search.Fold("ışık ŒUVRE Æsir"))
	long := strings.Repeat("ä", 1000)
	assert.Equal(t, []string{strings.Repeat("a", 128)}, search.Words(long), "a very long word is cut")
}

// Folding is done once, whoever does it again; and a text that is read character by
// character has the words of the whole.
func FuzzWords(f *testing.F) {
	for _, s := range []string{"Straße", "İI", "ǅ ŉ", "한국", "ｶﾞ", "ἀᾠ ﷺ", "a\u0301\u0327b", "🇩🇪🇩", "\xff\xc3(", "ϔ K Å ẞ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		folded := search.Fold(s)
		assert.Equal(t, folded, search.Fold(folded))
		assert.Equal(t, search.Words(s), search.Words(folded))
		if valid := strings.ToValidUTF8(s, ""); s == valid {
			var spans []string
			end := 0
			for _, span := range search.Spans(s) {
				spans = append(spans, span.Word)
				assert.LessOrEqual(t, span.From, span.To)
				assert.LessOrEqual(t, end, span.To)
				end = span.To
			}
			assert.Equal(t, search.Words(s), spans)
		}
	})
}
