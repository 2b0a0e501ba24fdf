package edge

import (
	"context"
	"github.com/google/uuid"
	"net/http"
	"regexp"

	"github.com/transcriptkit/transcriptkit/server/account"
)

// RequestID is the id of the request that ctx belongs to, as in the header
// X-Request-Id; empty outside of a request.
func RequestID(ctx context.Context) string { return exchangeOf(ctx).id }

// RequestIDPattern is the form of an id that a client may give to its request.
const RequestIDPattern = `^[A-Za-z0-9._-]{1,64}$`

var callersID = regexp.MustCompile(RequestIDPattern)

// requestID returns the client's own id if the id is suitable for a log, and otherwise a
// new id.
func requestID(r *http.Request) string {
	id := r.Header.Get("X-Request-Id")
	if _, isKey := account.FindKey(id); !isKey && callersID.MatchString(id) {
		return id
	}
	return newID()
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }
