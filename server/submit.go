package server

import (
	"context"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Submit asks for a transcript on behalf of an account, without HTTP, for the program around
// the server. Submit follows the rules of POST /v1/transcript: the same bounds of a request,
// the plan of the principal, [Config.Admit], and the cache. If the cache has no answer, Submit
// makes a job of the account, which the job routes show. Without an error exactly one of the
// result and the job is not nil. Submit returns the job if the job has not ended within
// r.Wait, which is 0 to 10 s; nil: 2 s.
//
// The program vouches for the principal: Submit needs no scope, and counts no request.
// [account.Accounts.Principal] makes the principal of an account by its name.
//
// A refusal, or the failure of a job within the wait, is a *transcript.Error, as the route
// answers it. While the database is away, the error is SERVICE_UNAVAILABLE, and a job may or
// may not exist. The caller may repeat Submit then and at any time: while an equal job of the
// account runs, Submit returns this job, and after its success the stored text. Submit reads a
// file once, to its end or to the first byte that the plan does not permit. An error of the
// file's reader is returned as it is. When ctx ends, the reading of the file and the wait end
// too, but not the job.
func (s *Server) Submit(ctx context.Context, p account.Principal, r transcript.Request) (*transcript.Result, *transcript.Job, error) {
	return s.api.Intake.Submit(ctx, p, r)
}
