package transcript

import (
	"fmt"
	"time"
)

// timeLayout is RFC 3339 in UTC with exactly three decimals.
const timeLayout = "2006-01-02T15:04:05.000Z"

// Time is a time in the form of the API: RFC 3339, in UTC, with milliseconds.
type Time struct{ time.Time }

// At returns t in UTC, truncated to milliseconds.
func At(t time.Time) Time { return Time{t.UTC().Truncate(time.Millisecond)} }

// String returns the time in the form of the API.
func (t Time) String() string { return t.UTC().Format(timeLayout) }

// MarshalText returns the time in the form of the API.
func (t Time) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// MarshalJSON returns the time in the form of the API, as a JSON string.
func (t Time) MarshalJSON() ([]byte, error) { return []byte(`"` + t.String() + `"`), nil }

// UnmarshalText accepts any RFC 3339 time.
func (t *Time) UnmarshalText(b []byte) error {
	v, err := time.Parse(time.RFC3339Nano, string(b))
	if err != nil {
		return fmt.Errorf("transcript: time %q is not RFC 3339: %w", b, err)
	}
	*t = At(v)
	return nil
}

// UnmarshalJSON accepts any RFC 3339 time in a JSON string. null does not change t.
func (t *Time) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	if len(b) < 2 || b[0] != '"' || b[len(b)-1] != '"' {
		return fmt.Errorf("transcript: time %s is not a JSON string", b)
	}
	return t.UnmarshalText(b[1 : len(b)-1])
}
