package server

import (
	"context"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// PutTranscript stores a transcript that the program provides, such as a text that
// people have corrected, and returns its id. The transcript's Source becomes "manual".
// If account is not empty, the text belongs to this account alone, is in the account's
// library, and is deleted when the account removes it there. If account is empty, every
// account gets the text. A second call for the same account, content and language
// replaces the text and keeps the id.
//
// From then on, the service answers requests for the content with this text. If the
// language list of a request selects the language of the text, the service uses the text
// in preference to any captions, including on a platform that has no captions. The text
// replaces recognition if the platform has no captions or the content is an upload. It
// does not count as a transcript of a plan, and it does not expire. If a request asks for
// recognition ("asr") on a platform with captions, the service ignores the text. If a job
// for the content has not begun, it ends with this text. A job that is running ends with
// its own result.
//
// t must have a Platform, an ExternalID that is valid for [Config.Sites], a Lang, which
// is a BCP 47 tag, and 1 to 100,000 Segments, sorted by Start, with text and with times
// of at least 0. The id of an upload is the first 32 hex digits of the SHA-256 of its
// bytes, and the text of an upload requires an account. Control characters in the text
// become U+FFFD. If SourceURL is nil, it becomes the platform's own link. If
// DurationSec is nil, it becomes the end of the last segment. PutTranscript ignores ID,
// Source, Status, CreatedAt and UpdatedAt.
//
// If t is not valid, the error is a [*transcript.Error]: INVALID_REQUEST names the
// wrong members in its details, and INVALID_VIDEO and UNSUPPORTED_PLATFORM are about
// the content. If the database cannot be reached, the error is SERVICE_UNAVAILABLE: the
// text may or may not be stored, and the caller may repeat the call.
func (s *Server) PutTranscript(ctx context.Context, account string, t transcript.Transcript) (id string, err error) {
	return s.api.Intake.Put(ctx, account, t)
}
