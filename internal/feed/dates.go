package feed

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// layouts are the forms of dates in feeds, after the name of the day is removed.
var layouts = []string{
	time.RFC3339Nano,
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04:05",
	"2006-01-02 15:04:05 -0700",
	"2006-01-02 15:04:05",
	time.DateOnly,
	"2 Jan 2006 15:04:05 -0700",
	"2 Jan 2006 15:04:05",
	"2 Jan 2006 15:04 -0700",
	"2 Jan 2006 15:04",
	"2 Jan 06 15:04:05 -0700",
	"2 Jan 06 15:04 -0700",
	"2 Jan 2006",
	"2 January 2006 15:04:05 -0700",
	"January 2, 2006 15:04:05 -0700",
	"Jan 2, 2006 15:04:05 -0700",
	"Jan 2 15:04:05 2006",
}

// zones are the names of RFC 822, and those of central Europe.
var zones = map[string]string{
	"GMT": "+0000", "UT": "+0000", "UTC": "+0000", "Z": "+0000", "EST": "-0500", "EDT": "-0400", "CST": "-0600",
	"CDT": "-0500", "MST": "-0700", "MDT": "-0600", "PST": "-0800", "PDT": "-0700", "CET": "+0100", "CEST": "+0200", "BST": "+0100",
}

// dayName finds the name of a day at the start of a date.
var dayName = regexp.MustCompile(`^[\pL.]{2,12},?\s+(\d|[A-Z][a-z]+ \d)`)

// dateOf reads a date. It returns the zero time for a text that is no date, and for years
// that no recording has.
func dateOf(text string) time.Time {
	if len(text) > 64 {
		return time.Time{}
	}
	text = strings.Join(strings.Fields(text), " ")
	if found := dayName.FindStringSubmatchIndex(text); found != nil {
		text = text[found[2]:]
	}
	if space := strings.LastIndexByte(text, ' '); space > 0 {
		if zone, ok := zones[strings.ToUpper(text[space+1:])]; ok {
			text = text[:space+1] + zone
		}
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil && 1970 <= t.Year() && t.Year() < 2200 {
			return t.UTC()
		}
	}
	return time.Time{}
}

// durationOf reads the length of a recording: seconds, MM:SS or HH:MM:SS. It returns 0
// for other texts and for lengths of more than 1,000 hours.
func durationOf(text string) time.Duration {
	var seconds float64
	parts := strings.Split(text, ":")
	if len(parts) > 3 {
		return 0
	}
	for _, part := range parts {
		n, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || math.IsNaN(n) || n < 0 || n > 1000*3600 {
			return 0
		}
		seconds = seconds*60 + n
	}
	if seconds > 1000*3600 {
		return 0
	}
	return time.Duration(seconds * float64(time.Second))
}

// periods are the lengths of the periods in which a feed says that it changes.
var periods = map[string]time.Duration{
	"hourly": time.Hour, "daily": 24 * time.Hour, "weekly": 7 * 24 * time.Hour,
	"monthly": 30 * 24 * time.Hour, "yearly": 365 * 24 * time.Hour,
}

var weekdays = map[string]time.Weekday{
	"sunday": time.Sunday, "monday": time.Monday, "tuesday": time.Tuesday, "wednesday": time.Wednesday,
	"thursday": time.Thursday, "friday": time.Friday, "saturday": time.Saturday,
}
