package request

import (
	"errors"
	"time"
)

// Moment is a time in RFC 3339, such as 2026-11-23T10:00:00Z.
func Moment() Kind[time.Time] {
	take := func(s string) (time.Time, error) {
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			return t, errors.New("must be a time in RFC 3339, such as 2026-11-23T10:00:00Z")
		}
		return t.UTC(), nil
	}
	plain := func(t time.Time) any { return t.Format(time.RFC3339Nano) }
	return kindOf(texts, take, plain, func() Schema { return Schema{"format": "date-time"} })
}
