package server

import (
	"context"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Submit requests a transcript on behalf of an account, without HTTP, for the embedding
// program. It follows the rules of POST /v1/transcript: the same bounds of a request,
// the plan of the principal, [Config.Admit], and the cache. If the cache has no answer,
// Submit makes a job of the account, which the job routes show. If there is no error,
// exactly one of the result and the job is not nil. Submit returns the job if it has
// not ended within r.Wait, which is 0 to 10 s. If r.Wait is nil, Submit waits 2 s.
//
// Submit trusts the principal: it checks no scope and counts no request.
// [account.Accounts.Principal] returns the principal of an account by its name.
//
// If the request is refused, or if the job fails within the wait, the error is a
// [*transcript.Error], the same as the route's. If the database cannot be reached, the
// error is SERVICE_UNAVAILABLE, and a job may or may not exist. The caller may repeat
// Submit at any time: while an equal job of the account runs, Submit returns that job,
// and after its success the stored text. Submit reads a file once, to its end or to the
// first byte that the plan does not permit. If the file's reader fails, Submit returns
// the reader's error unchanged. When ctx ends, Submit stops reading and waiting, but the
// job continues.
func (s *Server) Submit(ctx context.Context, p account.Principal, r transcript.Request) (*transcript.Result, *transcript.Job, error) {
	return s.api.Intake.Submit(ctx, p, r)
}
