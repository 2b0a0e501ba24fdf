package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// troubleTimeout limits the question after a failure.
const troubleTimeout = 5 * time.Second

// tellTrouble writes why the service cannot store anything, after a failure. The answers to
// requests do not say this, because they are for the customers of a service.
func (o *ownService) tellTrouble(ctx context.Context, to io.Writer) {
	ctx, stop := context.WithTimeout(ctx, troubleTimeout)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/readyz", nil)
	if err != nil {
		return // not reached: the address is good
	}
	answer, err := o.RoundTrip(r)
	if err != nil {
		return // the failure itself has already been written
	}
	defer answer.Body.Close() //nolint:errcheck // it is only read
	var ready struct{ Checks map[string]string }
	if json.NewDecoder(answer.Body).Decode(&ready) != nil {
		return // as above
	}
	for _, part := range []string{"disk", "store", "blobs"} {
		if _, cure, bad := strings.Cut(ready.Checks[part], ": "); bad {
			fmt.Fprintf(to, "The service in this process takes no work: %s. Its files are in %s.\n", cure, o.folder)
			return
		}
	}
}
