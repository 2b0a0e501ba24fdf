package caption_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/htmlindex"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// oldText is what people wrote in an encoding, in a language.
type oldText struct {
	encoding, language string
	lines              []string
}

func oldTexts() []oldText {
	return []oldText{
		{"windows-1251", "ru", []string{"Привет, как дела?", "Я не знаю, что сказать.", "Мы должны идти домой сейчас.", "Почему ты мне не позвонил вчера?"}},
		{"koi8-r", "ru", []string{"Привет, как дела?", "Я не знаю, что сказать.", "Мы должны идти домой сейчас.", "Почему ты мне не позвонил вчера?"}},
		{"windows-1251", "uk", []string{"Привіт, як справи?", "Я не знаю, що сказати.", "Ми повинні йти додому.", "Чому ти мені не подзвонив?"}},
		{"windows-1251", "bg", []string{"Здравей, как си?", "Не знам какво да кажа.", "Трябва да си тръгваме.", "Защо не ми се обади снощи?"}},
		{"windows-1250", "pl", []string{"Cześć, jak się masz?", "Nie wiem, co powiedzieć.", "Musimy już iść do domu.", "Dlaczego nie zadzwoniłeś?"}},
		{"windows-1250", "cs", []string{"Ahoj, jak se máš?", "Nevím, co říct.", "Musíme už jít domů.", "Proč jsi mi včera nezavolal?"}},
		{"windows-1250", "hu", []string{"Nem tudom, mit mondjak.", "Haza kell mennünk.", "Miért nem hívtál fel tegnap?", "Ez régen volt, őrült tűz."}},
		{"gbk", "zh-Hans", []string{"你好，你怎么样？", "我不知道该说什么。", "我们现在必须回家。", "你昨晚为什么没给我打电话？"}},
		{"big5", "zh-Hant", []string{"你好，你怎麼樣？", "我不知道該說什麼。", "我們現在必須回家。", "許功蓋說：成功了。"}},
		{"shift_jis", "ja", []string{"こんにちは、元気ですか？", "何と言えばいいか分かりません。", "今すぐ家に帰らなければ。", "ソ連の表と能力、予定。"}},
		{"euc-jp", "ja", []string{"こんにちは、元気ですか？", "何と言えばいいか分かりません。", "今すぐ家に帰らなければ。", "それはずっと前のことでした。"}},
		{"euc-kr", "ko", []string{"안녕하세요, 잘 지내세요?", "무슨 말을 해야 할지 모르겠어요.", "우리는 지금 집에 가야 해요.", "그건 작년 일이었어요."}},
		{"windows-1253", "el", []string{"Γεια σου, τι κάνεις;", "Δεν ξέρω τι να πω.", "Πρέπει να πάμε σπίτι τώρα.", "Γιατί δεν με πήρες χθες;"}},
		{"windows-1254", "tr", []string{"Merhaba, nasılsın?", "Ne diyeceğimi bilmiyorum.", "Şimdi eve gitmeliyiz.", "Dün gece neden beni aramadın?"}},
		{"windows-1255", "he", []string{"שלום, מה שלומך?", "אני לא יודע מה להגיד.", "אנחנו צריכים ללכת הביתה.", "למה לא התקשרת אתמול?"}},
		{"windows-1256", "ar", []string{"مرحبا، كيف حالك؟", "لا أعرف ماذا أقول.", "يجب أن نذهب إلى البيت الآن.", "كان ذلك منذ زمن طويل."}},
		{"windows-1252", "fr", []string{"Salut, ça va ?", "Nous devons rentrer à la maison.", "Pourquoi ne m’as-tu pas appelé ?", "C’était l’année dernière."}},
		{"windows-1252", "de", []string{"Ich weiß nicht, was ich sagen soll.", "Wir müssen jetzt gehen.", "Das war früher schön.", "Tschüß, bis später!"}},
		{"windows-1257", "lt", []string{"Nežinau, ką pasakyti.", "Turime eiti namo dabar.", "Kodėl man nepaskambinai?", "Tai buvo seniai, praėjusiais metais."}},
		{"windows-874", "th", []string{"สวัสดี คุณเป็นอย่างไรบ้าง", "ฉันไม่รู้จะพูดอะไร", "เราต้องกลับบ้านเดี๋ยวนี้"}},
	}
}

// subRipFile is a file of the lines, in the encoding.
func subRipFile(t *testing.T, encoding string, lines []string) string {
	t.Helper()
	var b strings.Builder
	for i, line := range lines {
		fmt.Fprintf(&b, "%d\r\n00:00:%02d,000 --> 00:00:%02d,000\r\n%s\r\n\r\n", i+1, i, i+1, line)
	}
	e, err := htmlindex.Get(encoding)
	require.NoError(t, err)
	file, err := e.NewEncoder().String(b.String())
	require.NoError(t, err)
	return file
}

func textOf(t *testing.T, file string, options ...caption.Option) []string {
	t.Helper()
	f, err := caption.ReadSRT(strings.NewReader(file), options...)
	require.NoError(t, err)
	require.Nil(t, f.Lost)
	var lines []string
	for _, s := range f.Segments {
		lines = append(lines, s.Text)
	}
	return lines
}

// TestOldEncodings: with the language every line is right, one alone too; without
// it, where the text tells.
func TestOldEncodings(t *testing.T) {
	t.Parallel()
	undecidable := map[string]bool{"lt": true, "th": true} // by the detector
	for _, old := range oldTexts() {
		t.Run(old.encoding+" "+old.language, func(t *testing.T) {
			t.Parallel()
			language := caption.Language(old.language)
			assert.Equal(t, old.lines, textOf(t, subRipFile(t, old.encoding, old.lines), language))
			if !undecidable[old.language] {
				assert.Equal(t, old.lines, textOf(t, subRipFile(t, old.encoding, old.lines)), "language unknown")
			}
			f, err := caption.ReadAny(strings.NewReader(subRipFile(t, old.encoding, old.lines)), language)
			require.NoError(t, err)
			assert.Len(t, f.Segments, len(old.lines))
			assert.Equal(t, old.lines[0], f.Segments[0].Text)
		})
	}
}

// TestOldEncodingOfTheLanguage: a language that does not fit does no harm, and one
// line is enough where the language is known.
func TestOldEncodingOfTheLanguage(t *testing.T) {
	t.Parallel()
	for _, old := range oldTexts() {
		switch old.encoding {
		case "koi8-r", "euc-jp": // the less frequent one of their language
			continue
		}
		assert.Equal(t, old.lines[:1], textOf(t, subRipFile(t, old.encoding, old.lines[:1]), caption.Language(old.language)), old.language)
	}
	japanese := oldTexts()[9]
	assert.Equal(t, japanese.lines, textOf(t, subRipFile(t, "shift_jis", japanese.lines), caption.Language("ko")))
	assert.Equal(t, japanese.lines, textOf(t, subRipFile(t, "utf-8", japanese.lines), caption.Language("ja")))
	assert.Equal(t, japanese.lines, textOf(t, subRipFile(t, "shift_jis", japanese.lines), caption.Language("no such language")))
}

