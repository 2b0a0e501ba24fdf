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

// PutTranscript stores a text that the program has itself, such as one that people have
// corrected, and returns its id. Its source is "manual". With an account it is that
// account's alone, stands in its library, and goes when it is removed there; without,
// every account is answered with it. Putting one in again for the same account, content
// and language replaces the one before, whose id it keeps.
//
// From then on requests for the content are answered with it: where its language is the
// one that a list would take, before all captions, also where the platform has none, and
// instead of recognition where the platform has no captions or the content is an upload.
// It costs no transcript of a plan, and it does not expire. A list that asks for
// recognition ("asr") of a platform with captions passes it over. A job that nobody has
// begun to work on ends with it; one that is at work goes on, and ends with what it finds.
//
// Required are Platform, ExternalID by the grammar of [Config.Sites], Lang, a BCP 47 tag,
// and 1 to 100,000 Segments: with text, sorted by Start, and times of at least 0. Of an
// upload the id is the first 32 hex digits of the SHA-256 of its bytes, and an account
// is required. Control characters in the text become U+FFFD. SourceURL nil becomes the platform's own link, DurationSec nil the end of
// the last segment. ID, Source, Status and the times of the row are not read.
//
// The error is a *transcript.Error for what is not valid: INVALID_REQUEST names the
// members in its details, INVALID_VIDEO and UNSUPPORTED_PLATFORM are about the content;
// SERVICE_UNAVAILABLE while the database is away: then it is not known whether the text
// is stored, and it may be put in again.
func (s *Server) PutTranscript(ctx context.Context, account string, t transcript.Transcript) (id string, err error) {
	return s.api.Put(ctx, account, t)
}
