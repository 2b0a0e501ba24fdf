package server

import (
	"context"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Submit asks for a transcript on behalf of an account, without HTTP: what the
// program around the server wants itself. It goes by the rules of POST /v1/transcript:
// the same bounds of a request, the plan of the principal, [Config.Admit], the cache,
// and, where there is none of it, a job of the account, which the job routes show.
// Without an error exactly one of the result and the job is not nil. The job is what
// does not end within r.Wait, which is 0 to 10 s; nil: 2 s.
//
// The program answers for who asks: no scope is needed, and no request is counted.
// [account.Accounts.Principal] makes the principal of an account by its name.
//
// A refusal, or the failure of a job within the wait, is a *transcript.Error, as the
// route would answer it. While the database is away that is SERVICE_UNAVAILABLE, and
// it is not known whether there is a job. Submit may be repeated then and at any time:
// while an equal job of the account runs it returns that one, and after its success the
// stored text. A file is read once, to its end or to the first byte that is more than
// the plan permits; an error of its reader is returned as it is. When ctx ends, so does
// the reading of the file, and the wait, but not the job.
func (s *Server) Submit(ctx context.Context, p account.Principal, r transcript.Request) (*transcript.Result, *transcript.Job, error) {
	return s.api.Submit(ctx, p, r)
}
