package server

import (
	"context"

	"github.com/transcriptkit/transcriptkit/transcript"
)

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
