package server

import (
	"net/http"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
)

// Patient is next with the API's bounds on slow clients, for what a program serves next to
// the API. A client that sends a body may stand still for a minute; after half a minute it
// must have sent 4 KiB for every second since. A client that reads an answer may take 2
// minutes. A Read or a Write beyond these bounds fails, and the connection ends. A handler
// that sets a write deadline itself, as a stream does, has that deadline.
//
// Patient may stand before the API as well, which has these bounds already. A writer that
// knows no deadlines, as in a handler's own test, has no bounds.
func Patient(next http.Handler) http.Handler { return edge.Patient(next) }
