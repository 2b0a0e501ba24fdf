package page

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed strings/en.json
var english []byte

// catalog holds every text of the pages by its key, as in "library.title". Names in braces
// stand for values. A text with a number has two forms, for one and for other numbers.
type catalog map[string]phrase

type phrase struct {
	One   string `json:"one,omitempty"`
	Other string `json:"other"`
}

// UnmarshalJSON reads a text, or its two forms.
func (p *phrase) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &p.Other)
	}
	type forms phrase
	return json.Unmarshal(data, (*forms)(p))
}

func readCatalog() (c catalog, err error) {
	return c, json.Unmarshal(english, &c)
}

// has reports whether a key has a text.
func (c catalog) has(key string) bool { _, ok := c[key]; return ok }

// text returns the text of a key with its values: text("n.lines", "count", 3). A key without a
// text is returned itself.
func (c catalog) text(key string, values ...any) string {
	found, ok := c[key]
	if !ok {
		return key
	}
	text, replace := found.Other, []string(nil)
	for n := 0; n+1 < len(values); n += 2 {
		value := fmt.Sprint(values[n+1])
		if found.One != "" && values[n] == "count" && value == "1" {
			text = found.One
		}
		replace = append(replace, fmt.Sprintf("{%v}", values[n]), value)
	}
	return strings.NewReplacer(replace...).Replace(text)
}

// pause formats a duration in words: seconds, minutes or hours, rounded up.
func (c catalog) pause(seconds int) string {
	switch {
	case seconds < 100:
		return c.text("span.seconds", "count", max(seconds, 1))
	case seconds < 100*60:
		return c.text("span.minutes", "count", (seconds+59)/60)
	}
	return c.text("span.hours", "count", (seconds+3599)/3600)
}

// module returns the catalog as a JavaScript module with a function t that works like text.
func (c catalog) module() ([]byte, error) {
	all, err := json.Marshal(map[string]phrase(c))
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `const texts = %s;
export function t(key, values = {}) {
  const found = texts[key];
  if (!found) return key;
  const text = found.one && values.count === 1 ? found.one : found.other;
  return text.replace(/\{(\w+)\}/g, (all, name) => name in values ? values[name] : all);
}
`, all), nil
}
