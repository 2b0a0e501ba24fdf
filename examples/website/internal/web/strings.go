package web

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"reflect"
	"strconv"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

// Catalog holds every text of the pages in one language, by its key, as in "library.title".
// Names in braces stand for values. Safe for concurrent use.
type Catalog struct {
	tag     language.Tag
	phrases map[string]phrase
	names   display.Namer // of languages
	numbers *message.Printer
	views   views // the pages
}

// phrase is a text in its forms for numbers: "one" and "other" in English. The form "other"
// is always there.
type phrase map[string]string

// UnmarshalJSON reads a text, or its forms.
func (p *phrase) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		*p = phrase{other: ""}
		var text string
		err := json.Unmarshal(data, &text)
		(*p)[other] = text
		return err
	}
	return json.Unmarshal(data, (*map[string]string)(p))
}

// MarshalJSON writes a text without forms as a string.
func (p phrase) MarshalJSON() ([]byte, error) {
	if len(p) == 1 {
		return json.Marshal(p[other])
	}
	return json.Marshal(map[string]string(p))
}

// other is the form of most numbers, and of texts without a number.
const other = "other"

// formNames are the names of plural forms, as in CLDR.
var formNames = map[plural.Form]string{
	plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few", plural.Many: "many", plural.Other: other,
}

// readCatalog returns the catalog of a language.
func readCatalog(files fs.FS, tag language.Tag) (*Catalog, error) {
	file, err := fs.ReadFile(files, "strings/"+tag.String()+".json")
	if err != nil {
		return nil, err
	}
	c := &Catalog{tag: tag, names: display.Tags(tag), numbers: message.NewPrinter(tag)}
	if err := json.Unmarshal(file, &c.phrases); err != nil {
		return nil, fmt.Errorf("strings/%s.json: %w", tag, err)
	}
	return c, nil
}

// has reports whether a key has a text.
func (c *Catalog) has(key string) bool { _, ok := c.phrases[key]; return ok }

// plan returns the name of a plan for people. The operator names the plans of a file.
func (c *Catalog) plan(name string) string {
	if key := "plan." + name; c.has(key) {
		return c.Text(key)
	}
	return name
}

// Text returns the text of a key with its values: text("n.lines", "count", 3). The value of
// "count" chooses the form. Numbers are formatted. A key without a text is returned itself.
func (c *Catalog) Text(key string, values ...any) string {
	found, ok := c.phrases[key]
	if !ok {
		return key
	}
	text, replace := found[other], []string(nil)
	for n := 0; n+1 < len(values); n += 2 {
		value := c.value(values[n+1])
		if values[n] == "count" {
			if form, ok := found[c.form(value)]; ok {
				text = form
			}
		}
		replace = append(replace, fmt.Sprintf("{%v}", values[n]), value)
	}
	return strings.NewReplacer(replace...).Replace(text)
}

// value formats a value of a text.
func (c *Catalog) value(v any) string {
	if _, named := v.(fmt.Stringer); named {
		return fmt.Sprint(v)
	}
	switch of := reflect.Indirect(reflect.ValueOf(v)); {
	case of.CanInt():
		return c.Number(of.Int())
	case of.CanFloat():
		return c.numbers.Sprint(number.Decimal(of.Float(), number.MaxFractionDigits(1)))
	}
	return fmt.Sprint(v)
}

// form returns the plural form of a formatted number.
func (c *Catalog) form(formatted string) string {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, formatted)
	n, err := strconv.Atoi(digits)
	if err != nil || formatted != c.Number(int64(n)) && formatted != digits {
		return other // it has a fraction
	}
	return formNames[plural.Cardinal.MatchPlural(c.tag, n, 0, 0, 0, 0)]
}

// pause formats a duration in words: seconds, minutes or hours, rounded up.
func (c *Catalog) pause(seconds int) string {
	switch {
	case seconds < 100:
		return c.Text("span.seconds", "count", max(seconds, 1))
	case seconds < 100*60:
		return c.Text("span.minutes", "count", (seconds+59)/60)
	}
	return c.Text("span.hours", "count", (seconds+3599)/3600)
}
