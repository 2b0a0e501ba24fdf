package sqldb

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Text returns s without NUL and without invalid UTF-8. Titles in media files have
// both, and PostgreSQL refuses them.
func Text(s string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "\uFFFD")
}

// TextOrNil is Text of a string that may be nil.
func TextOrNil(s *string) *string {
	if s == nil {
		return nil
	}
	clean := Text(*s)
	return &clean
}

// NewID fills in an id that the caller has not chosen: UUIDv7.
func NewID(id *string) error {
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

// Stamp fills in a time that the caller has not chosen.
func Stamp(times ...*time.Time) {
	now := time.Now()
	for _, t := range times {
		if t.IsZero() {
			*t = now
		}
		*t = Moment(*t)
	}
}

// Moment truncates a time to microseconds, in UTC, which both databases store.
func Moment(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
