package page

import (
	"fmt"
	"html/template"
	"reflect"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/number"
)

// number formats a whole number for people: 12,000.
func (c *catalog) number(n int64) string { return c.numbers.Sprint(number.Decimal(n)) }

// anyNumber formats any type of integer.
func (c *catalog) anyNumber(n any) string {
	return c.number(reflect.Indirect(reflect.ValueOf(n)).Int())
}

// moment formats a day and an hour, and second an hour to the second, in UTC. The module
// times.js converts them to the reader's time zone.
func (c *catalog) moment(at interface{ UTC() time.Time }) template.HTML {
	return timeElement(at.UTC(), "moment", c.text("date.moment"))
}

func (c *catalog) second(at interface{ UTC() time.Time }) template.HTML {
	return timeElement(at.UTC(), "second", c.text("date.second"))
}

// day formats a day in UTC.
func (c *catalog) day(at interface{ UTC() time.Time }) string {
	return at.UTC().Format(c.text("date.day"))
}

func timeElement(at time.Time, shows, layout string) template.HTML {
	return template.HTML(fmt.Sprintf(`<time datetime="%s" data-shows="%s">%s</time>`, at.Format(time.RFC3339), shows, at.Format(layout))) //nolint:gosec // of digits and layouts
}

// size formats a number of bytes for people: 4 GiB, 512 MiB, 1.5 KiB.
func (c *catalog) size(bytes int64) string {
	n, unit := float64(bytes), 0
	for ; n >= 1024 && unit < 4; unit++ {
		n /= 1024
	}
	return c.text("size."+strconv.Itoa(unit), "count", n)
}

// span formats an exact duration for people: 1 hour 30 minutes.
func (c *catalog) span(seconds int64) string {
	var parts []string
	for _, of := range []struct {
		unit string
		each int64
	}{{"hours", 3600}, {"minutes", 60}, {"seconds", 1}} {
		if n := seconds / of.each; n > 0 {
			parts = append(parts, c.text("span."+of.unit, "count", n))
		}
		seconds %= of.each
	}
	if parts == nil {
		return c.text("span.seconds", "count", 0)
	}
	return strings.Join(parts, " ")
}
