// Package resource has what the resources of the API share: how they name contents and pages
// of lists, how they read bodies, and how they make answers from texts.
package resource

import (
	"context"
	"net/http"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
)

// Call is a route of the API without HTTP, for another interface of the service. The caller
// lets Table read the request, and then calls Answer once. The fields have the bounds of the
// route, and the answer is the body of the route.
type Call struct {
	Table  request.Table
	Answer func(context.Context, account.Principal) (any, error)
	// Once replaces Answer in a route that takes an Idempotency-Key: Once reads the key from the
	// header of the request. Exactly one of Answer and Once is set.
	Once func(http.ResponseWriter, *http.Request) (any, error)
}

// ListOf is the list of a call whose table has read its request.
func ListOf(p account.Principal, operation string, table request.Table) Listing {
	return ListingNamed(p.Account, operation, filters(table))
}
