package caption_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Elements of other vocabularies are no cues and hold no text, whatever they are called.
func TestTTMLNamespaces(t *testing.T) {
	t.Parallel()
	const p, ttml = `<p begin="1s" end="2s">a</p>`, ` xmlns="http://www.w3.org/ns/ttml"`
	for name, test := range map[string]struct{ file, want string }{
		"none":                      {`<tt><body>` + p + `</body></tt>`, `1+1 "a"`},
		"by default":                {`<tt` + ttml + `><body>` + p + `</body></tt>`, `1+1 "a"`},
		"of old":                    {`<tt xmlns="http://www.w3.org/2006/10/ttaf1"><body>` + p + `</body></tt>`, `1+1 "a"`},
		"of a dialect":              {`<tt xmlns="urn:mine"><body>` + p + `</body></tt>`, `1+1 "a"`},
		"a prefix":                  {`<t:tt xmlns:t="http://www.w3.org/ns/ttml"><t:body><t:p begin="1s" end="2s">a</t:p></t:body></t:tt>`, `1+1 "a"`},
		"a prefix of a dialect":     {`<t:tt xmlns:t="urn:mine"><t:body><t:p begin="1s" end="2s">a</t:p></t:body></t:tt>`, `1+1 "a"`},
		"a prefix that is nobody's": {`<tt` + ttml + `><body><x:p begin="1s" end="2s">a</x:p></body></tt>`, `1+1 "a"`},
		"another version within":    {`<tt` + ttml + `><body xmlns="http://www.w3.org/2006/04/ttaf1">` + p + `</body></tt>`, `1+1 "a"`},
		"taken back":                {`<tt` + ttml + `><body xmlns="">` + p + `</body></tt>`, `1+1 "a"`},
		"foreign, by a prefix":      {`<tt` + ttml + ` xmlns:x="urn:x"><body><x:p begin="1s" end="2s">no</x:p>` + p + `</body></tt>`, `1+1 "a"`},
		"foreign, by default":       {`<tt` + ttml + `><body><p xmlns="http://www.w3.org/1999/xhtml" begin="1s" end="2s">no</p>` + p + `</body></tt>`, `1+1 "a"`},
		"foreign, around":           {`<tt` + ttml + ` xmlns:x="urn:x"><body><x:div>` + p + `</x:div><div>` + p + `</div></body></tt>`, `1+1 "a"`},
		"foreign, in a p":           {`<tt` + ttml + ` xmlns:x="urn:x"><body><p begin="1s" end="2s">a <x:note>no<x:br/></x:note> <x:span begin="9s">no</x:span>b</p></body></tt>`, `1+1 "a b"`},
		"foreign, its times":        {`<tt` + ttml + ` xmlns:x="urn:x"><body><div timeContainer="seq"><x:p dur="9s">no</x:p><p dur="2s">a</p></div></body></tt>`, `0+2 "a"`},
		"foreign up to its end":     {`<tt` + ttml + ` xmlns:x="urn:x"><body><x:a xmlns="urn:x"><p>no</p></x:a>` + p + `</body></tt>`, `1+1 "a"`},
		"agents":                    {`<tt` + ttml + ` xmlns:ttm="http://www.w3.org/ns/ttml#metadata"><head><metadata><ttm:agent xml:id="s"><ttm:name>Ann</ttm:name></ttm:agent></metadata></head><body><p begin="1s" end="2s" ttm:agent="s">a</p></body></tt>`, `1+1 Ann "a"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, readTTML(t, test.file))
		})
	}
}