// TestOldEncodingOfAnotherLanguage: where the named language is not that of the text,
// its encoding makes no words of it.
func TestOldEncodingOfAnotherLanguage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		language, encoding, named string
		lines                     []string
	}{
		{"Russian", "windows-1251", "en pl zh ja ko", []string{"Привет, как дела?", "Всё хорошо, спасибо.", "— Куда ты идёшь?", "Я не знаю, что сказать."}},
		{"Russian of DOS", "ibm866", "ru", []string{"Привет, как дела?", "Всё хорошо, спасибо.", "- Куда ты идёшь?", "Я не знаю, что сказать."}},
		{"Ukrainian", "koi8-u", "uk ru en", []string{"Привіт, як справи?", "Усе гаразд, дякую.", "Куди ти йдеш? Її немає вдома.", "Я не знаю, що сказати."}},
		{"Korean", "euc-kr", "en zh ja ru", []string{"안녕하세요, 잘 지내세요?", "네, 잘 지내요. 고마워요.", "어디 가세요? 모르겠어요.", "오늘은 날씨가 정말 좋네요."}},
		{"Japanese", "shift_jis", "en zh ko ru", []string{"こんにちは、元気ですか？", "はい、元気です。ありがとう。", "どこへ行くの？知らない。", "♪～今日は表示ソ能～♪"}},
		{"Chinese", "gb18030", "en ja ru pl", []string{"你好，你怎么样？", "我很好，谢谢你。", "你要去哪里？我不知道。", "今天的天气非常好。"}},
		{"German", "windows-1252", "zh ja ko ru", []string{"Hallo, wie geht's?", "Schöne Grüße aus München.", "Weiß nicht. 25° im Schatten.", "Übermorgen müssen wir früh aufstehen."}},
		{"French", "windows-1252", "zh ja ko ru", []string{"Ça va? Très bien, merci.", "Où vas-tu? Je ne sais pas.", "C'était une longue journée.", "Garçon, un café crème s’il vous plaît."}},
	} {
		t.Run(test.language, func(t *testing.T) {
			t.Parallel()
			for named := range strings.FieldsSeq(test.named) {
				assert.Equal(t, test.lines, textOf(t, subRipFile(t, test.encoding, test.lines), caption.Language(named)), "named %s", named)
			}
		})
	}
}

// TestUnknownEncodingIsNoText: what cannot be told is lost, and said to be.
func TestUnknownEncodingIsNoText(t *testing.T) {
	t.Parallel()
	thai := oldTexts()[len(oldTexts())-1]
	_, err := caption.ReadSRT(strings.NewReader(subRipFile(t, thai.encoding, thai.lines[:1])))
	var lost *caption.LostError
	require.ErrorAs(t, err, &lost)
	assert.Equal(t, 1, lost.Cues)
	assert.Contains(t, err.Error(), "encoding")

	_, err = caption.ReadSRT(strings.NewReader(subRipFile(t, thai.encoding, thai.lines))) // looks a little like Korean
	require.ErrorAs(t, err, &lost)
	assert.Equal(t, len(thai.lines), lost.Cues)
}

// TestDamagedOldText: a byte that is wrong costs no more than its line.
func TestDamagedOldText(t *testing.T) {
	t.Parallel()
	korean := oldTexts()[11]
	file := subRipFile(t, korean.encoding, korean.lines)
	at := strings.LastIndexByte(file[:len(file)-4], '\n') + 3
	damaged := file[:at] + "\xFF" + file[at:]
	got := textOf(t, damaged, caption.Language("ko"))
	require.Len(t, got, len(korean.lines))
	assert.Equal(t, korean.lines[:3], got[:3])
}

// TestWebPageIsNoSubRip: a page that shows how a file looks is none.
func TestWebPageIsNoSubRip(t *testing.T) {
	t.Parallel()
	const example = "\n1\n00:00:01,000 --> 00:00:02,000\nHello\n"
	for _, page := range []string{
		"<!DOCTYPE html><html><pre>", "\uFEFF<!doctype HTML>\n<body>", "<html lang=\"en\">", "\n <!-- x --><HTML>", "<head><title>",
		"<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC \"x\">\n<html>", "<div class=\"error\">", "<p>Too many requests</p>",
	} {
		_, ok := caption.Detect([]byte(page + example))
		assert.False(t, ok, page)
		_, err := caption.ReadSRT(strings.NewReader(page + example))
		var format *caption.FormatError
		assert.ErrorAs(t, err, &format, page)
		_, err = caption.ReadAny(strings.NewReader(page + example))
		assert.ErrorAs(t, err, &format, page)
	}
	format, ok := caption.Detect([]byte("<i>Title</i>\n" + example))
	assert.True(t, ok)
	assert.Equal(t, caption.FormatSRT, format)
}

