package shares

import (
	"fmt"
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// endOf returns the end of a link that is made now.
func endOf(until *time.Time, now time.Time) (time.Time, error) {
	latest := now.Add(LongestLife)
	switch {
	case until == nil:
		return now.Add(UsualLife), nil
	case !until.After(now):
		return time.Time{}, unfit("must be in the future")
	case until.After(latest):
		return time.Time{}, unfit(fmt.Sprintf("must be at most %d days ahead: %s or earlier",
			int(LongestLife/(24*time.Hour)), latest.UTC().Truncate(time.Second).Format(time.RFC3339)))
	}
	return *until, nil
}

func unfit(message string) error {
	return request.Invalid(http.StatusUnprocessableEntity, transcript.Issue{Path: "expiresAt", Message: message})
}
