package web

import (
	"fmt"
	"html/template"
	"reflect"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/number"
)

// Number formats a whole number for people: 12,000.
func (c *Catalog) Number(n int64) string { return c.numbers.Sprint(number.Decimal(n)) }

// anyNumber formats any type of integer.
func (c *Catalog) anyNumber(n any) string {
	return c.Number(reflect.Indirect(reflect.ValueOf(n)).Int())
}

// moment formats a day and an hour, and second an hour to the second, in UTC. The module
// times.js converts them to the reader's time zone.
func (c *Catalog) moment(at interface{ UTC() time.Time }) template.HTML {
	return timeElement(at.UTC(), "moment", c.Text("date.moment"))
}

func (c *Catalog) second(at interface{ UTC() time.Time }) template.HTML {
	return timeElement(at.UTC(), "second", c.Text("date.second"))
}

// day formats a day in UTC.
func (c *Catalog) day(at interface{ UTC() time.Time }) string {
	return at.UTC().Format(c.Text("date.day"))
}

func timeElement(at time.Time, shows, layout string) template.HTML {
	return template.HTML(fmt.Sprintf(`<time datetime="%s" data-shows="%s">%s</time>`, at.Format(time.RFC3339), shows, at.Format(layout))) //nolint:gosec // of digits and layouts
}

// Size formats a number of bytes for people: 4 GiB, 512 MiB, 1.5 KiB.
func (c *Catalog) Size(bytes int64) string {
	n, unit := float64(bytes), 0
	for ; n >= 1024 && unit < 4; unit++ {
		n /= 1024
	}
	return c.Text("size."+strconv.Itoa(unit), "count", n)
}

// Span formats an exact duration for people: 1 hour 30 minutes.
func (c *Catalog) Span(seconds int64) string {
	var parts []string
	for _, of := range []struct {
		unit string
		each int64
	}{{"hours", 3600}, {"minutes", 60}, {"seconds", 1}} {
		if n := seconds / of.each; n > 0 {
			parts = append(parts, c.Text("span."+of.unit, "count", n))
		}
		seconds %= of.each
	}
	if parts == nil {
		return c.Text("span.seconds", "count", 0)
	}
	return strings.Join(parts, " ")
}

// quality returns what a recognizer says about its quality, without the command with which an operator
// gets a better one.
func quality(says string) string {
	says, _, _ = strings.Cut(says, "; `")
	return says
}

// FirstOf returns the first known and non-empty text.
func FirstOf(texts ...*string) string {
	for _, text := range texts {
		if text != nil && *text != "" {
			return *text
		}
	}
	return ""
}
