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

// PutTranscript stores a text of the program's own, such as a text that people have
// corrected, and returns its id. The source of the text is "manual". With an account,
// the text belongs to the account alone, stands in the account's library, and goes when
// it is removed there. Without an account, the text answers every account. If the
// program puts in another text for the same account, content and language, the new text
// replaces the old text and keeps its id.
//
// From then on, the text answers requests for the content. If a list would take its
// language, the text comes before all captions, also if the platform has no captions.
// If the platform never has captions, or the content is an upload, the text comes
// instead of recognition. The text costs no transcript of a plan, and does not expire.
// A list that asks for recognition ("asr") of a platform with captions passes the text
// over. A job that no process has begun to work on ends with the text. A job at work
// goes on, and ends with its own text.
//
// Required are Platform, ExternalID by the grammar of [Config.Sites], Lang, a BCP 47
// tag, and 1 to 100,000 Segments: with text, sorted by Start, and times of at least 0.
// For an upload, the id is the first 32 hex digits of the SHA-256 of its bytes, and an
// account is required. Control characters in the text become U+FFFD. A nil SourceURL
// becomes the platform's own link, and a nil DurationSec the end of the last segment.
// PutTranscript does not read ID, Source, Status and the times of the row.
//
// The error is a *transcript.Error if t is not valid: INVALID_REQUEST names the members
// in its details, and INVALID_VIDEO and UNSUPPORTED_PLATFORM are about the content. The
// error is SERVICE_UNAVAILABLE while the database is away: then it is unknown whether
// the text is stored, and the program may put it in again.
func (s *Server) PutTranscript(ctx context.Context, account string, t transcript.Transcript) (id string, err error) {
	return s.api.Put(ctx, account, t)
}
