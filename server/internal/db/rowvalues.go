package db

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
)

// text returns s without NUL and without invalid UTF-8. Titles in media files have
// both, and PostgreSQL refuses them.
func text(s string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "\uFFFD")
}

// textOrNil is text of what may be nil.
func textOrNil(s *string) *string {
	if s == nil {
		return nil
	}
	clean := text(*s)
	return &clean
}

// newID fills in an id that the caller has not chosen: UUIDv7.
func newID(id *string) error {
	if *id != "" {
		return nil
	}
	v, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("store: id: %w", err)
	}
	*id = v.String()
	return nil
}

// stamp fills in a time that the caller has not chosen.
func stamp(times ...*time.Time) {
	now := time.Now()
	for _, t := range times {
		if t.IsZero() {
			*t = now
		}
		*t = moment(*t)
	}
}

// moment cuts a time to what both databases keep: microseconds, in UTC.
func moment(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