// TestWebVTTInSubRip: what converters leave behind.
func TestWebVTTInSubRip(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"One<00:00:01.500><c> two</c><00:00:01.700><c.color> three</c>": `1+1 "One two three"`,
		"<v Ann Lee>Hello</v>":                       `1+1 Ann Lee "Hello"`,
		"<v.loud Ann>Hello</v> <v Bob>Hi</v>":        `1+1 "Hello Hi"`,
		"<lang en>a</lang><ruby>東<rt>とう</rt></ruby>": `1+1 "a東"`,
		"1 < 2 <3 <b>x</b><00:01.000> <sigh>":        `1+1 "1 < 2 <3 x <sigh>"`,
	} {
		f, err := caption.ReadSRT(strings.NewReader("1\n00:00:01,000 --> 00:00:02,000\n" + text + "\n"))
		require.NoError(t, err)
		assert.Equal(t, want, shown(f.Segments), text)
	}
}

// Where several encodings are as likely a file is read the same way each time.
func TestLegacyEncodingIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	const file = "\n00:00:00,000 --> 00:00:02 \xe0\n\xa0\xa0\xa0\xa000\ncaf\xe9\nt\xc31j\xe0\n\x80\x80\x80\x80\x80\x80\x80\xe2\x82\x00\xc9\x85 \xe9\n"
	first, err := caption.ReadSRT(strings.NewReader(file))
	require.NoError(t, err)
	for range 200 {
		again, err := caption.ReadSRT(strings.NewReader(file))
		require.NoError(t, err)
		require.Equal(t, first, again)
	}
}

// Serbo-Croatian and Slovenian are found without a language, or with a wrong one. No
// statistics know them, and they are no Italian.
func TestSouthSlavicIsFound(t *testing.T) {
	t.Parallel()
	texts := map[string][]string{
		"sr": {"Šta radiš ovde, čoveče?", "Rekao sam ti da čekaš kod kuće.", "Ko, Đorđe? On uvek kasni.", "Hoćeš li da pođemo za njom?"},
		"hr": {"Što će biti s nama?", "Ništa, gospođo Müller.", "Već je počelo.", "Živjeli! Uđite, uđite."},
		"sl": {"Kaj počneš tukaj, človek?", "Rekel sem, da počakaj doma.", "Žena je šla k reki.", "Že včeraj!"},
	}
	for lang, lines := range texts {
		for _, encoding := range []string{"windows-1250", "iso-8859-2"} {
			file := subRipFile(t, encoding, lines)
			for _, told := range []string{"", "en", "it", lang} {
				if lang == "sl" && told != lang {
					continue // it has two of the letters only
				}
				assert.Equal(t, lines, textOf(t, file, caption.Language(told)), "%s in %s, told to be %q", lang, encoding, told)
			}
		}
	}
}

// Texts with a few of the letters in Windows-1252 are not taken for these languages.
func TestSouthSlavicIsNotGuessed(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]string{
		"French":    {"Mon père et ma mère, très chère.", "La dernière fois, après le problème.", "Où est la première pièce ?", "Près de la rivière."},
		"Italian":   {"È vero, cioè no.", "Perché non c'è più?", "È già così tardi?", "Sì, è lì."},
		"Finnish":   {"Hän söi šakkia pelatessa.", "Tämä on hyvä päivä.", "Džonkki lähti jo eilen.", "Missä äiti on?"},
		"Icelandic": {"Það er æði gott veður.", "Hvað segirðu, maður?", "Ég ætla að fara heim núna.", "Þú ert frá Reykjavík."},
		"Danish":    {"Jeg ved det ikke, kære.", "Vi må hjem nu.", "Hvor er pigen, der sælger æbler?", "Det er længe siden."},
	} {
		assert.Equal(t, lines, textOf(t, subRipFile(t, "windows-1252", lines)), name)
	}
}
